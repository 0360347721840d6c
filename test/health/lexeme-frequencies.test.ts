import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { importArticles } from '../../src/health/articles/articles.commands.ts';
import { refreshLexemeFrequencies } from '../../src/health/articles/lexeme-frequencies.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();
const folder = mkdtempSync(join(tmpdir(), 'portico-lexemes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rows<Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> {
  return (await query.execute(gateway.database.sql)).rows;
}
const frequencyOf = async (lexeme: string) =>
  (
    await rows(sql<{ ndoc: number; articles: number }>`select ndoc, articles from lexeme_df where lexeme = ${lexeme}`)
  )[0];
const corpus = async () => (await rows(sql<{ count: number }>`select count(*)::int as count from article`))[0]?.count;

test('the demo data has word frequencies', async () => {
  const [counted] = await rows(sql<{ count: number }>`
    select count(*)::int as count from article where search_vector @@ 'diabet'::tsquery`);
  expect(counted?.count).toBeGreaterThan(2);
  expect(await frequencyOf('diabet')).toEqual({ ndoc: counted?.count, articles: 60 });
});

test('a word weighs most in the headline, then in the summary, then in the body', async () => {
  const [ranked] = await rows(sql<{ headline: number; summary: number; body: number }>`
    insert into article (headline, summary, source, body_markdown, body, read_time_minutes, published_at, updated_at)
    values ('zebra', 'okapi', 'other', 'gnu', '', 1, '2027-01-01', '2027-01-01')
    returning ts_rank(search_vector, 'zebra') as headline, ts_rank(search_vector, 'okapi') as summary,
      ts_rank(search_vector, 'gnu') as body`);
  await sql`delete from article where headline = 'zebra'`.execute(gateway.database.sql);
  expect(ranked?.headline).toBeGreaterThan(ranked?.summary ?? 1);
  expect(ranked?.summary).toBeGreaterThan(ranked?.body ?? 1);
  expect(ranked?.body).toBeGreaterThan(0);
});

test('an import with changes refreshes the frequencies without blocking readers', async () => {
  expect(await frequencyOf('zyzzyva')).toBeUndefined();
  const before = await corpus();
  writeFileSync(
    join(folder, 'feed.json'),
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Weevils',
      items: [
        {
          id: '1',
          url: 'https://weevils.example.org/1',
          title: 'Living with a zyzzyva',
          content_text: 'A zyzzyva is a weevil. It does no harm to people, and little to palms.',
          date_published: '2026-05-01T00:00:00Z',
        },
      ],
    }),
  );
  const lines: string[] = [];
  const around = {
    em: gateway.database.orm.em.fork(),
    now: gateway.clock.now,
    write: (line: string) => void lines.push(line),
    progress: () => {},
  };
  expect(await importArticles(folder, 'other', around)).toMatchObject({ added: 1 });
  expect(await frequencyOf('zyzzyva')).toEqual({ ndoc: 1, articles: (before ?? 0) + 1 });
  const statements = await gateway.statements(() => importArticles(folder, 'other', around));
  expect(statements.filter(one => /refresh/i.test(one))).toEqual([]);
});

test('concurrent refreshes are serialized', async () => {
  const refresh = () => inTransaction(gateway.database, refreshLexemeFrequencies);
  await Promise.all([refresh(), refresh(), refresh()]);
  expect((await frequencyOf('diabet'))?.ndoc).toBeGreaterThan(2);
});

test('a very long article is stored', async () => {
  const long = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join(' ');
  await sql`insert into article (headline, source, body_markdown, body, read_time_minutes, published_at, updated_at)
    values ('Long', 'other', ${long}, '', 1, '2027-01-01', '2027-01-01')`.execute(gateway.database.sql);
  const [found] = await rows(sql<{ found: boolean }>`
    select search_vector @@ 'word42'::tsquery as found from article where headline = 'Long'`);
  expect(found).toEqual({ found: true });
});
