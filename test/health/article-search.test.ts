import { afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const db = gateway.database.sql;
const list = (search: string) =>
  gateway.request(`/api/v1/articles/?ordering=id&page_size=100&search=${encodeURIComponent(search)}`);
const found = async (search: string): Promise<string[]> => {
  const { status, json } = await list(search);
  expect({ search, status }).toEqual({ search, status: 200 });
  expect(json.count).toBe(json.results.length);
  return json.results.map((one: { headline: string }) => one.headline);
};

interface Text {
  headline: string;
  summary?: string;
  author?: string;
  body?: string;
  categories?: string[];
}

/** Inserts an article with its categories in one transaction, as an import does. */
async function article({ headline, summary = '', author = '', body = '', categories = [] }: Text): Promise<number> {
  return db.transaction().execute(async inner => {
    const { rows } = await sql<{ id: number }>`
      insert into article (headline, summary, author, source, body_markdown, body, read_time_minutes, published_at, updated_at)
      values (${headline}, ${summary}, ${author}, 'other', ${body}, '', 1, '2026-01-01', '2026-01-01') returning id`.execute(
      inner,
    );
    const id = rows[0]?.id ?? 0;
    for (const name of categories) {
      await sql`insert into category (slug, name) values (${name}, ${name}) on conflict do nothing`.execute(inner);
      await sql`insert into article_category select ${id}, id from category where slug = ${name}`.execute(inner);
    }
    return id;
  });
}

afterEach(async () => {
  await sql`delete from article`.execute(db);
  await sql`delete from category`.execute(db);
});

describe('a term matches', () => {
  test('in every published field, at the beginning, in the middle and at the end of a word, in any case', async () => {
    await article({ headline: 'Insomnia' });
    await article({ headline: 'B', summary: 'about insomniacs' });
    await article({ headline: 'C', author: 'Dr Insomnia' });
    await article({ headline: 'D', body: 'A **INSOMNIA**, [insomnia](x).' });
    await article({ headline: 'E', categories: ['Sleep and insomnia'] });
    await article({ headline: 'F', body: 'nothing' });
    for (const term of ['insomnia', 'INSOMNIA', 'insom', 'somni', 'nsomnia', 'mnia']) {
      expect(await found(term)).toEqual(['Insomnia', 'B', 'C', 'D', 'E']);
    }
    expect(await found('omniac')).toEqual(['B']);
    expect(await found('qqsomniqq')).toEqual([]);
  });

  test('with every other one, each in any field', async () => {
    await article({ headline: 'A', body: 'salt', categories: ['Heart'] });
    await article({ headline: 'B', body: 'salt' });
    expect(await found('salt')).toEqual(['A', 'B']);
    expect(await found('salt,HEART')).toEqual(['A']);
    expect(await found('heart,salt,sugar')).toEqual([]);
    expect(await found('"heart" salt sugar')).toEqual([]);
  });

  test('with or without accents, and whatever stands around it', async () => {
    await article({ headline: 'Ménière’s disease', body: 'CAFÉ (COVID-19); self-care — “hydration”' });
    for (const term of [
      'meniere',
      'Ménière',
      'cafe',
      'café',
      'covid-19',
      'covid',
      'self-care',
      '"self care"',
      'hydration',
    ]) {
      expect({ term, found: await found(term) }).toEqual({ term, found: ['Ménière’s disease'] });
    }
    expect(await found('covid-20')).toEqual([]);
  });

  test('in a word too long to be one', async () => {
    await article({ headline: 'A', body: `${'x'.repeat(50_000)} ${'Ж'.repeat(5_000)} tail` });
    expect(await found('tail')).toEqual(['A']);
    expect(await found('x'.repeat(400))).toEqual(['A']);
  });
});

describe('a quoted phrase', () => {
  test('matches adjacent words in order within one field', async () => {
    await article({ headline: 'A', body: 'high blood pressure' });
    await article({ headline: 'B', body: 'pressure of blood' });
    await article({ headline: 'C', summary: 'blood', body: 'pressure' });
    await article({ headline: 'D', body: 'lifeblood, pressures' });
    await article({ headline: 'E', categories: ['Blood pressure'] });
    expect(await found('blood pressure')).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(await found('"blood pressure"')).toEqual(['A', 'D', 'E']);
    expect(await found("'high blood'")).toEqual(['A']);
    expect(await found('"blood pressure" high')).toEqual(['A']);
    expect(await found('"pressure blood"')).toEqual([]);
  });

  test('may hold stop words and short words, and begin and end with them', async () => {
    await article({ headline: 'A', body: 'out of breath at night' });
    await article({ headline: 'B', body: 'breath out of night at' });
    expect(await found('"out of breath"')).toEqual(['A']);
    expect(await found('"breath at"')).toEqual(['A']);
    expect(await found('"f breath a"')).toEqual(['A']);
    expect(await found('"of night"')).toEqual(['B']);
  });
});

describe('stop words and short terms', () => {
  test('are ignored next to others, whatever their number', async () => {
    await article({ headline: 'Insomnia' });
    for (const search of [
      'insomnia of the',
      'THE,insomnia',
      'insomnia zz q',
      '"of the" insomnia',
      'insomnia %',
      'it’s insomnia',
    ])
      expect({ search, found: await found(search) }).toEqual({ search, found: ['Insomnia'] });
    expect(await found(`${'the of and in to '.repeat(8)}insomnia`)).toEqual(['Insomnia']);
  });

  test.each(['the', 'the of and in to', 'a b c', 'zz', '"of the"', '%', '_ -', "'s"])(
    '%s alone finds nothing',
    async search => {
      await article({ headline: 'The zz of 100% a_b: it’s' });
      expect((await list(search)).json).toEqual({ count: 0, next: null, previous: null, results: [] });
    },
  );

  test.each(['', ' ', ',', '""', ' , "" '])('«%s» is no search', async search => {
    await article({ headline: 'A' });
    expect(await found(search)).toEqual(['A']);
  });
});

describe('excessive searches are 400', () => {
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}x`).join(' ');

  test('more than 20 terms, also of stop words only', async () => {
    const problem = { status: 400, json: { search: ['Ensure this search has at most 20 terms.'] } };
    expect((await list(words(20))).status).toBe(200);
    expect(await list(words(21))).toMatchObject(problem);
    expect(await list(words(21).replaceAll(' ', ','))).toMatchObject(problem);
    expect(await list('the of and '.repeat(9))).toMatchObject(problem);
    // A term contained in another one is not a condition of its own.
    expect((await list('sleep SLEEP lee '.repeat(10))).status).toBe(200);
  });

  test('except a blank search of any length', async () => {
    const all = (await list('')).json.count;
    for (const blank of [' '.repeat(1000), ' ,\t'.repeat(300), '\u3000'.repeat(300)]) {
      expect(await list(blank)).toMatchObject({ status: 200, json: { count: all } });
    }
    const { json } = await gateway.graphql('query ($s: String) { articles(search: $s) { totalCount } }', {
      s: ' '.repeat(10_000),
    });
    expect(json.data.articles.totalCount).toBe(all);
  });

  test('more than 500 characters, also in GraphQL', async () => {
    const problem = 'Ensure this search has at most 500 characters.';
    expect((await list('x'.repeat(500))).status).toBe(200);
    expect(await list('x'.repeat(501))).toMatchObject({ status: 400, json: { search: [problem] } });
    const { json } = await gateway.graphql('query ($s: String) { articles(search: $s) { nodes { id } totalCount } }', {
      s: 'the '.repeat(200),
    });
    expect(json.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('the index follows', () => {
  test('changes of texts, categories, category names, and deletions', async () => {
    const id = await article({ headline: 'Before', categories: ['Heart'] });
    await sql`update article set headline = 'After' where id = ${id}`.execute(db);
    expect(await found('before')).toEqual([]);
    expect(await found('after-all')).toEqual([]);
    expect(await found('heart')).toEqual(['After']);
    await sql`update category set name = 'Circulation'`.execute(db);
    expect(await found('heart')).toEqual([]);
    expect(await found('circulation')).toEqual(['After']);
    await sql`delete from article_category`.execute(db);
    expect(await found('circulation')).toEqual([]);
    await sql`delete from article where id = ${id}`.execute(db);
    const { rows } = await sql`select from article_text`.execute(db);
    expect(rows).toEqual([]);
  });

  test('two concurrent category changes', async () => {
    const id = await article({ headline: 'A' });
    await sql`insert into category (slug, name) values ('one', 'Category uno'), ('two', 'Category due')`.execute(db);
    const file = (slug: string) =>
      sql`insert into article_category select ${id}, id from category where slug = ${slug}`.execute(db);
    await Promise.all([file('one'), file('two')]);
    expect(await found('uno due')).toEqual(['A']);
  });

  test('not likes, which write nothing to it', async () => {
    const id = await article({ headline: 'Liked' });
    const version = async () =>
      (await sql`select xmin::text from article_text where article_id = ${id}`.execute(db)).rows;
    const before = await version();
    await sql`update article set like_count = like_count + 1, updated_at = now() where id = ${id}`.execute(db);
    expect(await version()).toEqual(before);
  });
});
