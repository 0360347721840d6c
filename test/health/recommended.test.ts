import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, signIn, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

interface Recommended {
  id: number;
  headline: string;
  categories: { id: number; slug: string }[];
  recommendation_id: number;
  score: number;
  reason: string;
  status: string;
  recommended_at: string;
}

// Enough connections for fifty concurrent requests on a busy machine.
const gateway = await testGateway({ settings: { DATABASE_POOL: '20' } });
const empty = await testGateway({ data: 'empty' });
const people = await createAccounts(gateway, 30);
const somebody = (): TestAccount => people.pop() as TestAccount;
const [article] = (await gateway.request('/api/v1/articles/?page_size=1')).json.results;

const feed = ({ access }: { access: string }, query = '') =>
  send(gateway, 'GET', `/articles/recommended/${query}`, undefined, access);
const items = async (person: TestAccount, query = '?page_size=100'): Promise<Recommended[]> =>
  (await feed(person, query)).json.results;
const dismiss = ({ access }: { access: string }, id: number | string) =>
  send(gateway, 'POST', `/articles/recommended/${id}/dismiss/`, undefined, access);
const profile = (person: TestAccount, fields: object) => send(gateway, 'PATCH', '/auth/me/', fields, person.access);
const open = (person: TestAccount, id: number) => send(gateway, 'GET', `/articles/${id}/`, undefined, person.access);

