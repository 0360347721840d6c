import { expect, test } from '@jest/globals';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

test('a deprecation names the day of the removal, which is in the future', () => {
  const today = new Date().toISOString().slice(0, 10);
  const found = elementsOf(publicSchema).filter(
    ({ deprecationReason }) => deprecationReason !== undefined && removalDay(deprecationReason) <= today,
  );
  expect(found.map(({ name, deprecationReason }) => `${name}: ${deprecationReason}`)).toEqual([]);
});

/** Empty, which is in the past, if the reason has none. */
function removalDay(reason: string): string {
  return /\bRemoved after (\d{4}-\d{2}-\d{2})\b/.exec(reason)?.[1] ?? '';
}
