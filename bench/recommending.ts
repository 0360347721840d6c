import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../src/db/database.ts';
import { loadBuild } from './load-build.ts';
import { prepareWorld } from './world.ts';

const corpus = 20_000;
const people = 60;
/** Milliseconds of CPU of the database, median of all people. */
const bar = 60;

/** Conditions of generated people: each has three consecutive ones. */
const conditions = [
  'diabetes',
  'high blood pressure',
  'migraine',
  'asthma',
  'insomnia',
  'back pain',
  'eczema',
  'anxiety',
];

/**
 * Cost of computing recommendations for a person who has none: the product's functions without HTTP, one person after the other
 * on one connection, in a separate database with ten times the articles. Compared with the scoring statement alone. The bar is
 * on CPU time, which other load on the machine does not affect.
 */
export const recommending = {
  name: 'recommending',
  about: `a first batch of recommendations out of ${corpus} articles, for ${people} people with five interests each`,
  async measure(server: string): Promise<{ text: string; missed: string[] }> {
    const url = await emptyDatabase(server, 'recommending');
    await prepareWorld(url, corpus);
    const { openDatabase, inTransaction, ensureRecommendations, scoreArticles } = await loadBuild();
    const database = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 60_000 });
    const client = new pg.Client(url);
    await client.connect();
    try {
      const now = (): Date => new Date();
      const cpu = await cpuOf(database);
      const context = {
        now,
        read: database.read,
        transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
      };
      const scoring: Spent[] = [];
      const whole: Spent[] = [];
      for (const id of await strangers(client)) {
        scoring.push(await timed(cpu, () => scoreArticles(database.sql, { now }, id)));
        whole.push(await timed(cpu, () => ensureRecommendations(context, id)));
        const { rows } = await client.query('select from article_recommendation where user_id = $1', [id]);
        assert.ok(rows.length >= 5, `Only ${rows.length} articles were recommended to one person.`);
      }
      return report({ 'the whole transaction': whole, 'the scores alone': scoring });
    } finally {
      await client.end();
      await database.close();
    }
  },
};

async function emptyDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return server.replace(/[^/]*$/, name);
}

/** People with a profile, some likes and no recommendations. */
async function strangers(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `insert into users (email, is_verified, is_active, date_joined, last_seen_at, conditions, symptoms)
     select 'stranger-' || n || '@example.org', true, true, now(), now(),
       array(select ($2::text[])[1 + (n + k) % cardinality($2::text[])] from generate_series(0, 2) k), '{headache,fatigue}'
     from generate_series(1, $1::int) n returning id`,
    [people, conditions],
  );
  const ids = rows.map(({ id }) => Number(id));
  await client.query(
    'insert into article_like select id, 1 + (id * k * 37) % $2, now() from unnest($1::bigint[]) id, generate_series(1, 5) k on conflict do nothing',
    [ids, corpus],
  );
  return ids;
}

/** One call in milliseconds: elapsed time, and CPU time of the database process. */
interface Spent {
  clock: number;
  cpu: number;
}

/** CPU time of the connection's server process, in milliseconds; elapsed time if the system does not report it. */
async function cpuOf({ read }: Pick<Database, 'read'>): Promise<() => number> {
  const [found] = await read(sql<{ pid: number }>`select pg_backend_pid() as pid`);
  const file = `/proc/${found?.pid}/schedstat`;
  if (!existsSync(file)) return () => performance.now();
  return () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
}

async function timed(cpu: () => number, work: () => Promise<unknown>): Promise<Spent> {
  const [started, before] = [performance.now(), cpu()];
  await work();
  return { clock: performance.now() - started, cpu: cpu() - before };
}

function report(measured: Record<string, Spent[]>): { text: string; missed: string[] } {
  const at = (spent: Spent[] = [], figure: keyof Spent, share = 0.5): number =>
    spent.map(one => one[figure]).toSorted((a, b) => a - b)[Math.floor((spent.length - 1) * share)] ?? Number.NaN;
  const rows = Object.entries(measured).map(([label, spent]) => {
    const [cpu, slow, clock] = [at(spent, 'cpu'), at(spent, 'cpu', 0.95), at(spent, 'clock')].map(one =>
      one.toFixed(1),
    );
    return `  ${label.padEnd(22)} database CPU p50 ${cpu} ms, p95 ${slow} ms   on the clock p50 ${clock} ms`;
  });
  const middle = at(measured['the whole transaction'], 'cpu');
  const reached = middle <= bar;
  const line = `  database CPU ${middle.toFixed(1)} ms; the bar is ≤ ${bar} ms: ${reached ? 'reached' : 'MISSED'}`;
  return {
    text: [`\n${recommending.name}: ${recommending.about}\n`, ...rows, line].join('\n'),
    missed: reached ? [] : [`${recommending.name}: ${line.trim()}`],
  };
}
