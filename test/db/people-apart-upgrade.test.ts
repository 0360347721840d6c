import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { testDatabase } from '../harness/gateway.ts';

// Hooks run in the order of their registration, so this one is before the one that drops the database.
let database: Database;
afterAll(() => database.close());
const url = await testDatabase('bare');

/** People of the version before, one of whom is visible to everybody with all conditions. */
beforeAll(async () => {
  database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  await database.orm.migrator.up({ to: '059-accentless-words' });
  const run = (statement: RawBuilder<unknown>) => statement.execute(database.sql);
  await run(sql`insert into users (id, first_name, date_of_birth, conditions, is_visible_in_community, share_profile_with_ai,
      is_active, date_joined, last_seen_at) overriding system value values
    (1, 'Adult', '1970-01-01', '{HIV}', true, true, true, now(), now()),
    (2, 'Minor', current_date - 3700, '{HIV}', true, false, true, now(), now()),
    (3, 'Unknown', null, '{HIV}', false, false, true, now(), now())`);
  await run(sql`insert into health_profile (user_id, terms, quiet) values (1, '{c:hiv}', '{}'), (2, '{c:hiv}', '{}')`);
  await run(sql`insert into peer_connection (asker_id, asked_id, status, match_reason, created_at, responded_at)
    values (1, 2, 'accepted', 'Hello', now(), now())`);
  expect(await migrate(database)).toEqual(expect.arrayContaining(['065-people-apart', '066-consents']));
}, 120_000);

const rows = async (statement: RawBuilder<unknown>): Promise<unknown[]> => (await statement.execute(database.sql)).rows;

describe('people of the version before', () => {
  test('have the age group of their date of birth, and keep their data', async () => {
    expect(
      await rows(
        sql`select first_name as name, age_group as "group", conditions, display_name as shown from users order by id`,
      ),
    ).toEqual([
      { name: 'Adult', group: 'adult', conditions: ['HIV'], shown: '' },
      { name: 'Minor', group: 'minor', conditions: ['HIV'], shown: '' },
      { name: 'Unknown', group: null, conditions: ['HIV'], shown: '' },
    ]);
    expect(await rows(sql`select status, match_reason from peer_connection`)).toEqual([
      { status: 'accepted', match_reason: 'Hello' },
    ]);
  });

  test('show no condition to anybody', async () => {
    expect(
      await rows(sql`select 1 from users where conditions_for_peers <> '{}' or conditions_for_suggestions <> '{}'`),
    ).toEqual([]);
    expect(await rows(sql`select 1 from health_profile where terms <> '{}' or quiet <> '{}'`)).toEqual([]);
  });

  test('have consented to what they have switched on, and to no message to a model', async () => {
    expect(
      await rows(
        sql`select user_id::int as id, purpose, text_version as version from consent where withdrawn_at is null order by purpose, user_id`,
      ),
    ).toEqual([
      { id: 1, purpose: 'community', version: 'before' },
      { id: 2, purpose: 'community', version: 'before' },
      { id: 1, purpose: 'profile_to_model', version: 'before' },
    ]);
  });

  test('of whom a gateway of the version before stores another date are held', async () => {
    await sql`update users set date_of_birth = '1980-01-01' where id = 2`.execute(database.sql);
    expect(await rows(sql`select age_group as "group" from users where id = 2`)).toEqual([{ group: 'minor' }]);
    expect(await rows(sql`select user_id::int as id from held_age`)).toEqual([{ id: 2 }]);
    await sql`update users set date_of_birth = current_date - 3700 where id = 2`.execute(database.sql);
    expect(await rows(sql`select user_id::int as id from held_age`)).toEqual([]);
  });
});
