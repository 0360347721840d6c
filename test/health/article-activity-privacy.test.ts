import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../src/health/accounts/erase-accounts.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const [reader, other, leaver] = (await createAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
const { rows: unmarked } = await sql<{ id: number; headline: string }>`
  select id, headline from article where like_count = 0 and bookmark_count = 0 and comment_count = 0 order by id limit 4`.execute(
  gateway.database.sql,
);
const [one, two, three] = unmarked as [Named, Named, Named];
interface Named {
  id: number;
  headline: string;
}
const post = (path: string, person: TestAccount, body?: unknown) => send(gateway, 'POST', path, body, person.access);
const exported = async (person: TestAccount) =>
  (await send(gateway, 'GET', '/auth/me/export/', undefined, person.access)).json;

test('the export has likes, bookmarks, comments and recommendations of the user only', async () => {
  for (const person of [reader, other]) {
    await post(`/articles/${one.id}/like/`, person);
    await post(`/articles/${two.id}/bookmark/`, person);
  }
  const { json: comment } = await post(`/articles/${one.id}/comments/`, reader, { text: 'What I said' });
  const { json: gone } = await post(`/articles/${one.id}/comments/`, reader, { text: 'What I took back' });
  await send(gateway, 'DELETE', `/articles/${one.id}/comments/${gone.id}/`, undefined, reader.access);
  await post(`/articles/${one.id}/comments/`, other, { text: 'What another said' });
  const { json: feed } = await send(gateway, 'GET', '/articles/recommended/?page_size=100', undefined, reader.access);
  const data = await exported(reader);
  const at = '2026-11-01T12:00:00.000000Z';
  expect(data.likes).toEqual([{ article: one.id, headline: one.headline, at }]);
  expect(data.bookmarks).toEqual([{ article: two.id, headline: two.headline, at }]);
  expect(data.comments).toEqual([{ id: comment.id, article: one.id, text: 'What I said', created_at: at }]);
  expect(data.recommendations).toHaveLength(feed.count);
  expect(data.recommendations[0]).toEqual({
    article: expect.any(Number),
    score: expect.any(Number),
    reason: expect.any(String),
    status: 'pending',
    recommended_at: at,
    seen_at: null,
  });
  expect(await exported(leaver)).toMatchObject({ likes: [], bookmarks: [], comments: [], recommendations: [] });
});

test('a deleted account is anonymous at once; erasing it corrects the counts', async () => {
  for (const person of [leaver, other]) {
    await post(`/articles/${three.id}/like/`, person);
    await post(`/articles/${three.id}/bookmark/`, person);
  }
  await sql`update users set picture = gen_random_uuid() where id = ${leaver.id}`.execute(gateway.database.sql);
  const { json: said } = await post(`/articles/${three.id}/comments/`, leaver, { text: 'A word to all' });
  await post(`/articles/${three.id}/comments/`, other, { text: 'An answer', parent: said.id });
  await send(gateway, 'GET', '/articles/recommended/', undefined, leaver.access);
  expect((await send(gateway, 'DELETE', '/auth/me/delete/', undefined, leaver.access)).status).toBe(204);

  const comments = async () =>
    (await send(gateway, 'GET', `/articles/${three.id}/comments/`, undefined, other.access)).json.results;
  const anonymous = {
    id: said.id,
    text: 'A word to all',
    author: { id: leaver.id, full_name: 'Deleted user', profile_picture: null },
    author_name: 'Deleted user',
    is_deleted: false,
    is_mine: false,
  };
  expect((await comments())[0]).toMatchObject(anonymous);

  const later = new Date(gateway.clock.now.getTime() + 31 * 24 * 3_600_000);
  expect(await inTransaction(gateway.database, db => eraseDeletedAccounts(db, later, 30))).toBe(1);
  // The comment stays without its author, because others replied to it.
  expect((await comments())[0]).toMatchObject(anonymous);
  const { rows } = await sql<Record<string, number>>`
    select like_count, bookmark_count, comment_count,
      (select count(*)::int from article_like where article_id = a.id) as likes,
      (select count(*)::int from article_bookmark where article_id = a.id) as bookmarks,
      (select count(*)::int from article_like where user_id = ${leaver.id}) as own_likes,
      (select count(*)::int from article_bookmark where user_id = ${leaver.id}) as own_bookmarks,
      (select count(*)::int from article_recommendation where user_id = ${leaver.id}) as recommended
    from article a where id = ${three.id}`.execute(gateway.database.sql);
  expect(rows).toEqual([
    {
      like_count: 1,
      bookmark_count: 1,
      comment_count: 2,
      likes: 1,
      bookmarks: 1,
      own_likes: 0,
      own_bookmarks: 0,
      recommended: 0,
    },
  ]);
});
