import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { compactArticleTallies } from '../../src/health/articles/article-tallies.ts';
import { testGateway } from '../harness/gateway.ts';

const start = '2026-03-15T12:00:00Z';
const gateway = await testGateway({ data: 'empty', now: start });
const db = gateway.database.sql;

const lists = [
  '',
  'source=who',
  'categories__slug=heart',
  'source=who&categories__slug=heart',
  'categories__slug=none',
];

/** The published counts of all lists. */
const counts = async (): Promise<number[]> => {
  const found: number[] = [];
  for (const query of lists) found.push((await gateway.request(`/api/v1/articles/?page_size=1&${query}`)).json.count);
  return found;
};

/** The same, counted one by one. */
const counted = async (): Promise<number[]> => {
  const { rows } = await sql<{ counts: number[] }>`
    select array[count(*), count(*) filter (where source = 'who'), count(*) filter (where heart),
      count(*) filter (where source = 'who' and heart), 0]::int[] as counts
    from (select source, id in (select article_id from article_category ac join category c on c.id = ac.category_id
        where c.slug = 'heart') as heart
      from article where withdrawn_at is null and published_at <= ${gateway.clock.now.toISOString()}) visible`.execute(
    db,
  );
  return rows[0]?.counts ?? [];
};

/** Inserts articles that are published one after the other, some hours apart; every third has the category. */
async function insert(count: number, from: string, hours = 1): Promise<void> {
  await sql`
    with stored as (
      insert into article (headline, source, body_markdown, body, read_time_minutes, published_at, updated_at)
      select 'A ' || n, case n % 2 when 0 then 'who' else 'other' end, 'b', 'b', 1,
        ${from}::timestamptz + n * ${hours} * interval '1 hour', '2026-01-01'
      from generate_series(0, ${count - 1}) n returning id)
    insert into article_category (article_id, category_id) select id, (select id from category where slug = 'heart')
    from stored where id % 3 = 0`.execute(db);
}

beforeEach(async () => {
  gateway.clock.now = new Date(start);
  await sql`delete from article`.execute(db);
  await sql`insert into category (slug, name) values ('heart', 'Heart') on conflict do nothing`.execute(db);
});

