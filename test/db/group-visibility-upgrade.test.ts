import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { testDatabase } from '../harness/gateway.ts';

const [named, discovered, community] = [1, 2, 3].map(n => `00000000-0000-4000-8000-00000000000${n}`);
const created = '2026-01-01T00:00:00Z';
const later = '2026-01-02T00:00:00Z';

// Hooks run in the order of their registration, so this one is before the one that drops the database.
let database: Database;
afterAll(() => database.close());
const url = await testDatabase('bare');

/** Groups of the version before: everybody could find and join them, and read everything. */
beforeAll(async () => {
  database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  await database.orm.migrator.up({ to: '038-article-concepts' });
  const run = (statement: RawBuilder<unknown>) => statement.execute(database.sql);
  await run(sql`insert into users (id, first_name, date_joined, last_seen_at, deleted_at) overriding system value values
    (1, 'Ada', now(), now(), null), (2, 'Ben', now(), now(), null), (3, 'Cleo', now(), now(), null), (4, 'Gone', now(), now(), now())`);
  await run(sql`insert into community_group (id, name, slug, creator_id, member_count, created_at) overriding system value values
    (1, 'Walkers', 'walkers', 4, 3, ${created}), (2, 'Empty', 'empty', 4, 1, ${created})`);
  await run(sql`insert into community_membership (group_id, user_id, joined_at) values
    (1, 4, ${created}), (1, 2, ${later}), (1, 3, '2026-01-03'), (2, 4, ${created})`);
  await run(sql`insert into chat_group (id, name, creator_id, participant_count, community_id, created_at) values
    (${named}, 'Family', 4, 4, null, ${created}), (${discovered}, 'Everybody', 1, 2, null, ${created}),
    (${community}, 'Walkers', 4, 1, 1, ${created})`);
  await run(sql`insert into chat_membership (group_id, user_id, is_admin, joined_at, read_at) values
    (${named}, 4, true, ${created}, ${created}), (${named}, 1, false, ${created}, ${created}),
    (${named}, 2, false, ${created}, ${created}), (${named}, 3, false, ${later}, ${later}),
    (${discovered}, 1, true, ${created}, ${created}), (${discovered}, 2, false, ${later}, ${later}),
    (${community}, 4, true, ${created}, ${created})`);
  await run(sql`insert into chat_message (id, group_id, author_id, content, ordinal, sent_at)
    select gen_random_uuid(), g, 1, 'Message ' || n, n, timestamptz '2026-01-01T12:00:00Z' + (n - 1) * interval '8 hours'
    from unnest(array[${named}, ${discovered}]::uuid[]) g, generate_series(1, 4) n`);
  expect(await migrate(database)).toEqual(expect.arrayContaining(['039-group-visibility', '040-moderation']));
}, 60_000);

const rows = async (statement: RawBuilder<unknown>): Promise<unknown[]> => (await statement.execute(database.sql)).rows;

describe('groups of the version before', () => {
  test('a group with participants who were named is closed, one that others have found is open', async () => {
    expect(await rows(sql`select id, visibility, shares_history from chat_group order by id`)).toEqual([
      { id: named, visibility: 'closed', shares_history: false },
      { id: discovered, visibility: 'open', shares_history: true },
      { id: community, visibility: 'open', shares_history: true },
    ]);
  });

  test('who came later to a closed group reads what was written since; the others keep everything', async () => {
    expect(
      await rows(sql`select group_id, user_id::int, first_ordinal from chat_membership order by group_id, user_id`),
    ).toEqual([
      { group_id: named, user_id: 1, first_ordinal: 1 },
      { group_id: named, user_id: 2, first_ordinal: 1 },
      // Two messages were sent before the second of January.
      { group_id: named, user_id: 3, first_ordinal: 3 },
      { group_id: discovered, user_id: 1, first_ordinal: 1 },
      { group_id: discovered, user_id: 2, first_ordinal: 1 },
    ]);
  });

  test('deleted accounts have left, numbers are right, and the longest member owns what they owned', async () => {
    expect(await rows(sql`select id, participant_count, is_active from chat_group order by id`)).toEqual([
      { id: named, participant_count: 3, is_active: true },
      { id: discovered, participant_count: 2, is_active: true },
      { id: community, participant_count: 0, is_active: true },
    ]);
    expect(await rows(sql`select user_id::int from chat_membership where group_id = ${named} and is_admin`)).toEqual([
      { user_id: 1 },
    ]);
    expect(await rows(sql`select id::int, owner_id::int, member_count from community_group order by id`)).toEqual([
      { id: 1, owner_id: 2, member_count: 2 },
      { id: 2, owner_id: null, member_count: 0 },
    ]);
  });

  test('nobody is a moderator, and nobody is suspended', async () => {
    expect(await rows(sql`select 1 from users where is_moderator or suspended_until is not null`)).toEqual([]);
  });
});
