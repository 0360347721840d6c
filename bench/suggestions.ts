import assert from 'node:assert/strict';
import pg from 'pg';
import { loadBuild } from './load-build.ts';
import { statementTimes } from './statement-times.ts';

const profiles = 100_000;

/** The score alone, without checks of accounts and without names and shared details. */
const bare = `
  with me as (select terms from health_profile where user_id = $1),
    w as (select t, ln(1 + $3::float / df) idf from me cross join unnest(me.terms) t join term_df on term = t),
    rare as (select array_agg(t) ts from (select t from w order by idf desc limit 3) x),
    cand as (select h.user_id, h.terms from health_profile h, rare where h.terms && rare.ts and h.user_id <> $1 limit 5000),
    sc as (select c.user_id, sum(w.idf) inter, array_agg(w.t order by w.idf desc) shared
      from cand c cross join lateral unnest(c.terms) x(t) join w on w.t = x.t group by 1)
  select s.user_id, round(100 * inter / (select sum(idf) from w))::int score, shared from sc s
  join users u on u.id = s.user_id and u.is_active and u.is_visible_in_community
  order by score desc, user_id limit $2`;

/** Suggestions of the product and the hand-written statement, for people with few and with many terms in common. */
export const suggestions = {
  name: 'suggestions',
  about: `20 suggestions out of ${profiles.toLocaleString('en')} profiles with 3 to 8 terms`,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const { openDatabase, peerSuggestions, countTermFrequencies, inTransaction } = await loadBuild();
    const client = new pg.Client(url);
    const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
    await client.connect();
    try {
      const ids = await plant(client);
      await inTransaction(database, countTermFrequencies);
      await client.query('vacuum analyze users, health_profile, term_df');
      let turn = 0;
      const next = (): number => ids[turn++ % ids.length] ?? 0;
      const ask = async (): Promise<void> => {
        const actor = { kind: 'person', ip: '', userId: next(), sessionId: '', isGuest: false } as const;
        const around = { actor, origin: 'http://127.0.0.1', read: database.read, now: () => new Date() };
        assert.equal((await peerSuggestions(around, 20)).length, 20);
      };
      const alone = async (): Promise<void> => {
        const { rows } = await client.query({ name: 'bare', text: bare, values: [next(), 20, profiles] });
        assert.equal(rows.length, 20);
      };
      return await statementTimes(
        this,
        [
          { label: 'portico', ask },
          { label: 'the statement alone, by hand', ask: alone },
        ],
        { of: 'portico', max: 60 },
      );
    } finally {
      await database.close();
      await client.end();
    }
  },
};

/** People whose terms have the frequency of words: the first of 2,000 is in half of the profiles, most are rare. */
async function plant(client: pg.Client): Promise<number[]> {
  await client.query(
    `insert into users (first_name, last_name, is_active, is_verified, is_visible_in_community, date_of_birth,
       date_joined, last_seen_at)
     select 'Bench', n::text, true, true, true, date '1940-01-01' + (n % 25000), now(), now() from generate_series(1, $1) n`,
    [profiles],
  );
  await client.query(`
    insert into health_profile (user_id, terms)
    select u.id, array(
      select distinct (case when random() < 0.5 then 's:' else 'c:' end)
        || 'term ' || floor(exp(random() * ln(2000)) + u.id * 0)::int
      from generate_series(1, 3 + (u.id % 6)::int))
    from users u where u.first_name = 'Bench'`);
  const { rows } = await client.query<{ id: number }>(
    `select id::int from users where first_name = 'Bench' order by id limit 15`,
  );
  return rows.map(row => row.id);
}
