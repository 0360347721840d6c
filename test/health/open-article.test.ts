import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const stopping = await testGateway();
const [reader, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const articles: number[] = (await gateway.request('/api/v1/articles/?page_size=100&ordering=id')).json.results.map(
  (one: { id: number }) => one.id,
);
const open = (id: number, access?: string) => send(gateway, 'GET', `/articles/${id}/`, undefined, access);
const passSeconds = (seconds: number): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + seconds * 1000);
};

async function recommend(userId: number, articleId: number): Promise<void> {
  await sql`insert into article_recommendation (user_id, article_id, score, reason, status, created_at)
    values (${userId}, ${articleId}, 0.5, 'New this week', 'pending', '2026-11-01T00:00:00Z')`.execute(
    gateway.database.sql,
  );
}

async function statusOf(userId: number, articleId: number) {
  const { rows } = await sql<{ status: string; seen_at: string | null }>`
    select status, seen_at from article_recommendation where user_id = ${userId} and article_id = ${articleId}`.execute(
    gateway.database.sql,
  );
  return rows[0];
}

describe('a recommendation of the article', () => {
  test('is seen when its owner opens it, not when it is listed or another user opens it', async () => {
    const [id = 0] = articles;
    await recommend(reader.id, id);
    await send(gateway, 'GET', '/articles/?page_size=100', undefined, reader.access);
    await open(id);
    await open(id, other.access);
    expect(await statusOf(reader.id, id)).toEqual({ status: 'pending', seen_at: null });
    await open(id, reader.access);
    expect(await statusOf(reader.id, id)).toMatchObject({
      status: 'seen',
      seen_at: expect.stringMatching(/^2026-11-01 12/),
    });
  });

  test.each(['like', 'bookmark'] as const)('is seen by a %s', async mark => {
    const id = articles[mark === 'like' ? 1 : 2] ?? 0;
    await recommend(reader.id, id);
    await send(gateway, 'POST', `/articles/${id}/${mark}/`, undefined, reader.access);
    expect(await statusOf(reader.id, id)).toMatchObject({ status: 'seen' });
  });

  test('stays dismissed', async () => {
    const id = articles[3] ?? 0;
    await recommend(reader.id, id);
    await sql`update article_recommendation set status = 'dismissed' where article_id = ${id}`.execute(
      gateway.database.sql,
    );
    await open(id, reader.access);
    expect(await statusOf(reader.id, id)).toMatchObject({ status: 'dismissed' });
  });

  test('takes one statement besides session and article; none for anonymous callers', async () => {
    const id = articles[4] ?? 0;
    expect(await gateway.statements(() => open(id))).toHaveLength(2);
    expect(await gateway.statements(() => open(id, reader.access))).toHaveLength(4);
  });
});

test('the article is returned while the database is read-only, and the recommendation stays pending', async () => {
  const id = articles[5] ?? 0;
  await recommend(reader.id, id);
  await sql`create function refuse_writes() returns trigger language plpgsql as $$
    begin raise exception 'cannot execute UPDATE in a read-only transaction' using errcode = '25006'; end $$`.execute(
    gateway.database.sql,
  );
  for (const table of ['article_recommendation', 'article_view']) {
    await sql`create trigger refuse_writes before insert or update on ${sql.table(table)} execute function refuse_writes()`.execute(
      gateway.database.sql,
    );
  }
  try {
    passSeconds(6);
    for (let at = 0; at < 2; at++) expect(await open(id, reader.access)).toMatchObject({ status: 200, json: { id } });
  } finally {
    await sql`drop function refuse_writes cascade`.execute(gateway.database.sql);
  }
  expect(await statusOf(reader.id, id)).toMatchObject({ status: 'pending' });
});

describe('views', () => {
  const viewsOf = async (id: number, from = gateway): Promise<number> =>
    (await from.graphql('{ articles(first: 100) { nodes { databaseId viewCount } } }')).json.data.articles.nodes.find(
      (one: { databaseId: number }) => one.databaseId === id,
    ).viewCount;

  /** Opens another article after five seconds, which flushes the view buffer, and waits for the flush. */
  async function written(id: number, expected: number): Promise<void> {
    passSeconds(6);
    await open(articles.at(-1) ?? 0);
    const deadline = performance.now() + 10_000;
    let views = await viewsOf(id);
    while (views < expected && performance.now() < deadline) views = await viewsOf(id);
    expect(views).toBe(expected);
  }

  test('of all callers are counted together without updating the article row', async () => {
    const id = articles[10] ?? 0;
    const version = async () =>
      (await sql<{ xmin: string }>`select xmin from article where id = ${id}`.execute(gateway.database.sql)).rows[0]
        ?.xmin;
    const before = await version();
    const statements = await gateway.statements(async () => {
      await Promise.all(Array.from({ length: 30 }, (_, at) => open(id, at % 3 ? undefined : reader.access)));
    });
    expect(statements.filter(one => one.includes('article_view'))).toEqual([]);
    await written(id, 30);
    expect(await version()).toBe(before);
    await Promise.all(Array.from({ length: 3 }, () => open(id)));
    await written(id, 33);
  });

  test('are anonymous', async () => {
    const { rows } = await sql<{ column_name: string }>`select column_name from information_schema.columns
      where table_name = 'article_view' order by column_name`.execute(gateway.database.sql);
    expect(rows.map(row => row.column_name)).toEqual(['article_id', 'views']);
  });

  test('of an unknown article are not counted', async () => {
    passSeconds(6);
    expect((await gateway.request('/api/v1/articles/987654321/')).status).toBe(404);
    const { rows } = await sql`select from article_view where article_id = 987654321`.execute(gateway.database.sql);
    expect(rows).toHaveLength(0);
  });

  test('in the buffer are flushed at shutdown', async () => {
    const id = articles[11] ?? 0;
    for (let at = 0; at < 4; at++) await stopping.request(`/api/v1/articles/${id}/`);
    expect(await viewsOf(id, stopping)).toBe(0);
    await stopping.stop();
    const { rows } = await sql<{ views: number }>`select views from article_view where article_id = ${id}`.execute(
      stopping.database.sql,
    );
    expect(rows).toEqual([{ views: 4 }]);
  });
});
