import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { createAccounts } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const [reader, other, ...crowd] = await createAccounts(gateway, 12);
if (!reader || !other) throw new Error('There is nobody.');
const { rows: unmarked } = await sql<{ id: number }>`
  select id from article where like_count = 0 and bookmark_count = 0 order by id`.execute(gateway.database.sql);
const articles = unmarked.map(({ id }) => id);
/** An article that no other test of this file uses. */
const fresh = (): number => articles.pop() ?? 0;
const toggle = (id: number | string, mark: 'like' | 'bookmark', access: string | undefined = reader.access) =>
  send(gateway, 'POST', `/articles/${id}/${mark}/`, undefined, access);
const shown = async (id: number, access?: string) =>
  (await send(gateway, 'GET', `/articles/${id}/`, undefined, access)).json;

/** The counters of an article next to the number of its rows. */
async function counted(id: number) {
  const { rows } = await sql<Record<string, number>>`
    select like_count, bookmark_count, comment_count,
      (select count(*)::int from article_like where article_id = a.id) as likes,
      (select count(*)::int from article_bookmark where article_id = a.id) as bookmarks
    from article a where id = ${id}`.execute(gateway.database.sql);
  return rows[0];
}

describe('a like', () => {
  test('is set and removed with 201, and counted', async () => {
    const id = fresh();
    const { like_count: before } = await shown(id);
    const set = await toggle(id, 'like');
    expect(set).toMatchObject({ status: 201, json: { liked: true, like_count: before + 1 } });
    expect(Object.keys(set.json)).toEqual(['liked', 'like_count']);
    expect(await shown(id, reader.access)).toMatchObject({ is_liked: true, like_count: before + 1 });
    expect(await shown(id, other.access)).toMatchObject({ is_liked: false, like_count: before + 1 });
    expect(await shown(id)).toMatchObject({ is_liked: false, like_count: before + 1 });
    expect(await toggle(id, 'like')).toMatchObject({ status: 201, json: { liked: false, like_count: before } });
    expect(await shown(id, reader.access)).toMatchObject({ is_liked: false, like_count: before });
  });

  test('of one user toggles with each concurrent request', async () => {
    const id = fresh();
    const answers = await Promise.all(Array.from({ length: 21 }, () => toggle(id, 'like')));
    expect(answers.map(one => one.status)).toEqual(Array(21).fill(201));
    expect(answers.filter(one => one.json.liked)).toHaveLength(11);
    expect(await counted(id)).toMatchObject({ like_count: 1, likes: 1 });
  });
});

describe('a bookmark', () => {
  test('is set and removed with 201', async () => {
    const id = fresh();
    const set = await toggle(id, 'bookmark');
    expect(set).toMatchObject({ status: 201, json: { bookmarked: true, detail: 'Bookmark added.' } });
    expect(Object.keys(set.json)).toEqual(['bookmarked', 'detail']);
    expect(await shown(id, reader.access)).toMatchObject({ is_bookmarked: true, is_liked: false });
    expect(await toggle(id, 'bookmark')).toMatchObject({
      status: 201,
      json: { bookmarked: false, detail: 'Bookmark removed.' },
    });
    expect(await shown(id, reader.access)).toMatchObject({ is_bookmarked: false });
  });
});

/** Retries like a client: a busy machine may lack connections for so many concurrent requests. */
async function insist(...call: Parameters<typeof toggle>): Promise<number> {
  for (;;) {
    const { status } = await toggle(...call);
    if (status !== 503) return status;
  }
}

test('200 concurrent toggles by ten users on two articles all count', async () => {
  const pair = [fresh(), fresh()];
  const marks = ['like', 'bookmark'] as const;
  // Each person toggles each kind on each article four or six times, some once more.
  const times = (who: number, at: number, kind: number): number => 5 + ((who + at + kind) % 2 ? 1 : -1);
  const calls = crowd.flatMap(({ access }, who) =>
    pair.flatMap((id, at) =>
      marks.flatMap((mark, kind) =>
        Array.from({ length: times(who, at, kind) + (who % 2) }, () => [id, mark, access] as const),
      ),
    ),
  );
  expect(calls.length).toBeGreaterThanOrEqual(200);
  // Both kinds in one sequence, because they write the same article row.
  const statuses = await Promise.all(
    calls.toSorted((one, other) => digest(one) - digest(other)).map(one => insist(...one)),
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
  for (const id of pair) {
    const row = await counted(id);
    // The five people with an odd number of toggles.
    expect(row).toMatchObject({ like_count: 5, likes: 5, bookmark_count: 5, bookmarks: 5 });
  }
});

/** A seeded pseudo-random number for shuffling. */
function digest(call: readonly unknown[]): number {
  return [...JSON.stringify(call)].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 9973, 7);
}

