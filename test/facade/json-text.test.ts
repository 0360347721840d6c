import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeBodyTag, computeEtag } from '../../packages/operation-rest/src/conditional-requests.ts';
import {
  formatBodyInTurns,
  formatJson,
  formatJsonInTurns,
  JsonText,
} from '../../packages/operation-rest/src/json-text.ts';

/** With members that JSON leaves out, and values that say themselves what they are in JSON. */
const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, new Date('2026-01-01'), new JsonText('{"a":[1, 2]}')));

test('a value is formatted in turns as at once, whatever is long in it', async () => {
  const long = fc.oneof(
    fc.array(leaf, { minLength: 1, maxLength: 5 }).map(items => Array.from({ length: 1_000 }, () => items)),
    fc
      .string({ minLength: 1, maxLength: 100, unit: 'binary' })
      .map(text => [text.repeat(70_000 / text.length), text.repeat(1_000)]),
    fc.dictionary(fc.string(), leaf, { minKeys: 1, maxKeys: 3 }).map(one => Array(2_000).fill(one)),
    fc.constant(JSON.parse(`{"__proto__":${JSON.stringify(Array(9_000).fill('text'))},"toString":1}`)),
    leaf,
  );
  const value = fc.oneof(long, fc.dictionary(fc.string(), long, { maxKeys: 3 }), fc.array(long, { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(value, async given => {
      // Undefined has no JSON and no response.
      fc.pre(given !== undefined);
      const text = formatJson(given);
      expect(await formatJsonInTurns(given)).toBe(text);
      // Half of a surrogate pair has no UTF-8: it is sent as the replacement character, whole or in pieces.
      expect(Buffer.from(await formatBodyInTurns(given))).toEqual(Buffer.from(text));
    }),
    { numRuns: 30 },
  );
});

test('a text that is JSON already is passed on, and is a value for other serializers', async () => {
  const body = { list: [new JsonText('{"a": 1.0}'), 'b'], text: new JsonText('null') };
  expect(formatJson(body)).toBe('{"list":[{"a": 1.0},"b"],"text":null}');
  expect(await formatJsonInTurns(body)).toBe('{"list":[{"a": 1.0},"b"],"text":null}');
  expect(formatJson(new JsonText('[ ]'))).toBe('[ ]');
  expect(JSON.parse(JSON.stringify(body))).toEqual({ list: [{ a: 1 }, 'b'], text: null });
});

test('while a long list is formatted, others run', async () => {
  const list = Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'some words of it' }));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const body = await formatBodyInTurns({ list });
  clearInterval(timer);
  expect(body.length).toBe(formatJson({ list }).length);
  expect(turns).toBeGreaterThan(2);
});

test('a value that has no JSON is an error, and the next one is formatted', async () => {
  expect(() => formatJson({ value: 1n })).toThrow(TypeError);
  await expect(formatJsonInTurns({ list: [...Array(100_000).fill('text'), 1n] })).rejects.toThrow(TypeError);
  expect(JSON.stringify(new JsonText('1'))).toBe('1');
});

test('a long text has the tag that it has at once, also of characters of two units', async () => {
  for (const text of [
    'a'.repeat(3_000_000),
    `a${'😀'.repeat(1_200_000)}`,
    `${'a'.repeat(999_999)}\ud83d`,
    'x'.repeat(1_000_000),
  ])
    expect((await computeBodyTag(text, undefined)).etag).toBe(computeEtag(text));
});

test('a body with URLs that expire has a weak tag, which is the same with other URLs, also of a long body and as bytes', async () => {
  const urls = /_url":"[^"?]*\?token=[^"]*/g;
  const bodyWith = (token: string, filling: string) =>
    JSON.stringify(Array.from({ length: 9 }, () => ({ raw_url: `http://a/é?token=${token}`, filling })));
  for (const filling of ['', 'a'.repeat(900_000), '😀'.repeat(1_100_000)]) {
    const { etag } = await computeBodyTag(bodyWith('one', filling), urls);
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    for (const body of [bodyWith('another', filling), Buffer.from(bodyWith('one', filling))])
      expect(await computeBodyTag(body, urls)).toEqual({ etag, expires: true });
    expect((await computeBodyTag(bodyWith('one', `${filling}b`), urls)).etag).not.toBe(etag);
    const lasting = JSON.stringify({ url: 'http://a?token=x', filling });
    expect(await computeBodyTag(lasting, urls)).toEqual({ etag: computeEtag(lasting), expires: false });
  }
});
