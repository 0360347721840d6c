import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction } from '../../../src/db/database.ts';
import { refreshLexemeFrequencies } from '../../../src/health/articles/lexeme-frequencies.ts';
import type { Passage } from '../../../src/health/companion/engine.ts';
import { findPassages } from '../../../src/health/companion/retrieval/find-passages.ts';
import { testGateway } from '../../harness/gateway.ts';
import { scansOf } from '../../harness/plan-scans.ts';

// Their index takes some 6 ms each.
const articles = 10_000;
let client: pg.Client | undefined;
// Hooks run in the order of their definition; the next one drops the database.
afterAll(() => client?.end());
const gateway = await testGateway({ data: 'empty', settings: { STATEMENT_TIMEOUT_MS: '60000' } });
const context = { read: gateway.database.read, now: () => gateway.clock.now, origin: 'http://here.test' };

const common =
  'blood sugar night sleep pain heart doctor water walk food salt stress lower pressure fever cough skin knee child diet'.split(
    ' ',
  );

/**
 * 120 words in six paragraphs: from 400 words of decreasing frequency, the first in thousands of articles, and from
 * 8,000 rare words.
 */
function bodyOf(article: number): string {
  let state = article * 2_654_435_761;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const word = (): string => {
    if (draw(3) === 0) return `term${draw(8_000)}`;
    const rank = Math.floor(400 * (draw(1_000_000) / 1_000_000) ** 1.1);
    return common[rank] ?? `word${rank}`;
  };
  const paragraph = (): string => `This tells of ${Array.from({ length: 20 }, word).join(' and ')}.`;
  return Array.from({ length: 6 }, paragraph).join('\n\n');
}

beforeAll(async () => {
  client = new pg.Client(gateway.databaseUrl);
  await client.connect();
  // Rows first, then indexes: several times faster.
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename in ('article', 'article_text')
      and indexname not in (select conname from pg_constraint)`,
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  const numbers = Array.from({ length: articles }, (_, n) => n + 1);
  await client.query(
    `insert into article (headline, summary, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    select 'About ' || ($3::text[])[1 + n % 20] || ' and ' || ($3::text[])[1 + (n / 20) % 20] || ', part ' || n, 'What to know.',
      'other', text, '', '{}', 2, timestamptz '2026-10-31' - n * interval '1 minute', timestamptz '2026-10-31'
    from unnest($1::int[], $2::text[]) as made (n, text)`,
    [numbers, numbers.map(bodyOf), common],
  );
  await client.query(`
    insert into article (headline, summary, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    values ('Why blood sugar rises at night', 'How to lower it.', 'other',
      E'Sugar in the blood can rise at night, and a lighter dinner lowers it in many people who tried one.\n\nNothing else is told in this paragraph, which is about something different altogether.',
      '', '{}', 2, '2026-01-01', '2026-01-01')`);
  // Building the other indexes takes a minute, and this test does not use them.
  const used = indexes.filter(({ indexdef }) => /article_lexemes/.test(indexdef));
  for (const { indexdef } of used) await client.query(indexdef);
  await inTransaction(gateway.database, refreshLexemeFrequencies);
  await client.query('vacuum analyze article, lexeme_df');
}, 180_000);

test.each([
  ['How can I lower my blood sugar at night?', /^Why blood sugar rises at night$/],
  ['what about term4711 and term815', undefined],
  [
    'how does stress change sleep in children with a cough',
    /^About (?:stress|child|sleep|cough) and (?:stress|child|sleep|cough),/,
  ],
  [
    'blood sugar night sleep pain heart water walk food salt stress pressure fever cough skin knee child diet',
    undefined,
  ],
])('%s: three statements, from indexes', async (question, headline) => {
  let passages: Passage[] = [];
  const sent = await gateway.sent(async () => {
    passages = await findPassages(context, question);
  });
  if (headline) expect(passages[0]?.headline).toMatch(headline);
  else expect(passages).toEqual([]);
  // Words, headings, and the paragraphs of what these found.
  expect(sent.length).toBe(question.includes('term') ? 2 : 3);
  for (const one of sent) {
    const scans = await scansOf(gateway, one, 'force_custom_plan');
    expect(scans.filter(({ scan }) => /^Seq Scan (?:article|lexeme_df)/.test(scan))).toEqual([]);
  }
  const times: number[] = [];
  for (let run = 0; run < 9; run++) {
    const started = performance.now();
    await findPassages(context, question);
    times.push(performance.now() - started);
  }
  const [, , , , median = 0] = times.toSorted((a, b) => a - b);
  // Ten times the expected duration on a quiet machine.
  expect(median).toBeLessThan(500);
});
