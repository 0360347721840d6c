import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { importEntry } from '../../src/health/articles/import-articles.ts';
import { categoriesOfTags } from '../../src/health/vocabulary/categories-of-tags.ts';
import { createAccounts, signIn, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
const headlines = async (search: string, more = ''): Promise<string[]> => {
  const { status, json } = await gateway.request(`/api/v1/articles/?search=${encodeURIComponent(search)}${more}`);
  expect({ search, status }).toEqual({ search, status: 200 });
  return json.results.map((one: { headline: string }) => one.headline);
};

test.each([
  ['a misspelling', 'blod presure', /blood pressure/i],
  ['another misspelling', 'migrane', /migraine/i],
  ['a plural', 'sprains', /sprain/i],
  ['another plural', 'nosebleed', /nosebleed/i],
  ['a stem', 'constipating', /constipated/i],
  ['another stem', 'diabetic', /diabetes/i],
  ['an abbreviation of two letters', 'high bp', /blood pressure/i],
  ['another abbreviation', 'OSA', /apnoea/i],
  ['a lay word', 'zits', /acne/i],
  ['another lay word', 'hypertension', /blood pressure/i],
  ['American spelling', 'anemia', /iron/i],
  ['another American spelling', 'sleep apnea', /apnoea/i],
  ['a question', 'what helps with insomnia?', /insomnia/i],
  ['another question', 'how do I know it is a stroke', /stroke/i],
  ['words of which no article has one', 'eczema and a zeppelin', /eczema/i],
  ['a slip that is a word', 'irritable bowl', /irritable bowel/i],
  ['a misspelling by sound', 'stroak signs', /stroke/i],
  ['a person whom no article names', 'snoring nephew', /snoring/i],
  ['a description in another order', 'eyes that itch in spring', /hay fever/i],
  ['a reading', '165/95', /blood pressure/i],
  ['a word that is part of others', 'flu', /flu\b/i],
  ['another word that is part of others', 'salt', /salt/i],
])('%s finds what is meant first: %s', async (_, search, expected) => {
  const [first] = await headlines(search);
  expect(first).toMatch(expected);
});

test.each([
  ['insomnia', /sleep|insomnia|night|apnoea|stay up/i],
  ['zits', /acne|skin/i],
])('another word for a term alone counts in headings and not in bodies: %s', async (search, expected) => {
  const found = await headlines(search, '&page_size=100');
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(6);
  expect(found.filter(headline => !expected.test(headline))).toEqual([]);
});

test('beside a term that the heading tells of, another word counts in the body, and what was written counts anywhere', async () => {
  expect((await headlines('headache pills'))[0]).toMatch(/headache|migraine/i);
  expect(await headlines('somni')).toEqual(expect.arrayContaining([expect.stringMatching(/insomnia/i)]));
  expect((await headlines('sleep', '&page_size=100')).length).toBeGreaterThan(20);
});

test('an ordering wins over relevance, and a quotation stays exact', async () => {
  const byHeadline = await headlines('sleep', '&ordering=headline&page_size=100');
  expect(byHeadline).toEqual(byHeadline.toSorted());
  expect(byHeadline).not.toEqual(await headlines('sleep', '&page_size=100'));
  expect(await headlines('"blod presure"')).toEqual([]);
  expect(await headlines('"heart atack"')).toEqual([]);
});

test('a list of terms needs all of them, words may have most', async () => {
  expect(await headlines('eczema,zeppelin')).toEqual([]);
  expect(await headlines('nosebleed,submarine')).toEqual([]);
  expect(await headlines('nosebleed submarine')).toEqual([]);
  expect((await headlines('nosebleed in a submarine')).length).toBeGreaterThan(0);
  for (const search of ['asthma xyzzy', 'gout diet', 'zzzzqqq', 'qwerty insomnia'])
    expect({ search, found: await headlines(search) }).toEqual({ search, found: [] });
});

test('pages of a search do not overlap', async () => {
  const first = await headlines('pain', '&page_size=5');
  const second = await headlines('pain', '&page_size=5&page=2');
  expect(first.filter(one => second.includes(one))).toEqual([]);
  expect([...first, ...second]).toEqual((await headlines('pain', '&page_size=10')).slice(0, 10));
});

test('the companion answers questions in other words, and says that it has no article on another subject', async () => {
  const [{ access }] = (await createAccounts(gateway, 1)) as [TestAccount];
  const ask = async (message: string): Promise<string | undefined> =>
    (await send(gateway, 'POST', '/chat/ai/', { message }, access)).json.sources[0]?.headline;
  expect(await ask('one side of my head throbs and the light hurts')).toMatch(/migraine/i);
  expect(await ask('I have a headache')).toMatch(/headache|migraine/i);
  expect(await ask('I cannot sleep at night')).toMatch(/sleep/i);
  for (const message of [
    'what foods bring on gout',
    'symptoms of appendicitis',
    'does endometriosis go away',
    'my cat has stopped eating',
    'can my boss sack me for being off sick with stress',
    'how many mg of ibuprofen for a headache',
  ])
    expect({ message, found: await ask(message) }).toEqual({ message, found: undefined });
});

test('imported articles are filed under the categories that their tags name', async () => {
  const entry = {
    headline: 'On nights',
    summary: '',
    imageUrl: null,
    author: '',
    link: 'https://nights.example.org/1',
    body: 'Text.',
    categories: [],
    tags: ['Insomnia', 'Hypertension', 'Travelling light'],
    publishedAt: '2026-01-01T00:00:00Z',
    updatedAt: null,
  } as never;
  expect(await importEntry(gateway.database.orm.em.fork(), entry, 'other', gateway.clock.now)).toBe('added');
  expect(await importEntry(gateway.database.orm.em.fork(), entry, 'other', gateway.clock.now)).toBe('unchanged');
  const { rows } = await sql<{
    slug: string;
  }>`select c.slug from article a join article_category f on f.article_id = a.id
    join category c on c.id = f.category_id where a.source_url = 'https://nights.example.org/1' order by 1`.execute(
    gateway.database.sql,
  );
  expect(rows.map(({ slug }) => slug)).toEqual(['heart', 'sleep']);
  await sql`delete from article where source_url = 'https://nights.example.org/1'`.execute(gateway.database.sql);
  const listed = [{ name: 'Skin' }, { name: 'Mental health' }, { name: 'Robots' }];
  expect(categoriesOfTags(listed, ['dermatology', 'panic attacks', 'weather'])).toEqual([listed[0], listed[1]]);
});

test('the five people of the demo are recommended different articles, for reasons of their own', async () => {
  const { rows } = await sql<{
    id: number;
  }>`select id from users where email like '%@example.org' order by id limit 5`.execute(gateway.database.sql);
  const lists: string[] = [];
  for (const { id } of rows) {
    const { access } = await signIn(gateway, id);
    const { json } = await send(gateway, 'GET', '/articles/recommended/?page_size=5', undefined, access);
    lists.push(json.results.map((one: { headline: string }) => one.headline).join());
    const reasons = json.results.map((one: { reason: string }) => one.reason);
    expect(reasons.filter((one: string) => one.startsWith('Because')).length).toBeGreaterThan(0);
  }
  expect(lists).toHaveLength(5);
  expect(new Set(lists).size).toBe(5);
});

test('fresh accounts have reasons of their ages, or a mix of categories', async () => {
  const [young, old, unknown] = (await createAccounts(gateway, [{}, {}, { date_of_birth: null }])) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  const reasons = async ({ access }: TestAccount, birth: string | null): Promise<Set<string>> => {
    if (birth) await send(gateway, 'PATCH', '/auth/me/', { date_of_birth: birth }, access);
    const { json } = await send(gateway, 'GET', '/articles/recommended/?page_size=100', undefined, access);
    return new Set(json.results.map((one: { reason: string }) => one.reason));
  };
  expect(await reasons(young, '2010-05-05')).toContain('For people in their teens');
  expect(await reasons(old, '1950-05-05')).toContain('For people from sixty on');
  const mixed = [...(await reasons(unknown, null))].filter(one => one.startsWith('To start with: '));
  expect(mixed.length).toBeGreaterThan(3);
});

test('pictures and sources of the demo are there', async () => {
  const { json } = await gateway.request('/api/v1/articles/?page_size=100');
  // The demo wrote them, and says so.
  expect(new Set(json.results.map((one: { source: string }) => one.source))).toEqual(new Set(['other']));
  for (const one of json.results) {
    expect(one.source_url).toMatch(/^https?:\/\//);
    const picture = await gateway.request(new URL(one.image_url).pathname);
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(picture.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    expect(picture.text).not.toMatch(/<script|<text|href|\bon\w+=/);
  }
  expect((await gateway.request('/pictures/..%2fx.svg')).status).toBe(404);
  expect((await gateway.request('/pictures/unheard-of.svg')).status).toBe(200);
});
