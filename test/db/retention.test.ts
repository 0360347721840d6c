import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { healthEntities } from '../../schema/health/entities.ts';
import { hostingEntities } from '../../schema/hosting/entities.ts';
import { readConfig } from '../../src/config/config.ts';
import { tableRetentions } from '../../src/db/table-retention.ts';
import { retentionTask } from '../../src/server/retention-task.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const { database } = gateway;
const retentions = tableRetentions([...healthEntities, ...hostingEntities]);

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and (not c.relispartition or c.relname = 'event_default') order by 1`.execute(database.sql);
  return rows.map(({ name }) => name);
}

test('every table says how long its rows stay, and no table that does not exist does', async () => {
  expect(retentions.map(({ table }) => table)).toEqual(await tables());
  for (const { table, rows } of retentions)
    expect({ table, rows }).toEqual({ table, rows: expect.stringMatching(/^.{6,}$/) });
});

test('a table without a rule or a reason is found', async () => {
  const known = new Set(retentions.map(({ table }) => table));
  await sql`create table forgotten (id int)`.execute(database.sql);
  try {
    expect((await tables()).filter(table => !known.has(table))).toEqual(['forgotten']);
  } finally {
    await sql`drop table forgotten`.execute(database.sql);
  }
});

test('rows whose declared days have passed are deleted in batches, and no younger ones; a table that fails keeps no other from it', async () => {
  const now = gateway.clock.now;
  const expiring = retentions.flatMap(({ table, expired }) => (expired ? [{ table, ...expired }] : []));
  expect(expiring.map(({ table }) => table)).toEqual([
    'former_branch_name',
    'former_login',
    'former_repository_name',
    'moderation_event',
    'rule_suite',
  ]);
  await sql`insert into users (first_name, last_name, is_active, date_joined, last_seen_at) values ('Robin', 'Vale', true, ${now}, ${now})`.execute(
    database.sql,
  );
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 24 * 3_600_000);
  for (const days of [1096, 1094]) {
    await sql`insert into moderation_event (action, person_id, content, note, occurred_at)
      select 'warned', (select max(id) from users), '', '', ${daysAgo(days)} from generate_series(1, 700)`.execute(
      database.sql,
    );
  }
  const { work } = retentionTask({ database, clock: () => now, config: readConfig({}) });
  await sql`alter table former_login rename to former_login_away`.execute(database.sql);
  const attempt = { id: '', number: 1, queuedAt: now, isRepetition: false, signal: new AbortController().signal };
  await expect(work({} as never, attempt)).rejects.toThrow('former_login');
  await sql`alter table former_login_away rename to former_login`.execute(database.sql);
  const { rows } = await sql`select occurred_at as at, count(*)::int as rows from moderation_event group by 1`.execute(
    database.sql,
  );
  expect(rows).toEqual([{ at: expect.anything(), rows: 700 }]);
  await work({} as never, attempt);
  const shorter = retentionTask({
    database,
    clock: () => now,
    config: { ...readConfig({}), MODERATION_RETENTION_DAYS: 1000 },
  });
  await shorter.work({} as never, attempt);
  expect((await sql`select 1 from moderation_event`.execute(database.sql)).rows).toEqual([]);
});

test('a setting of a retention has the declared days as its default', () => {
  const config = readConfig({});
  const declared = retentions.flatMap(({ expired }) => (expired?.setting ? [[expired.setting, expired.days]] : []));
  expect(declared).toHaveLength(2);
  expect(Object.fromEntries(declared)).toEqual({
    MODERATION_RETENTION_DAYS: config.MODERATION_RETENTION_DAYS,
    RULE_SUITE_RETENTION_DAYS: config.RULE_SUITE_RETENTION_DAYS,
  });
});
