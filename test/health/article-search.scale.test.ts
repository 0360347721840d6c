import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { scansOf } from '../harness/plan-scans.ts';

const articles = 3_000;
// Ten ids apart: 400 articles in a block of 4,000 ids, as in a database with 30,000.
const blocks = 8;
const maxFound = 1_000;
const gateway = await testGateway({ data: 'empty', settings: { STATEMENT_TIMEOUT_MS: '60000' } });
const list = (search: string, more = '') =>
  gateway.request(`/api/v1/articles/?search=${encodeURIComponent(search)}${more}`);

const stopWords = 'the of and to in is it that for on with as at by from this be are was or an but not if they'.split(
  ' ',
);
const common = 'doctor sleep blood pressure heart water walking night pain week people help salt food skin'.split(' ');

beforeAll(async () => {
  await sql`insert into category (slug, name) select 'category-' || n, 'Category ' || n from generate_series(1, 5) n`.execute(
    gateway.database.sql,
  );
  // Every frequent word is in nine of ten articles; texts are long enough to be stored out of line.
  await sql`
    with stored as (
      insert into article (id, headline, author, source, body_markdown, body, read_time_minutes, published_at, updated_at)
      select n * 10, 'Number ' || n, 'Author ' || n % 50, 'other', text, '', 1, timestamptz '2026-10-31' - n * interval '1 hour', '2026-10-31'
      from generate_series(1, ${articles}) n, lateral (
        select string_agg(word || ' ' || case (n + k) % 3 when 0 then 'of the' when 1 then 'and' else 'x' || n * k % 977 end, ' ') as text
        from generate_series(1, 12) k, unnest(${[...common, 'blood']}::text[]) with ordinality w (word, at)
        where (n + at) % 10 <> 0) body
      returning id)
    insert into article_category select id, 1 + (id / 10 % 5) from stored`.execute(gateway.database.sql);
  await sql`vacuum analyze article, article_text, article_category, category`.execute(gateway.database.sql);
}, 120_000);

/** Name, search, whether it finds articles, and the blocks that it may read at most. */
const searches: [name: string, search: string, some: boolean, maxBlocks: number][] = [
  ['one rare word', 'x976', true, blocks],
  ['one common word', 'doctor', true, 4],
  ['a fragment of every article', 'ber', true, 4],
  ['20 common words', [...common, 'number', 'author', 'category', 'dru', 'lee'].join(' '), false, blocks],
  [
    '20 fragments that most words have',
    'ing eep ood res ure art ter alk igh ain eek eop elp alt ood kin doc sle blo pre',
    false,
    blocks,
  ],
  ['a phrase of common words', '"blood pressure"', false, blocks],
  ['phrases', '"number 7" "author 7" "doctor and" doctor', false, blocks],
  ['many stop words and one word', `${stopWords.join(' ')} x976`, true, blocks],
];

describe(`among ${articles} articles, one index, from the newest block on, finds`, () => {
  test.each(searches)('%s', async (_, search, some, maxBlocks) => {
    let count = 0;
    const all = await gateway.sent(async () => {
      const { status, json } = await list(search);
      expect(status).toBe(200);
      count = json.count;
    });
    // Before it, the words are looked up among those of all articles, and their corrections.
    const sent = all.filter(({ text }) => !/from lexeme_df/.test(text));
    expect(all.length).toBeLessThanOrEqual(3);
    if (some) expect(count).toBeGreaterThan(0);
    expect(sent).toHaveLength(1);
    for (const one of sent) {
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
        const scans = await scansOf(gateway, one, mode);
        const lookUps = scans.filter(({ scan }) => scan === 'Bitmap Index Scan article_text_lexemes');
        // A second scan is in the statement for what has most of the terms. It runs only if no article has all.
        const done = lookUps.filter(({ loops }) => loops > 0);
        if (count > 0 && some) expect(done).toHaveLength(1);
        expect(lookUps.length).toBeLessThanOrEqual(2);
        expect({ mode, lookUps: done.map(({ loops }) => loops <= maxBlocks) }).toEqual({
          mode,
          lookUps: done.map(() => true),
        });
        expect(scans.filter(({ scan }) => /^Seq Scan article/.test(scan))).toEqual([]);
        // Twice what may be found, and one block: an article is looked up to see whether it is visible, and to be ordered.
        const read = scans.filter(({ rows }) => rows > Math.max(maxFound, count) + articles / blocks);
        if (maxBlocks < blocks) expect(read).toEqual([]);
      }
    }
  });

  test.each([
    ['25 stop words', stopWords.join(' ')],
    ['25 words of two letters', Array.from({ length: 25 }, (_, at) => `q${String.fromCharCode(97 + at)}`).join(' ')],
  ])('nothing is read for %s', async (_, search) => {
    const sent = await gateway.sent(async () => expect([200, 400]).toContain((await list(search)).status));
    for (const one of sent) expect(await scansOf(gateway, one, 'force_generic_plan')).toEqual([]);
  });
});

test('a count is exact up to the bound, alone and with other filters', async () => {
  const { rows } = await sql<{ doctor: number; filed: number; side: number }>`
    select count(*) filter (where body_markdown like '%doctor%')::int as doctor,
      count(*) filter (where body_markdown like '%doctor%' and id / 10 % 5 = 2)::int as filed,
      count(*) filter (where body_markdown like '%blood of the pressure%')::int as side
    from article`.execute(gateway.database.sql);
  expect(rows[0]?.doctor).toBeGreaterThan(maxFound);
  expect((await list('doctor')).json.count).toBe(maxFound);
  expect(rows[0]?.filed).toBeLessThan(maxFound);
  expect((await list('doctor', '&categories__slug=category-3&source=other')).json.count).toBe(rows[0]?.filed);
  expect((await list('doctor', '&categories__slug=nonsense')).json.count).toBe(0);
  expect((await list('doctor', '&source=who')).json.count).toBe(0);
  expect((await list('"blood of the pressure"')).json.count).toBe(rows[0]?.side);
  expect(rows[0]?.side).toBeGreaterThan(0);
});

test('a search that finds too much has the newest articles, and its pages end with them', async () => {
  const last = (await list('number', '&page=last&ordering=-published_at')).json;
  expect(last).toMatchObject({ count: maxFound, next: null });
  expect(last.results).toHaveLength(20);
  // The oldest by time: they are inserted from the newest publication on. With a bound by time, they would not be found.
  expect(last.results[0].id).toBe((articles - 19) * 10);
  expect((await list('number', '&page=51')).json).toEqual({ detail: 'Invalid page.', code: 'not_found' });
  const byId = (await list('number', '&ordering=-id&page_size=1')).json;
  expect(byId).toMatchObject({ count: maxFound, results: [{ id: articles * 10 }] });
});