describe.each(['like', 'bookmark'] as const)('who may not %s', mark => {
  test('anonymous callers and guests', async () => {
    const id = fresh();
    expect(await gateway.request(`/api/v1/articles/${id}/${mark}/`, { method: 'POST' })).toMatchObject({
      status: 401,
      json: { code: 'not_authenticated' },
    });
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    expect(await toggle(id, mark, guest)).toMatchObject({ status: 403, json: { code: 'not_verified' } });
    expect(await counted(id)).toMatchObject({ likes: 0, bookmarks: 0 });
  });

  test.each(['987654321', 'x', '0', '-1', '1.5', '9007199254740993', 'null'])('%s is 404', async id => {
    expect(await toggle(id, mark)).toMatchObject({
      status: 404,
      json: { detail: 'Not found.', code: 'not_found' },
    });
  });

  test('a future or withdrawn article is 404, and nothing is written', async () => {
    const [future, withdrawn] = [fresh(), fresh()];
    await sql`update article set published_at = '2027-01-01T00:00:00Z' where id = ${future}`.execute(
      gateway.database.sql,
    );
    await sql`update article set withdrawn_at = '2026-01-01T00:00:00Z' where id = ${withdrawn}`.execute(
      gateway.database.sql,
    );
    for (const id of [future, withdrawn]) {
      expect((await toggle(id, mark)).status).toBe(404);
      expect(await counted(id)).toMatchObject({ likes: 0, bookmarks: 0, like_count: 0, bookmark_count: 0 });
    }
  });

  test('takes four statements: session, article, toggle, recommendation', async () => {
    const id = fresh();
    expect(await gateway.statements(() => toggle(id, mark))).toHaveLength(4);
  });
});

describe('GraphQL', () => {
  const ask = async (query: string, variables: object, access = reader.access) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({ query, variables }),
      })
    ).json;
  const change = (verb: string, id: number, access?: string) =>
    ask(
      `mutation($articleId: ID!) { ${verb}(input: { articleId: $articleId }) { article { likeCount isLiked isBookmarked } } }`,
      { articleId: encodeGlobalId('Article', id) },
      access,
    );

  test('sets and removes the same marks, once each', async () => {
    const id = fresh();
    const marked = { likeCount: 1, isLiked: true, isBookmarked: false };
    for (let time = 0; time < 2; time++)
      expect((await change('likeArticle', id)).data).toEqual({ likeArticle: { article: marked } });
    for (let time = 0; time < 2; time++)
      expect((await change('bookmarkArticle', id)).data).toEqual({
        bookmarkArticle: { article: { ...marked, isBookmarked: true } },
      });
    expect(await counted(id)).toMatchObject({ like_count: 1, likes: 1, bookmark_count: 1, bookmarks: 1 });
    expect(await shown(id, reader.access)).toMatchObject({ is_liked: true, is_bookmarked: true, like_count: 1 });
    for (let time = 0; time < 2; time++) {
      expect((await change('unlikeArticle', id)).data.unlikeArticle.article).toMatchObject({ likeCount: 0 });
      expect((await change('unbookmarkArticle', id)).data.unbookmarkArticle.article).toMatchObject({
        isBookmarked: false,
      });
    }
    expect(await counted(id)).toMatchObject({ like_count: 0, likes: 0, bookmark_count: 0, bookmarks: 0 });
  });

  test.each([
    ['like', 'likeArticle', 'unlikeArticle'],
    ['bookmark', 'bookmarkArticle', 'unbookmarkArticle'],
  ])('twenty concurrent requests to %s count once, and once to remove', async (mark, set, remove) => {
    const id = fresh();
    await change(set, id, other.access);
    const concurrently = (verb: string) => Promise.all(Array.from({ length: 20 }, () => change(verb, id)));
    for (const answer of await concurrently(set)) expect(answer.errors).toBeUndefined();
    expect(await counted(id)).toMatchObject({ [`${mark}_count`]: 2, [`${mark}s`]: 2 });
    for (const answer of await concurrently(remove)) expect(answer.errors).toBeUndefined();
    expect(await counted(id)).toMatchObject({ [`${mark}_count`]: 1, [`${mark}s`]: 1 });
  });

  test('refuses ids that name no visible article, and callers without an account', async () => {
    const code = async (articleId: string, access?: string) => {
      const { data, errors } = await ask(
        'mutation($articleId: ID!) { likeArticle(input: { articleId: $articleId }) { article { id } } }',
        { articleId },
        access,
      );
      expect(data).toEqual({ likeArticle: null });
      return errors[0].extensions.code;
    };
    expect(await code(encodeGlobalId('Article', 987_654_321))).toBe('NOT_FOUND');
    for (const id of [encodeGlobalId('Category', 1), encodeGlobalId('Article', 'x'), '1', ''])
      expect(await code(id)).toBe('BAD_USER_INPUT');
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    expect(await code(encodeGlobalId('Article', fresh()), guest)).toBe('FORBIDDEN');
  });
});

test("a cached document returns each caller's own flags without further statements", async () => {
  const id = fresh();
  await toggle(id, 'like', other.access);
  for (let round = 0; round < 2; round++) {
    const flags: boolean[] = [];
    for (const access of [undefined, other.access, reader.access]) {
      let json: { results: { id: number; is_liked: boolean }[] } = { results: [] };
      const statements = await gateway.statements(async () => {
        json = (await send(gateway, 'GET', '/articles/?page_size=100', undefined, access)).json;
      });
      // The caller's session, the page with its total.
      expect(statements).toHaveLength(access === undefined ? 1 : 2);
      flags.push(json.results.find(one => one.id === id)?.is_liked === true);
      // Without a user, no likes are looked up.
      expect(statements.some(one => one.includes('article_like'))).toBe(access !== undefined);
    }
    expect(flags).toEqual([false, true, false]);
  }
});
