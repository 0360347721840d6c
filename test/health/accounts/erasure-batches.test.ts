import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { runInBatches, type Transact } from '../../../src/db/row-batches.ts';
import { eraseDueAccounts, purgeStale } from '../../../src/health/accounts/erase-accounts.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const { database } = gateway;
const now = gateway.clock.now;
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 24 * 3_600_000);

/** The transactions of a run: how many rows each has deleted or updated. */
let sizes: number[];
const countedTransaction: Transact = work =>
  inTransaction(database, async db => {
    const changed = sql<{
      rows: number;
    }>`select sum(pg_stat_get_xact_tuples_deleted(oid) + pg_stat_get_xact_tuples_updated(oid))::int as rows
      from pg_class where relname in ('companion_message', 'peer_connection', 'users')`;
    const before = (await changed.execute(db)).rows[0]?.rows ?? 0;
    const result = await work(db);
    sizes.push(((await changed.execute(db)).rows[0]?.rows ?? 0) - before);
    return result;
  });
const erase = (signal?: AbortSignal) =>
  eraseDueAccounts(
    { read: database.read, transaction: countedTransaction },
    { now, afterDays: 30, ...(signal ? { signal } : {}) },
  );

beforeEach(async () => {
  sizes = [];
  await sql`drop trigger if exists refuse_erasure on users`.execute(database.sql);
  await sql`truncate users cascade`.execute(database.sql);
});

async function people(count: number, set: ReturnType<typeof sql> = sql``): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into users (email, first_name, last_name, is_active, date_joined, last_seen_at)
    select 'p' || n || random() || '@example.org', 'Robin', 'Vale', true, ${now}, ${now} from generate_series(1, ${count}) n returning id`.execute(
    database.sql,
  );
  const ids = rows.map(({ id }) => id);
  if (set) await sql`update users set ${set} where id = any(${ids}::bigint[])`.execute(database.sql);
  return ids;
}

const deleted = sql`deleted_at = ${daysAgo(40)}`;
const messages = (userId: number, count: number) =>
  sql`insert into companion_message (user_id, role, content, safety, created_at)
    select ${userId}, 'user', 'text ' || n, 'none', ${now} from generate_series(1, ${count}) n`.execute(database.sql);
const unerased = async (): Promise<number[]> =>
  (await sql<{ id: number }>`select id from users where erased_at is null order by id`.execute(database.sql)).rows.map(
    ({ id }) => id,
  );
const countOf = async (table: string): Promise<number> =>
  (await sql<{ rows: number }>`select count(*)::int as rows from ${sql.table(table)}`.execute(database.sql)).rows[0]
    ?.rows ?? 0;

test('an account with many rows is erased in short transactions', async () => {
  const [id = 0] = await people(1, deleted);
  await messages(id, 20_000);
  await erase();
  expect(await unerased()).toEqual([]);
  expect(await countOf('companion_message')).toBe(0);
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5_000);
});

test('an erasure that is interrupted has done a part, and goes on with the next run', async () => {
  const [id = 0] = await people(1, deleted);
  await messages(id, 20_000);
  const stop = new AbortController();
  const stopAfterTwo: Transact = async work => {
    const result = await countedTransaction(work);
    if (sizes.length === 2) stop.abort(new Error('stopped'));
    return result;
  };
  await expect(
    eraseDueAccounts({ read: database.read, transaction: stopAfterTwo }, { now, afterDays: 30, signal: stop.signal }),
  ).rejects.toThrow('stopped');
  const left = await countOf('companion_message');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(20_000);
  expect(await unerased()).toEqual([id]);
  await erase();
  expect(await countOf('companion_message')).toBe(0);
  expect(await unerased()).toEqual([]);
});

test('an account that cannot be erased keeps no other one from it, and the run fails', async () => {
  const ids = await people(30, deleted);
  const bad = ids[7] ?? 0;
  await sql
    .raw(
      `create or replace function refuse_erasure() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse_erasure before update on users for each row when (new.id = ${bad} and new.erased_at is not null) execute function refuse_erasure()`,
    )
    .execute(database.sql);
  await expect(erase()).rejects.toThrow('refused');
  expect(await unerased()).toEqual([bad]);
});

test('4,000 idle guests with 40,000 connections are deleted in short transactions', async () => {
  await people(4_000, sql`is_guest = true, email = null, last_seen_at = ${daysAgo(31)}`);
  await sql`insert into peer_connection (asker_id, asked_id, status, created_at)
    select u.id, u.id + step, 'pending', ${now} from users u cross join generate_series(1, 10) step
    where u.id + step <= (select max(id) from users)`.execute(database.sql);
  expect(await countOf('peer_connection')).toBeGreaterThan(39_000);
  await runInBatches(countedTransaction, async (db, limit) => (await purgeStale(db, now, limit)).rows);
  expect(await countOf('users')).toBe(0);
  expect(await countOf('peer_connection')).toBe(0);
  expect(sizes.length).toBeGreaterThan(2);
});
