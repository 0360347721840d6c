import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { inTransaction } from '../../src/db/database.ts';
import { refreshLexemeFrequencies } from '../../src/health/articles/lexeme-frequencies.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';
import type { Sent } from '../harness/statements.ts';

const articles = 20_000;
const users = 100_000;
let client: pg.Client | undefined;
// Hooks run in the order of their definition; the next one drops the database.
afterAll(() => client?.end());
const gateway = await testGateway({ data: 'empty', settings: { STATEMENT_TIMEOUT_MS: '60000' } });
const big = [
  'article',
  'article_category',
  'article_like',
  'article_bookmark',
  'article_comment',
  'article_recommendation',
  'users',
  'lexeme_df',
];
let reader: TestAccount;
let newcomer: TestAccount;

const run = (statement: RawBuilder<unknown>) => statement.execute(gateway.database.sql);

/** A separate connection, so that statements of the test are not counted for the gateway. */
async function connected(): Promise<pg.Client> {
  if (client) return client;
  client = new pg.Client(gateway.databaseUrl);
  await client.connect();
  return client;
}

beforeAll(async () => {
  const client = await connected();
  // Rows first, then indexes: several times faster.
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = any($1) and indexname not in (select conname from pg_constraint)`,
    [big.filter(table => table !== 'lexeme_df')],
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  await client.query(`
    insert into category (slug, name) select 'category-' || n, 'Category ' || n from generate_series(1, 12) n;
    with words (list) as (select array['diabetes', 'sleep', 'migraine', 'asthma', 'pressure', 'walking', 'salt', 'sugar', 'pain', 'skin',
      'fever', 'stress', 'heart', 'knee', 'reflux', 'anxiety', 'thyroid', 'vaccine', 'hydration', 'posture'])
    insert into article (headline, summary, author, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at,
                         like_count, comment_count)
    select 'About ' || list[1 + n % 20] || ' and ' || list[1 + (n / 20) % 20] || ', part ' || n, 'What to know in brief.', 'Author ' || n % 50,
      'other', text, '<p>' || text || '</p>', array[list[1 + n % 20], 'tag' || n % 300], 1 + n % 9,
      timestamptz '2026-10-31' - n * interval '1 hour', timestamptz '2026-10-31', n % 97, 0
    from generate_series(1, ${articles}) n, words,
      lateral (select string_agg('term' || (n * k * 7919::bigint) % (k * 40) || ' ' || list[1 + (n * k) % 20], ' ') as text
        from generate_series(1, 30) k) body;
    insert into article_category select id, 1 + id % 12 from article union select id, 1 + (id * 7) % 12 from article;
    insert into users (email, first_name, is_verified, is_active, date_joined, last_seen_at, conditions, symptoms)
    select 'many-' || n || '@example.org', 'Many', true, true, '2026-01-01', '2026-01-01', array['condition ' || n % 90], array['fatigue']
    from generate_series(1, ${users}) n;
    insert into article_like select id, 1 + (id * 31) % ${articles}, '2026-10-30' from users;
    insert into article_bookmark select id, 1 + (id * 17) % ${articles}, '2026-10-30' from users;
    insert into article_comment (article_id, user_id, text, created_at) select 1 + (id * 13) % 2000, id, 'A remark of ' || id, '2026-10-30' from users;
    insert into article_recommendation (user_id, article_id, score, reason, status, created_at)
    select id, 1 + (id * 11) % ${articles}, 0.5, 'New this week', 'pending', '2026-10-30' from users;`);
  for (const { indexdef } of indexes) await client.query(indexdef);
  [reader, newcomer] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
  await run(sql`update users set conditions = '{diabetes,"high blood pressure",migraine}', symptoms = '{knee pain,stress}',
    has_diabetes = 'Y' where id in (${reader.id}, ${newcomer.id})`);
  await run(sql`insert into article_bookmark select ${reader.id}, id, timestamptz '2026-10-30' + id * interval '1 second'
    from article where id % 400 = 0`);
  await inTransaction(gateway.database, refreshLexemeFrequencies);
  await client.query('vacuum analyze');
  await send(gateway, 'GET', '/articles/recommended/', undefined, reader.access);
}, 300_000);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Subplan Name'?: string;
  Plans?: Plan[];
}

interface ExecutedPlan extends Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: ExecutedPlan[];
}

/** The most rows that a node of the executed statement visits, and the most loops of a subplan of its select list. */
async function workOf({ text, values }: Sent): Promise<{ rows: number; loops: number }> {
  const { rows: explained } = await (await connected()).query(`explain (analyze, format json) ${text}`, values);
  const most = { rows: 0, loops: 0 };
  const look = (plan: ExecutedPlan): void => {
    const visited = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
    most.rows = Math.max(most.rows, visited);
    if (plan['Subplan Name']?.startsWith('SubPlan')) most.loops = Math.max(most.loops, plan['Actual Loops']);
    for (const inner of plan.Plans ?? []) look(inner);
  };
  look(explained[0]['QUERY PLAN'][0].Plan);
  return most;
}

/** Large tables with a planned sequential scan, with the parameters of the statement. */
async function readWhole({ text, values }: Sent): Promise<string[]> {
  const { rows } = await (await connected()).query(`explain (format json) ${text}`, values);
  const found: string[] = [];
  const look = (plan: Plan): void => {
    const table = plan['Relation Name'] ?? '';
    if (plan['Node Type'] === 'Seq Scan' && big.includes(table)) found.push(table);
    for (const inner of plan.Plans ?? []) look(inner);
  };
  look(rows[0]['QUERY PLAN'][0].Plan);
  return found;
}

describe(`with ${articles} articles and ${users} people`, () => {
  test.each([
    // Path, and the expected statements besides that of the session.
    ['/articles/', 1],
    ['/articles/?page=500&page_size=20', 2],
    ['/articles/?ordering=-like_count,headline', 1],
    ['/articles/?categories__slug=category-3', 1],
    ['/articles/?search=%22part%204242%22', 1],
    ['/articles/?search=%22About%20reflux%22', 1],
    ['/articles/bookmarks/', 2],
    ['/articles/bookmarks/?page=2&ordering=bookmarked_at', 2],
    ['/articles/bookmarks/?ordering=-headline&search=diabetes', 2],
    ['/articles/recommended/', 2],
    ['/articles/recommended/?ordering=published_at&page_size=5', 2],
    ['/articles/777/comments/', 3],
    ['/articles/777/comments/?search=remark&ordering=-id', 3],
    ['/articles/777/', 3],
  ] as const)('GET %s takes %i statements, and none of them reads a whole table', async (path, budget) => {
    let results: unknown[] | undefined;
    const sent = await gateway.sent(async () => {
      const { status, json } = await send(gateway, 'GET', path, undefined, reader.access);
      expect(status).toBe(200);
      results = json.results ?? [json];
    });
    expect(results?.length).toBeGreaterThan(0);
    const own = sent.filter(one => !one.text.includes('left join session'));
    expect(own.map(one => one.text)).toHaveLength(budget);
    for (const one of own.filter(({ text }) => /^\s*select/.test(text))) {
      expect({ text: one.text, whole: await readWhole(one) }).toEqual({ text: one.text, whole: [] });
    }
  });

  // Articles of a month, the page, and what is skipped to the nearer end of a list.
  const [month, skipped] = [31 * 24, 1_000 + 100];
  test.each([
    ['/articles/?page=500', month + 20],
    ['/articles/?page=999', month + 20],
    ['/articles/?page=last', month + 20],
    ['/articles/?ordering=published_at&page=600', month + 20],
    ['/articles/?source=other&page=500', month + 20],
    ['/articles/?categories__slug=category-3&page=100', skipped],
    ['/articles/?categories__slug=category-3&page=last', skipped],
    ['/articles/?ordering=-like_count&page=990', skipped],
    ['/articles/?ordering=headline&page=last', skipped],
    ['/articles/?ordering=headline&page=500', articles / 2],
    ['/articles/?page=100000', month],
    ['/articles/777/', 40 * 20],
  ])('GET %s visits at most %i rows of any table, and the categories of one page', async (path, most) => {
    const sent = await gateway.sent(async () => {
      expect([200, 404]).toContain((await send(gateway, 'GET', path)).status);
    });
    for (const one of sent) {
      const { rows, loops } = await workOf(one);
      expect({ text: one.text, rows: rows <= most ? 0 : rows, loops: loops <= 20 ? 0 : loops }).toEqual({
        text: one.text,
        rows: 0,
        loops: 0,
      });
    }
  });

  test('creating recommendations does no sequential scan', async () => {
    const sent = await gateway.sent(async () => {
      const { json } = await send(gateway, 'GET', '/articles/recommended/?page_size=100', undefined, newcomer.access);
      expect(json.count).toBe(20);
      expect(json.results[0].reason).toMatch(/^Because you track /);
    });
    for (const one of sent.filter(({ text }) => /^\s*(select|with)/.test(text))) {
      expect({ text: one.text.slice(0, 80), whole: await readWhole(one) }).toEqual({
        text: one.text.slice(0, 80),
        whole: [],
      });
    }
  });
});