async function stored(person: TestAccount): Promise<number> {
  const { rows } = await sql<{ stored: number }>`
    select count(*)::int as stored from article_recommendation where user_id = ${person.id}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.stored ?? 0;
}

/** Leaves only so many of a user's recommendations pending. */
async function leave(person: TestAccount, count: number): Promise<void> {
  await sql`update article_recommendation set status = 'seen', seen_at = ${gateway.clock.now.toISOString()}
    where user_id = ${person.id} and status = 'pending' and id not in (
      select id from article_recommendation where user_id = ${person.id} and status = 'pending' order by id limit ${count})`.execute(
    gateway.database.sql,
  );
}

describe('the feed', () => {
  test('returns articles with their recommendation, best score first', async () => {
    const { status, json, headers } = await feed(somebody());
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json.count).toBeGreaterThanOrEqual(5);
    expect(json.count).toBeLessThanOrEqual(20);
    const [first] = json.results;
    expect(Object.keys(first)).toEqual([
      ...Object.keys(article),
      'recommendation_id',
      'score',
      'reason',
      'status',
      'recommended_at',
    ]);
    expect(first).toMatchObject({ status: 'pending', recommended_at: '2026-11-01T12:00:00.000000Z' });
    const scores = json.results.map((one: Recommended) => one.score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  });

  test('for an empty profile has popular and new articles, with that reason', async () => {
    const list = await items(somebody());
    const reasons = new Set(list.map(one => one.reason));
    expect([...reasons].filter(one => /because/i.test(one))).toEqual([]);
    // Liked by the demo people a month ago: popular, but not this week.
    expect(reasons).toContain('Popular with readers');
    expect(reasons).not.toContain('Popular this week');
  });

  test('has the reason «popular this week» for a like of this week', async () => {
    const [fan, newcomer] = [somebody(), somebody()];
    const { id } = (await items(newcomer)).find(one => one.reason === 'Popular with readers') as Recommended;
    const third = somebody();
    await send(gateway, 'POST', `/articles/${id}/like/`, undefined, fan.access);
    expect((await items(third)).find(one => one.id === id)?.reason).toBe('Popular this week');
    await send(gateway, 'POST', `/articles/${id}/like/`, undefined, fan.access);
  });

  test('has at most three per category in a batch, and no duplicates', async () => {
    const person = somebody();
    await profile(person, { conditions: ['diabetes', 'blood sugar'], has_diabetes: 'Y' });
    const list = await items(person);
    expect(list.length).toBeGreaterThanOrEqual(5);
    const filed = new Map<string, number>();
    for (const { slug } of list.flatMap(one => one.categories)) filed.set(slug, (filed.get(slug) ?? 0) + 1);
    expect(Math.max(...filed.values())).toBeLessThanOrEqual(3);
    expect(new Set(list.map(one => one.id)).size).toBe(list.length);
  });

  test('can be searched, ordered and paged like the list of articles', async () => {
    const person = somebody();
    const list = await items(person);
    const ids = async (query: string) => (await items(person, query)).map(one => one.id);
    expect(await ids('?ordering=score&page_size=100')).toEqual(list.map(one => one.id).toReversed());
    expect(await ids('?ordering=id&page_size=100')).toEqual(list.map(one => one.id).toSorted((a, b) => a - b));
    expect(await ids('?ordering=recommended_at&page_size=2&page=2')).toHaveLength(2);
    const [{ headline = '', id = 0 } = {}] = list;
    expect(await ids(`?search=${encodeURIComponent(`"${headline}"`)}`)).toEqual([id]);
    expect(await feed(person, '?page=99')).toMatchObject({ status: 404, json: { detail: 'Invalid page.' } });
  });

  test('handles an article of a hundred years ago', async () => {
    const { rows } = await sql<{ id: number }>`
      insert into article (headline, source, body_markdown, body, read_time_minutes, published_at, updated_at, like_count)
      values ('On humours', 'other', 'Bile.', '<p>Bile.</p>', 1, '1826-01-01', '1826-01-01', 1000) returning id`.execute(
      gateway.database.sql,
    );
    try {
      expect((await items(somebody())).map(one => one.headline)).toContain('On humours');
    } finally {
      await sql`delete from article where id = ${rows[0]?.id}`.execute(gateway.database.sql);
    }
  });

  test('is an empty page without articles', async () => {
    const [one] = (await createAccounts(empty, 1)) as [TestAccount];
    const { json } = await send(empty, 'GET', '/articles/recommended/', undefined, one.access);
    expect(json).toEqual({ count: 0, next: null, previous: null, results: [] });
  });
});

describe('reasons', () => {
  test.each([
    [{ conditions: ['Diabetes'] }, 'Because you track Diabetes', /diabet|blood sugar/i],
    [{ has_diabetes: 'Y' }, 'Because you track diabetes', /diabet|blood sugar/i],
    [{ has_hypertension: 'Y' }, 'Because you track high blood pressure', /blood pressure|hypertension/i],
    [{ is_smoker: 'Y' }, 'Because you track smoking', /smok/i],
    [{ symptoms: ['headaches'] }, 'Because you track headaches', /headache|migraine/i],
    [{ conditions: ["crohn's \\ ' disease", 'migraine'] }, 'Because you track migraine', /migraine/i],
  ])('%j: %s', async (fields, reason, about) => {
    const person = somebody();
    expect((await profile(person, fields)).status).toBe(200);
    const [first] = (await items(person)).filter(one => one.reason === reason) as [Recommended];
    expect(first).toBeDefined();
    const { tags } = (await send(gateway, 'GET', `/articles/${first.id}/`)).json;
    expect(`${first.headline} ${tags}`).toMatch(about);
    // It is the first one.
    expect((await items(person)).findIndex(one => one.reason === reason)).toBe(0);
  });

  test('a word of a phrase does not match the phrase', async () => {
    const person = somebody();
    await profile(person, { conditions: ['xyzzy pain'] });
    const reasons = (await items(person)).map(one => one.reason);
    expect(reasons.filter(one => one.startsWith('Because you track'))).toEqual([]);
  });

  test('the answers «no» and «do not know» have no terms', async () => {
    const person = somebody();
    await profile(person, { has_diabetes: 'N', has_hypertension: 'DK', is_smoker: null });
    expect((await items(person)).filter(one => one.reason.startsWith('Because'))).toEqual([]);
  });

  test('categories of liked and bookmarked articles count; the articles themselves are excluded', async () => {
    const person = somebody();
    const asleep = (await gateway.request('/api/v1/articles/?categories__slug=sleep&page_size=2')).json.results;
    await send(gateway, 'POST', `/articles/${asleep[0].id}/like/`, undefined, person.access);
    await send(gateway, 'POST', `/articles/${asleep[1].id}/bookmark/`, undefined, person.access);
    const list = await items(person);
    const reading = list.filter(one => one.reason === 'Because you read about Sleep');
    expect(reading.length).toBeGreaterThan(0);
    for (const one of reading) expect(one.categories.map(({ slug }) => slug)).toContain('sleep');
    expect(list.map(one => one.id)).not.toContain(asleep[0].id);
    expect(list.map(one => one.id)).not.toContain(asleep[1].id);
  });

  test('never reveals the health of another user', async () => {
    const [one, other] = [somebody(), somebody()];
    await profile(one, { conditions: ['asthma'] });
    // The other user likes the same articles and has an empty profile.
    const ids = (await items(one)).map(({ id }) => id);
    await send(gateway, 'POST', `/articles/${ids[0]}/like/`, undefined, other.access);
    expect((await items(other)).filter(({ reason }) => reason.startsWith('Because you track'))).toEqual([]);
  });
});

describe('more are created', () => {
  test('with four pending, not with five', async () => {
    const person = somebody();
    await items(person);
    await leave(person, 5);
    const before = await stored(person);
    expect((await feed(person)).json.count).toBe(5);
    expect(await stored(person)).toBe(before);
    await leave(person, 4);
    const { json } = await feed(person, '?page_size=100');
    expect(json.count).toBeGreaterThan(4);
    expect(await stored(person)).toBeGreaterThan(before);
  });

  test('without counting withdrawn articles', async () => {
    const person = somebody();
    const [first] = (await items(person)) as [Recommended];
    await leave(person, 5);
    const open = await items(person);
    const before = await stored(person);
    const id = open[0]?.id ?? 0;
    await sql`update article set withdrawn_at = '2026-01-01T00:00:00Z' where id = ${id}`.execute(gateway.database.sql);
    try {
      const list = await items(person);
      expect(list.map(one => one.id)).not.toContain(id);
      expect(await stored(person)).toBeGreaterThan(before);
      expect(first).toBeDefined();
    } finally {
      await sql`update article set withdrawn_at = null where id = ${id}`.execute(gateway.database.sql);
    }
  });

  test('once, by fifty concurrent first requests', async () => {
    const person = somebody();
    const answers = await Promise.all(Array.from({ length: 50 }, () => feed(person, '?page_size=100')));
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([200]));
    const [first] = answers;
    for (const one of answers) expect(one.json).toEqual(first?.json);
    expect(await stored(person)).toBe(first?.json.count);
  });

  test('until there are no new ones; then articles seen over sixty days ago are reopened', async () => {
    const person = somebody();
    const start = gateway.clock.now;
    try {
      // Opens everything, batch after batch.
      for (let batch = 0; batch < 40; batch++) {
        const list = await items(person);
        if (list.length === 0) break;
        await leave(person, 0);
      }
      expect(await items(person)).toEqual([]);
      const all = await stored(person);
      expect(all).toBe(60);
      const { rows } = await sql<{ id: number; article_id: number }>`
        select id, article_id from article_recommendation where user_id = ${person.id} order by score desc, id desc limit 2`.execute(
        gateway.database.sql,
      );
      const [dismissed, kept] = rows;
      await dismiss(person, dismissed?.id ?? 0);
      await send(gateway, 'POST', `/articles/${kept?.article_id}/bookmark/`, undefined, person.access);
      gateway.clock.now = new Date(start.getTime() + 59 * 24 * 3_600_000);
      expect(await items({ ...person, ...(await signIn(gateway, person.id)) })).toEqual([]);
      gateway.clock.now = new Date(start.getTime() + 61 * 24 * 3_600_000);
      const again = await items({ ...person, ...(await signIn(gateway, person.id)) });
      expect(again).toHaveLength(20);
      expect(new Set(again.map(one => one.reason))).toEqual(new Set(['Worth another look']));
      expect(again.map(one => one.recommendation_id)).not.toContain(dismissed?.id);
      expect(again.map(one => one.id)).not.toContain(kept?.article_id);
      expect(await stored(person)).toBe(all);
    } finally {
      gateway.clock.now = start;
    }
  });

  test('not while the database is read-only; existing ones are returned', async () => {
    const person = somebody();
    await sql`create function refuse_writes() returns trigger language plpgsql as $$
      begin raise exception 'cannot execute INSERT in a read-only transaction' using errcode = '25006'; end $$`.execute(
      gateway.database.sql,
    );
    await sql`create trigger refuse_writes before insert on article_recommendation execute function refuse_writes()`.execute(
      gateway.database.sql,
    );
    try {
      expect(await feed(person)).toMatchObject({ status: 200, json: { count: 0 } });
    } finally {
      await sql`drop function refuse_writes cascade`.execute(gateway.database.sql);
    }
    expect((await feed(person)).json.count).toBeGreaterThanOrEqual(5);
  });

  test('takes two statements besides the session when there are enough', async () => {
    const person = somebody();
    // The session; the count; the lock, the count again, the scores, the rows; the page with its total.
    expect(await gateway.statements(() => feed(person))).toHaveLength(7);
    expect(await gateway.statements(() => feed(person))).toHaveLength(3);
    expect(await gateway.statements(() => feed(person, '?page_size=100&search=a'))).toHaveLength(3);
  });
});

describe('dismissing', () => {
  test('is permanent and idempotent', async () => {
    const person = somebody();
    const [first] = (await items(person)) as [Recommended];
    for (let at = 0; at < 2; at++) {
      expect(await dismiss(person, first.recommendation_id)).toMatchObject({
        status: 201,
        json: { recommendation_id: first.recommendation_id, status: 'dismissed', detail: 'Recommendation dismissed.' },
      });
    }
    await open(person, first.id);
    await leave(person, 0);
    expect((await items(person)).map(one => one.id)).not.toContain(first.id);
  });

  test("of another user's or an unknown recommendation is 404", async () => {
    const [one, other] = [somebody(), somebody()];
    const [first] = (await items(one)) as [Recommended];
    for (const id of [first.recommendation_id, 987654321, 'x', '0', '-1', '1.5']) {
      expect(await dismiss(other, id)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    }
    expect((await items(one)).map(({ id }) => id)).toContain(first.id);
  });
});

describe('callers without access', () => {
  test('anonymous callers and guests', async () => {
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json;
    expect(await gateway.request('/api/v1/articles/recommended/')).toMatchObject({
      status: 401,
      json: { code: 'not_authenticated' },
    });
    expect(await feed(guest)).toMatchObject({ status: 403, json: { code: 'not_verified' } });
    expect(await dismiss(guest, 1)).toMatchObject({ status: 403, json: { code: 'not_verified' } });
    expect((await gateway.request('/api/v1/articles/recommended/1/dismiss/', { method: 'POST' })).status).toBe(401);
  });
});
