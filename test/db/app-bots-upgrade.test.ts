import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { testDatabase } from '../harness/gateway.ts';

// Hooks run in the order of their registration, so this one is before the one that drops the database.
let database: Database;
afterAll(() => database.close());
const url = await testDatabase('bare');
const rows = async (statement: RawBuilder<unknown>): Promise<unknown[]> => (await statement.execute(database.sql)).rows;

/** Two apps of the version before. */
beforeAll(async () => {
  database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  await database.orm.migrator.up({ to: '048-service-signing-keys' });
  await rows(sql`insert into account (id, kind, login, created_at, updated_at) overriding system value
    values (100, 'user', 'ada', now(), now())`);
  await rows(sql`select setval(pg_get_serial_sequence('account', 'id'), 100)`);
  await rows(sql`insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, created_at, updated_at)
    select 100, slug, slug, slug, ''::bytea, 'https://app.example.org', '2026-01-01', now() from unnest(array['one', 'two']) slug`);
  expect(await migrate(database)).toEqual(expect.arrayContaining(['049-app-bots']));
}, 60_000);

test('an app of the version before gets a bot, created when the app was', async () => {
  const bots = sql`select app.slug, a.kind, a.login, a.id > 100 as "isNew", a.created_at::date::text as day
    from app join account a on a.id = app.bot_id order by app.id`;
  const bot = (slug: string) => ({ slug, kind: 'bot', login: `${slug}[bot]`, isNew: true, day: '2026-01-01' });
  expect(await rows(bots)).toEqual([bot('one'), bot('two')]);
});

test('apps and bots end together, whichever is deleted', async () => {
  const left = sql`select slug from app union all select login from account where kind = 'bot' order by 1`;
  await rows(sql`delete from app where slug = 'one'`);
  expect(await rows(left)).toEqual([{ slug: 'two' }, { slug: 'two[bot]' }]);
  await rows(sql`delete from account where login = 'ada'`);
  expect(await rows(left)).toEqual([]);
});
