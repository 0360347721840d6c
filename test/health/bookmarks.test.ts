import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const people = await createAccounts(gateway, 3);
const [reader, other, third] = people as [TestAccount, TestAccount, TestAccount];
const all: { id: number; headline: string }[] = (await gateway.request('/api/v1/articles/?page_size=100')).json.results;
const list = (query = '', access: string | undefined = reader.access) =>
  send(gateway, 'GET', `/articles/bookmarks/${query}`, undefined, access);
const ids = async (query = '') => (await list(query)).json.results.map((one: { id: number }) => one.id);

/** Bookmarked one minute apart, in this order. */
const kept = [7, 3, 11, 20, 5].map(at => all[at]?.id ?? 0);
for (const id of kept) {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  await send(gateway, 'POST', `/articles/${id}/bookmark/`, undefined, reader.access);
}
await send(gateway, 'POST', `/articles/${all[1]?.id}/bookmark/`, undefined, other.access);

test("are the caller's, the newest first, in the envelope of articles", async () => {
  const { status, json, headers } = await list();
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(json).toMatchObject({ count: 5, next: null, previous: null });
  expect(json.results.map((one: { id: number }) => one.id)).toEqual(kept.toReversed());
  for (const one of json.results) expect(one).toMatchObject({ is_bookmarked: true, is_liked: false });
  const [article] = (await gateway.request('/api/v1/articles/?page_size=1')).json.results;
  expect(Object.keys(json.results[0])).toEqual(Object.keys(article));
});

test('are ordered as asked, and searched', async () => {
  expect(await ids('?ordering=bookmarked_at')).toEqual(kept);
  expect(await ids('?ordering=-bookmarked_at')).toEqual(kept.toReversed());
  expect(await ids('?ordering=id')).toEqual(kept.toSorted((a, b) => a - b));
  expect(await ids('?ordering=nonsense')).toEqual(kept.toReversed());
  const { headline } = all.find(one => one.id === kept[0]) ?? { headline: '' };
  expect(await ids(`?search=${encodeURIComponent(`"${headline}"`)}`)).toEqual([kept[0]]);
  expect(await ids('?search=no-such-word')).toEqual([]);
});

test('come in pages', async () => {
  const { json } = await list('?page_size=2&page=2&ordering=bookmarked_at');
  expect(json.results.map((one: { id: number }) => one.id)).toEqual(kept.slice(2, 4));
  const address = `${gateway.url}/api/v1/articles/bookmarks/`;
  const anchor = `as_of=${gateway.clock.now.getTime()}`;
  expect(json.next).toBe(`${address}?page_size=2&page=3&ordering=bookmarked_at&${anchor}`);
  expect(json.previous).toBe(`${address}?page_size=2&ordering=bookmarked_at&${anchor}`);
  expect(await list('?page=9')).toMatchObject({ status: 404, json: { detail: 'Invalid page.' } });
});

test('are an empty page without bookmarks', async () => {
  expect((await list('', third.access)).json).toEqual({ count: 0, next: null, previous: null, results: [] });
});

test('omit withdrawn articles', async () => {
  await sql`update article set withdrawn_at = '2026-01-01T00:00:00Z' where id = ${kept[0] ?? 0}`.execute(
    gateway.database.sql,
  );
  try {
    const { json } = await list();
    expect(json.count).toBe(4);
    expect(json.results.map((one: { id: number }) => one.id)).not.toContain(kept[0]);
  } finally {
    await sql`update article set withdrawn_at = null where id = ${kept[0] ?? 0}`.execute(gateway.database.sql);
  }
});

describe('callers without access', () => {
  test('anonymous callers and guests', async () => {
    expect(await gateway.request('/api/v1/articles/bookmarks/')).toMatchObject({
      status: 401,
      json: { code: 'not_authenticated' },
    });
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    expect(await list('', guest)).toMatchObject({ status: 403, json: { code: 'not_verified' } });
  });
});

test('take the session, the page and its total, whatever their number', async () => {
  for (const query of ['?page_size=1', '?page_size=100', '?search=a&ordering=headline']) {
    expect(await gateway.statements(() => list(query))).toHaveLength(3);
  }
});
