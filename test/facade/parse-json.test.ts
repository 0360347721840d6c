import { describe, expect, test } from '@jest/globals';
import { JsonRefusedError, parseJson } from 'operation-rest';

const reasonOf = (text: string, maxMembers?: number): Promise<unknown> =>
  parseJson(text, maxMembers).then(
    () => 'parsed',
    (error: unknown) => (error instanceof JsonRefusedError ? error.reason.is : error),
  );

/** Items after which a text is parsed in parts. */
const many = 25_000;
const long = (member: (index: number) => string): string => Array.from({ length: many }, (_, i) => member(i)).join(',');

const values: [what: string, text: string][] = [
  ['a list', `[${long(String)}]`],
  ['a list of lists', `[${long(i => `[${i}, []]`)}]`],
  ['an object', `{${long(i => `"k${i}": {"of": ${i}}`)}}`],
  [
    'long containers in each other',
    ` {"a": [1, {"b": [${long(i => `{"c": [${i}]}`)}], "d": {${long(i => `"k${i}": 1`)}}}, "e"]} `,
  ],
  ['a long container in a part of another', `[${long(String)}, [${long(String)}], {"a": [${long(String)}]}]`],
  [
    'keys that objects have already',
    `{"__proto__": [${long(String)}], "constructor": {"__proto__": {${long(i => `"${i}": []`)}}}}`,
  ],
  ['texts with brackets, quotes and colons', `[${long(i => `"]}\\"\\\\,:[{${i}"`)}]`],
  ['a long text', `{"a": "${'\\"x'.repeat(1_000_000)}", "b": [1]}`],
  ['one value', `"${'x'.repeat(2_100_000)}"`],
];

describe('a long text', () => {
  test.each(values)('of %s is what JSON.parse makes of it', async (_what, text) => {
    const value = await parseJson(text, 500_000);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('leaves turns of the event loop to others', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await parseJson(`[${Array(90_000).fill('{}').join(',')}]`, 200_000);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(8);
  });

  test.each([
    ['a missing bracket', `[${long(String)}`],
    ['another bracket', `[${long(String)}}`],
    ['a bracket too many', `[${long(String)}]]`],
    ['two values', `[${long(String)}] [${long(String)}]`],
    ['a comma before its end', `[${long(String)},]`],
    ['a comma after its first part', `[${long(String)},,${long(String)}]`],
    ['a comma and nothing else in a part', `[${long(String)}${','.repeat(many)}]`],
    ['members without keys', `{${long(String)}}`],
    ['a key without a value', `{"a": [${long(String)}], "b"}`],
    ['an open text', `[${long(String)}, "x`],
    ['a word', `[${long(String)}, x]`],
    ['a comma alone', `${','.repeat(many)}`],
    ['a colon outside', `[${long(String)}]:1`],
  ])('with %s is refused as JSON.parse refuses it', async (_what, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await reasonOf(text, 500_000)).toBe('syntax');
  });

  test.each([
    ['side by side', `{"a": 1, "a": 2, "b": [${long(String)}]}`],
    ['in different parts', `{"k1": 0, ${long(i => `"k${i}": 1`)}}`],
    ['both in the last part', `{${long(i => `"k${i}": 1`)}, "x": 1, "x": 2}`],
    ['of which one is a long list', `{"a": [${long(String)}], "a": 1}`],
    ['that are long lists', `{"a": [${long(String)}], "a": [${long(String)}]}`],
    ['by another spelling', `{"a": [${long(String)}], "\\u0061": 1}`],
    ['in an item', `[${long(i => `{"a": ${i}}`)}, {"a": 1, "a": 1}]`],
    ['that change the prototype', `{"__proto__": 0, ${long(i => `"k${i}": 1`)}, "__proto__": 1}`],
  ])('with equal keys %s is refused', async (_what, text) => {
    expect(await reasonOf(text, 500_000)).toBe('repeated-key');
  });

  test('has limits of members and of levels, at each length', async () => {
    for (const count of [5_000, 90_000]) {
      const list = (members: number): string => `[${Array(members).fill('0').join(',')}]`;
      expect(await reasonOf(list(count), count)).toBe('parsed');
      expect(await reasonOf(list(200_001), 200_000)).toBe('members');
      const nested = (levels: number): string => `${'['.repeat(levels)}${list(count)}${']'.repeat(levels)}`;
      expect(await reasonOf(nested(99), 200_000)).toBe('parsed');
      expect(await reasonOf(nested(100), 200_000)).toBe('depth');
      expect(await reasonOf('['.repeat(count))).toBe('depth');
    }
  });
});