describe('counts are exact', () => {
  test('for every list, and when the clock reaches the time of publication, month by month', async () => {
    await insert(60, '2025-12-30T00:00:00Z', 48);
    const seen = new Set<number>();
    for (const now of [
      '2025-12-31T23:59:59Z',
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00Z',
      '2026-03-15T12:00:00Z',
      '2026-03-31T23:59:59Z',
      '2027-01-01T00:00:00Z',
    ]) {
      gateway.clock.now = new Date(now);
      expect(await counts()).toEqual(await counted());
      seen.add((await counts())[0] ?? 0);
    }
    expect(seen.size).toBeGreaterThan(3);
  });

  test('after changes of publisher, time and category, withdrawals, returns and deletions', async () => {
    await insert(30, '2026-01-20T00:00:00Z', 36);
    for (const change of [
      sql`update article set source = 'who' where id % 5 = 0`,
      sql`update article set withdrawn_at = now() where id % 4 = 0`,
      sql`update article set published_at = published_at - interval '40 days', source = 'nhs' where id % 3 = 0`,
      sql`update article set like_count = like_count + 1`,
      sql`insert into article_category (article_id, category_id) select id, (select id from category where slug = 'heart')
        from article where id % 7 = 0 on conflict do nothing`,
      sql`delete from article_category where article_id % 2 = 0`,
      sql`update article set withdrawn_at = null where id % 8 = 0`,
      sql`delete from article where id % 6 = 0`,
    ]) {
      await change.execute(db);
      expect(await counts()).toEqual(await counted());
    }
    await inTransaction(gateway.database, compactArticleTallies);
    expect(await counts()).toEqual(await counted());
    const { rows } = await sql<{ repeated: number }>`select count(*)::int as repeated from (
      select from article_tally group by source, category_id, month having count(*) > 1 or sum(articles) = 0) r`.execute(
      db,
    );
    expect(rows).toEqual([{ repeated: 0 }]);
  });

  test('after a transaction that is rolled back', async () => {
    await insert(5, '2026-01-20T00:00:00Z');
    const before = await counts();
    await expect(
      inTransaction(gateway.database, async inner => {
        await sql`update article set withdrawn_at = now()`.execute(inner);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await counts()).toEqual(before);
  });

  test('under concurrent inserts, withdrawals and compactions, none of which waits for another', async () => {
    await insert(40, '2026-01-20T00:00:00Z', 24);
    await Promise.all([
      ...[1, 2, 3, 4].map(month => insert(10, `2026-0${month}-10T00:00:00Z`, 12)),
      ...[0, 1, 2].map(rest =>
        sql`update article set withdrawn_at = now() where id % 3 = ${rest} and id % 4 = 1`.execute(db),
      ),
      ...[1, 2, 3].map(() => inTransaction(gateway.database, compactArticleTallies)),
    ]);
    expect(await counts()).toEqual(await counted());
  });
});

describe('deep pages', () => {
  const idsOf = async (query: string): Promise<number[]> => {
    const { status, json } = await gateway.request(`/api/v1/articles/?${query}`);
    if (status !== 200) throw new Error(`The list is answered ${status}: ${JSON.stringify(json)}`);
    return json.results.map((one: { id: number }) => one.id);
  };

  test.each([
    ['-published_at', 'published_at desc, id desc'],
    ['published_at', 'published_at, id'],
    ['-headline', 'headline desc, id desc'],
    ['id', 'id'],
  ])('ordered by %s have the articles that all pages together have', async (ordering, order) => {
    await insert(2600, '2025-10-01T00:00:00Z');
    for (const [query, condition] of [
      ['', sql`true`],
      ['source=who', sql`source = 'who'`],
      ['categories__slug=heart', sql`id in (select article_id from article_category)`],
    ] as const) {
      const { rows } = await sql<{
        id: number;
      }>`select id from article where ${condition} order by ${sql.raw(order)}`.execute(db);
      for (const page of [1, 2, 51, 101, 102, 103, 112, 129, 130].filter(number => (number - 1) * 20 < rows.length)) {
        const expected = rows.slice((page - 1) * 20, page * 20).map(({ id }) => id);
        expect({ query, page, ids: await idsOf(`${query}&ordering=${ordering}&page=${page}`) }).toEqual({
          query,
          page,
          ids: expected,
        });
      }
      const beyond = await gateway.request(`/api/v1/articles/?${query}&ordering=${ordering}&page=100000`);
      expect(beyond).toMatchObject({ status: 404, json: { detail: 'Invalid page.' } });
    }
  });

  test('of GraphQL go on behind a cursor, also below a category', async () => {
    await insert(2600, '2025-10-01T00:00:00Z');
    const ask = async (after: string | null) => {
      const query = `query ($after: String) { articles(first: 100, after: $after) { nodes { databaseId } totalCount pageInfo { endCursor hasNextPage } }
        articleCategories { articles(first: 20, after: null) { totalCount } } }`;
      const { json } = await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { after } }),
      });
      expect(json.errors).toBeUndefined();
      return json.data;
    };
    const seen = new Set<number>();
    let after: string | null = null;
    for (let more = true; more; ) {
      const { articles, articleCategories } = await ask(after);
      expect([articles.totalCount, articleCategories[0].articles.totalCount]).toEqual([
        (await counted())[0],
        (await counted())[2],
      ]);
      for (const { databaseId } of articles.nodes) seen.add(databaseId);
      ({ endCursor: after, hasNextPage: more } = articles.pageInfo);
    }
    expect(seen.size).toBe(2600);
  });
});
