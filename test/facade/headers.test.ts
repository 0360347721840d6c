import { describe, expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

let values: Record<string, unknown> = {};
const graph = buildTestSchema(
  `
  enum Color { RED DARK_BLUE }
  type Meta { etag: String, at: String, count: Int }
  type Thing { id: Int!, etag: String, location: String, flag: Boolean, color: Color, tags: [String!], inner: Inner }
  type Inner { poll: Int, note: String }
  type Gone { id: Int!, why: String }
  union Either = Thing | Gone
  type Query { thing: Thing, meta: Meta, either: Either }
  type Mutation { make: Thing }`,
  {
    Query: {
      thing: () => ({ id: 1, ...values }),
      meta: () => values.meta,
      either: () => ({ __typename: 'Gone', id: 2, why: null, ...values }),
    },
    Mutation: { make: () => ({ id: 1, ...values }) },
  },
);
const facade = await startTestFacade({
  graph,
  operations: {
    'a/thing.graphql': `query GetThing @rest(method: GET, path: "/thing/") {
      thing @body { id etag @header(name: "ETag") flag @header(name: "X-Flag") color @header(name: "X-Color") tags @header(name: "X-Tags")
        inner { poll @header(name: "X-Poll-Interval") note } }
      meta { at @header(name: "Last-Modified") count @header(name: "X-Count") } }`,
    'a/fixed.graphql': `query Fixed @rest(method: GET, path: "/fixed/") {
      thing { interval: __typename @const(value: 60) @header(name: "X-Interval") inner: __typename @body @const(value: []) } }`,
    'a/only.graphql': `query Only @rest(method: GET, path: "/only/") {
      thing @body { id @header(name: "X-Id") location @header(name: "Location") } }`,
    'a/make.graphql': `mutation Make @rest(method: POST, path: "/thing/", status: 204) { make { location @header(name: "Location") } }`,
    'a/either.graphql': `query TheEither @rest(method: GET, path: "/either/") {
      either @body { ... on Thing { id etag @header(name: "ETag") } ... on Gone { gone: id @header(name: "X-Gone") why @omitNull } } }`,
  },
});
const get = (path: string) => facade.request(`/api/v1${path}`);

test('a constant is sent as a header', async () => {
  const { status, json, headers } = await get('/fixed/');
  expect([status, json, headers.get('x-interval')]).toEqual([200, [], '60']);
});

describe('@header', () => {
  test('sends fields inside and outside the body as headers, and omits them from the body', async () => {
    values = {
      etag: '"abc"',
      flag: false,
      color: 'DARK_BLUE',
      tags: ['a', 'b'],
      inner: { poll: 0, note: 'n' },
      meta: { at: 'Mon, 02 Feb 2026 00:00:00 GMT', count: 0 },
    };
    const { headers, text } = await get('/thing/');
    expect(text).toBe('{"id":1,"inner":{"note":"n"}}');
    expect(headers.get('etag')).toBe('"abc"');
    expect(headers.get('x-flag')).toBe('false');
    expect(headers.get('x-color')).toBe('dark_blue');
    expect(headers.get('x-tags')).toBe('a,b');
    expect(headers.get('x-poll-interval')).toBe('0');
    expect(headers.get('last-modified')).toBe('Mon, 02 Feb 2026 00:00:00 GMT');
    expect(headers.get('x-count')).toBe('0');
  });

  test('sends none for null at any depth', async () => {
    values = { inner: null, meta: null };
    const { headers, text } = await get('/thing/');
    expect(text).toBe('{"id":1,"inner":null}');
    for (const name of ['etag', 'x-flag', 'x-color', 'x-tags', 'x-poll-interval', 'last-modified', 'x-count']) {
      expect(headers.get(name)).toBeNull();
    }
  });

  test('may leave the body empty', async () => {
    values = { location: 'https://example.org/1' };
    const { headers, text } = await get('/only/');
    expect([text, headers.get('x-id'), headers.get('location')]).toEqual(['{}', '1', 'https://example.org/1']);
  });

  test('works without a body', async () => {
    values = { location: '/things/1' };
    const { headers, status } = await facade.request('/api/v1/thing/', { method: 'POST' });
    expect([status, headers.get('location')]).toEqual([204, '/things/1']);
  });

  test('of another outcome is not sent', async () => {
    values = {};
    const { headers, text } = await get('/either/');
    expect([text, headers.get('x-gone'), headers.get('etag')]).toEqual(['{}', '2', null]);
  });
});

describe('characters that a header cannot contain', () => {
  test.each([
    ['a line break', 'a\r\nSet-Cookie: evil=1\r\n\r\n<html>', 'a%0D%0ASet-Cookie: evil=1%0D%0A%0D%0A<html>'],
    ['a NUL', 'a\0b', 'a%00b'],
    ['letters beyond ASCII', 'naïve žluť 🐎', 'na%C3%AFve %C5%BElu%C5%A5 %F0%9F%90%8E'],
    ['half of a surrogate pair', 'a\ud800b', 'a%EF%BF%BDb'],
    ['a tabulator and DEL', 'a\tb\x7f', 'a%09b%7F'],
  ])('%s is percent-encoded', async (_, location, sent) => {
    values = { location };
    const answer = await sendRaw(facade.url, rawRequest('GET', '/api/v1/only/'));
    expect(answer).toContain(`\r\nLocation: ${sent}\r\n`);
    expect(answer).not.toContain('\r\nSet-Cookie');
    expect(answer.split('\r\n\r\n')).toHaveLength(2);
  });
});

describe('headers of the product', () => {
  test('are on results and errors', async () => {
    values = {};
    for (const path of ['/thing/', '/nowhere/', '/thing']) {
      const { headers } = await get(path);
      expect(headers.get('vary')).toBe('Authorization, Origin');
      expect(headers.get('cache-control')).toBeNull();
    }
    const mine = await facade.request('/api/v1/thing/', { headers: { authorization: 'Bearer x' } });
    expect(mine.headers.get('cache-control')).toBe('no-store');
  });
});
