import { expect, test } from '@jest/globals';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

/** Conditional requests, page numbers, and constants of the wire. */
const restNames =
  /[.(](unless|etag|page|pollInterval|typeName|sourceType|accountType|gists|gravatarId|(rest|user|organization)Url)\)?$/;

test('the public graph has nothing that the REST contracts alone need', () => {
  const found = elementsOf(publicSchema).filter(
    ({ name, description, extensions }) =>
      extensions.restOnly === true || restNames.test(name) || /\b(REST|ETag)\b/.test(description),
  );
  expect(found.map(({ name }) => name)).toEqual([]);
});
