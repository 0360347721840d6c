import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const modified = '2026-01-02T03:04:05.678Z';
const graph = buildTestSchema(
  `type Dated { at: String!, sha: String!, text: String! }
  type Query { get: String!, dated: Dated!, none: String, fail: String! } type Mutation { put: String!, done: Boolean }`,
  {
    Query: {
      get: () => 'žluť',
      dated: () => ({ at: modified, sha: 'abc', text: 'x' }),
      fail: () => {
        throw new GraphQLError('Taken.', { extensions: { code: 'X', http: { status: 409 } } });
      },
    },
    Mutation: { put: () => 'made', done: () => true },
  },
);
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: {
    'a/get.graphql': `query Get @rest(method: GET, path: "/things") { get @body }`,
    'a/dated.graphql': `query Dated @rest(method: GET, path: "/dated") {
      dated { at @header(name: "Last-Modified") sha @header(name: "ETag") text @body } }`,
    'a/none.graphql': `query None @rest(method: GET, path: "/none") { none @body }`,
    'a/fail.graphql': `query Fail @rest(method: GET, path: "/fail") { fail @body }`,
    'a/put.graphql': `mutation Put @rest(method: POST, path: "/things", status: 201) { put @body }`,
    'a/delete.graphql': `mutation Delete @rest(method: DELETE, path: "/things", status: 204) { done }`,
    'a/kept.graphql': `query Kept @rest(method: GET, path: "/kept", maxAgeSeconds: 86400) { get @body }`,
    'a/fresh.graphql': `query Fresh @rest(method: GET, path: "/fresh", maxAgeSeconds: 0) { get @body }`,
  },
  context: ({ headers }) => ({ known: headers.authorization }),
  server: { isPersonal: context => (context as { known?: string }).known === 'token x' },
});
const tag = `"${createHash('sha256').update('"žluť"').digest('hex')}"`;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  facade.request(path, { method, headers });

describe('ETag', () => {
  test('is the strong SHA-256 of the body, or what the operation says', async () => {
    expect((await get('/things')).headers.get('etag')).toBe(tag);
    expect((await get('/things', {}, 'HEAD')).headers.get('etag')).toBe(tag);
    expect((await get('/dated')).headers.get('etag')).toBe('"abc"');
    expect((await get('/things', {}, 'POST')).headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  });

  test('is not on errors and empty responses', async () => {
    for (const path of ['/nowhere', '/none', '/fail']) expect((await get(path)).headers.get('etag')).toBeNull();
    expect((await get('/things', {}, 'DELETE')).headers.get('etag')).toBeNull();
  });
});

describe('If-None-Match', () => {
  test.each([tag, `W/${tag}`, `"x", W/"y",${tag}`, '*', tag.slice(1, -1)])('%s is 304 to a read', async wanted => {
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await get('/things', { 'if-none-match': wanted }, method);
      expect([status, text]).toEqual([304, '']);
      expect(headers.get('etag')).toBe(tag);
      expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60');
      expect(headers.get('x-host-api-version-selected')).toBe('2022-11-28');
      expect([headers.get('content-type'), headers.get('content-length')]).toEqual([null, null]);
    }
  });

  test('with another tag is answered in full', async () => {
    for (const wanted of ['"x"', 'W/"x"', `${tag.slice(0, -2)}"`, '']) {
      expect([wanted, (await get('/things', { 'if-none-match': wanted })).status]).toEqual([wanted, 200]);
    }
  });

  test('has no effect on a write', async () => {
    expect((await get('/things', { 'if-none-match': '*' }, 'POST')).status).toBe(201);
  });

  test('takes precedence over If-Modified-Since', async () => {
    const late = 'Fri, 02 Jan 2026 03:04:05 GMT';
    expect((await get('/dated', { 'if-none-match': '"x"', 'if-modified-since': late })).status).toBe(200);
    expect((await get('/dated', { 'if-none-match': '"abc"', 'if-modified-since': 'x' })).status).toBe(304);
  });
});

describe('If-Modified-Since', () => {
  test.each([
    ['Fri, 02 Jan 2026 03:04:05 GMT', 304],
    ['Fri, 02 Jan 2026 03:04:04 GMT', 200],
    ['Friday, 02-Jan-26 03:04:05 GMT', 304],
    ['Fri Jan  2 03:04:05 2026', 304],
    ['2026-01-02T03:04:06Z', 304],
    ['2026-01-02T03:04:06+01:00', 200],
  ])('%s is %d', async (since, status) => {
    const answer = await get('/dated', { 'if-modified-since': since });
    expect([answer.status, answer.headers.get('last-modified')]).toEqual([status, 'Fri, 02 Jan 2026 03:04:05 GMT']);
  });

  test('is ignored without Last-Modified', async () => {
    expect((await get('/things', { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' })).status).toBe(200);
  });

  test.each(['yesterday', '1', 'Fri, 99 Jan 2026 03:04:05 GMT', 'version 2026'])('%s is 422', async since => {
    const { status, json } = await get('/dated', { 'if-modified-since': since });
    expect([status, json.message]).toEqual([
      422,
      'Unable to parse If-Modified-Since request header. Please make sure value is in an acceptable format.',
    ]);
  });
});

describe('Cache-Control and Vary', () => {
  const kept = async (path: string, authorization?: string): Promise<(string | null)[]> => {
    const { headers } = await get(path, authorization === undefined ? {} : { authorization });
    return [headers.get('cache-control'), headers.get('vary')];
  };
  const all =
    'Accept, Authorization, Cookie, X-Host-OTP, X-Host-Api-Version, Accept-Encoding, Accept, X-Requested-With';

  test('depend on the caller', async () => {
    expect(await kept('/things')).toEqual(['public, max-age=60, s-maxage=60', all]);
    expect(await kept('/things', 'Bearer of an app')).toEqual(['public, max-age=60, s-maxage=60', all]);
    expect(await kept('/things', 'token x')).toEqual(['private, max-age=60, s-maxage=60', all]);
  });

  test('use the operation’s maxAgeSeconds', async () => {
    expect((await kept('/kept'))[0]).toBe('public, max-age=86400, s-maxage=86400');
    expect((await kept('/kept', 'token x'))[0]).toBe('private, max-age=86400, s-maxage=86400');
    expect((await kept('/fresh'))[0]).toBe('no-cache');
  });

  test('forbid caching of errors', async () => {
    for (const path of ['/nowhere', '/none', '/fail']) expect((await kept(path))[0]).toBe('no-store');
  });
});
