import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  type Query { seen(texts: [String!]): String! }
  type Mutation { put(texts: [String!]!, plain: [String!]): String! }`,
  { Query: { seen: echo }, Mutation: { put: echo } },
);
const facade = await startTestFacade({
  graph,
  operations: {
    'a/seen.graphql': `query Seen($texts: [String!] @split) @rest(method: GET, path: "/seen/") { seen(texts: $texts) @body }`,
    'a/put.graphql': `mutation Put("Texts." $texts: [String!]! @split(by: ";"), $plain: [String!]) @rest(method: POST, path: "/put/") {
      put(texts: $texts, plain: $plain) @body }`,
  },
});
const put = async (body: unknown): Promise<unknown> => {
  const { status, json } = await facade.send('POST', '/api/v1/put/', body);
  return status === 200 ? JSON.parse(json).texts : json;
};

describe('@split', () => {
  test.each([
    ['a text is its parts, trimmed, empty ones left out', ' a ;b;; c d ;', ['a', 'b', 'c d']],
    ['a text without a separator is one part', 'a, b', ['a, b']],
    ['an empty text is an empty list', ' ; ', []],
    ['a list stays as it is', ['a;b', ''], ['a;b', '']],
    ['a list of one stays as it is too', ['a;b'], ['a;b']],
  ])('%s', async (_, texts, expected) => expect(await put({ texts })).toEqual(expected));

  test('other values are refused, and a list without @split accepts no text', async () => {
    expect(await put({ texts: 5 })).toEqual({ texts: ['Expected a list of items but got type "int".'] });
    expect(await put({ texts: null })).toEqual({ texts: ['This field may not be null.'] });
    expect(await put({})).toEqual({ texts: ['This field is required.'] });
    expect(await put({ texts: [{}] })).toEqual({ texts: { 0: ['Not a valid string.'] } });
    expect(await put({ texts: 'a\0;b' })).toEqual({ texts: { 0: ['Null characters are not allowed.'] } });
    expect(await put({ texts: 'a', plain: 'b' })).toEqual({ plain: ['Expected a list of items but got type "str".'] });
  });

  test('a single text of a query or a form is split, repeated ones are not', async () => {
    const seen = async (query: string): Promise<unknown> =>
      JSON.parse((await facade.request(`/api/v1/seen/?${query}`)).json).texts;
    expect(await seen('texts=a,b')).toEqual(['a', 'b']);
    expect(await seen('texts=a,b&texts=c')).toEqual(['a,b', 'c']);
    const form = await facade.request('/api/v1/put/', { method: 'POST', body: new URLSearchParams({ texts: 'a;b' }) });
    expect(JSON.parse(form.json).texts).toEqual(['a', 'b']);
  });

  test('is documented: a list or one text', () => {
    const texts = {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
      description: 'Texts. One text is taken too, its items parted by `;`.',
    };
    const content = { 'application/json': { schema: { properties: { texts } } } };
    expect(facade.document()).toMatchObject({ paths: { '/put/': { post: { requestBody: { content } } } } });
  });

  test.each([
    ['a list of numbers', 'mutation M($n: [Int!] @split) @rest(method: POST, path: "/m/") { put(n: $n) @body }'],
    ['no list', 'mutation M($t: String @split) @rest(method: POST, path: "/m/") { put(t: $t) @body }'],
    [
      'an empty separator',
      'mutation M($l: [String!] @split(by: "")) @rest(method: POST, path: "/m/") { put(l: $l) @body }',
    ],
  ])('stops the boot on %s', async (_, text) => {
    const others = buildTestSchema(
      `type Query { nothing: Int } type Mutation { put(n: [Int!], t: String, l: [String!]): String! }`,
      { Mutation: { put: echo } },
    );
    await expect(startTestFacade({ graph: others, operations: { 'a/m.graphql': text } })).rejects.toThrow(
      /a\/m\.graphql:1: .*cannot be split/,
    );
  });
});
