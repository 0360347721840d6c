import { describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { inTransaction, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { refreshAllMatchingTerms } from '../../src/health/profiles/matching-terms.ts';
import { signIn } from '../harness/accounts.ts';
import { testDatabase, testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

/** The last migration of the release before people were kept apart. */
const before = '059-accentless-words';

const ages = { adult: '1970-01-01', minor: '2010-03-01', unknown: null };
/** Two people of each age whom others can find, and one whom they cannot. */
const people = Object.entries(ages).flatMap(([age, born]) =>
  [true, true, false].map((isListed, at) => ({ name: `${age}${at}${isListed ? '' : 'unlisted'}`, born, isListed })),
);
const statuses = ['accepted', 'pending', 'declined', 'blocked', null] as const;
/** Every pair has one of the relations, so that each occurs between each two ages. */
const pairs = people.flatMap((_, low) =>
  people
    .slice(low + 1)
    .map((__, at) => ({ low: low + 1, high: low + 2 + at, status: statuses[(low + at) % 5] ?? null })),
);

const at = '2026-01-01T00:00:00Z';
const group = '00000000-0000-4000-8000-000000000001';
const chatOf = ({ low, high }: { low: number; high: number }) => `00000000-0000-4000-8000-00000000${low}0${high}0`;

/** A database of the release: people with all relations, in one group, and texts of each in every table that takes one. */
async function fill(run: (statement: RawBuilder<unknown>) => Promise<unknown>): Promise<void> {
  for (const [n, { name, born, isListed }] of people.entries()) {
    const id = n + 1;
    const text = `text of ${name}`;
    await run(sql`insert into users (id, email, first_name, last_name, date_of_birth, conditions, symptoms, about_me, allergies,
        is_visible_in_community, share_profile_with_ai, is_active, is_verified, date_joined, last_seen_at) overriding system value
      values (${id}, ${`${name}@example.org`}, ${`Given${name}`}, ${`Family${name}`}, ${born}, '{gout}', '{cough}', ${text}, ${text},
        ${isListed}, ${isListed}, true, true, ${at}, ${at})`);
    if (isListed)
      await run(sql`insert into health_profile (user_id, terms, quiet) values (${id}, '{c:gout,s:cough}', '{}')`);
    await run(sql`insert into health_goal (user_id, goal_type, target_value, unit, description, start_date, created_at, updated_at)
      values (${id}, 'weight', 60, 'kg', ${text}, '2026-01-01', ${at}, ${at})`);
    await run(sql`insert into symptom_log (user_id, symptom_name, severity, description, logged_at, created_at)
      values (${id}, 'cough', 3, ${text}, ${at}, ${at})`);
    await run(
      sql`insert into vital_reading (user_id, heart_rate, notes, measured_at, created_at) values (${id}, 61, ${text}, ${at}, ${at})`,
    );
    await run(sql`insert into assessment (id, user_id, symptoms, reported, severity, additional_notes, status, triage_level, urgency, created_at)
      values (gen_random_uuid(), ${id}, '{cough}', '{cough}', 4, ${text}, 'completed', 'routine', 'medium', ${at})`);
    await run(
      sql`insert into companion_message (user_id, role, content, safety, created_at) values (${id}, 'user', ${text}, 'none', ${at})`,
    );
    await run(sql`insert into audit_event (user_id, kind, at) values (${id}, 'registered', ${at})`);
  }
  await run(sql`insert into article (id, headline, source, body_markdown, body, read_time_minutes, published_at, updated_at)
    overriding system value values (1, 'Sleep', 'other', 'Sleep', '<p>Sleep</p>', 1, ${at}, ${at})`);
  await run(
    sql`insert into article_comment (article_id, user_id, text, created_at) select 1, id, 'remark', ${at} from users`,
  );
  await run(sql`insert into community_group (id, name, slug, creator_id, member_count, created_at) overriding system value
    values (1, 'Circle', 'circle', 1, ${people.length}, ${at})`);
  await run(sql`insert into community_membership (group_id, user_id, joined_at) select 1, id, ${at} from users`);
  await run(sql`insert into chat_group (id, name, visibility, shares_history, creator_id, participant_count, message_count, last_message_at, created_at)
    values (${group}, 'Talk', 'open', true, 1, ${people.length}, ${people.length}, ${at}, ${at})`);
  await run(sql`insert into chat_membership (group_id, user_id, is_admin, joined_at, read_at, first_ordinal)
    select ${group}, id, id = 1, ${at}, ${at}, 1 from users`);
  await run(sql`insert into chat_message (id, group_id, author_id, content, ordinal, sent_at)
    select gen_random_uuid(), ${group}, id, 'word to all', id, ${at}::timestamptz + id * interval '1 second' from users`);
  for (const pair of pairs) {
    const { low, high, status } = pair;
    if (status)
      await run(sql`insert into peer_connection (asker_id, asked_id, status, blocked_by_id, declined_by_id, match_reason, created_at, responded_at)
        values (${low}, ${high}, ${status}, ${status === 'blocked' ? high : null}, ${status === 'declined' ? high : null}, 'hello', ${at},
          ${status === 'pending' ? null : at})`);
    await run(sql`insert into private_chat (id, low_id, high_id, message_count, last_message_at, created_at)
      values (${chatOf(pair)}, ${low}, ${high}, 2, ${at}, ${at})`);
    await run(
      sql`insert into private_chat_reader (chat_id, user_id, read_at) select ${chatOf(pair)}, unnest(array[${low}, ${high}]::bigint[]), ${at}`,
    );
    await run(sql`insert into chat_message (id, chat_id, author_id, content, ordinal, sent_at) values
      (gen_random_uuid(), ${chatOf(pair)}, ${low}, 'letter', 1, ${at}), (gen_random_uuid(), ${chatOf(pair)}, ${high}, 'answer', 2, ${at})`);
  }
}

type Run = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

/** Tables with their columns, except terms of suggestions: they are derived from what people show, of which nobody has been asked yet. */
const columnsNow = (run: Run) =>
  run(sql<{ table: string; columns: string[] }>`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname !~ '^mikro_orm'
      and not (c.relname = 'health_profile' and a.attname in ('terms', 'quiet')) group by 1 order by 1`);

/** Of each table the rows in these columns, as texts in order. */
async function rowsIn(
  run: Run,
  tables: readonly { table: string; columns: string[] }[],
): Promise<Map<string, string[]>> {
  const content = new Map<string, string[]>();
  for (const { table, columns } of tables) {
    const values = sql.join(columns.map(column => sql`x.${sql.ref(column)}`));
    const rows = await run(
      sql<{ row: string }>`select jsonb_build_array(${values})::text as row from ${sql.table(table)} x order by 1`,
    );
    content.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return content;
}

/**
 * Who read whose name or words by which door in the release, as `door: viewer other`. Its doors, as conditions: nothing but a block hid
 * one person from another.
 */
async function seenInRelease(run: Run): Promise<Set<string>> {
  const rows = await run(sql<{ seen: string }>`
    with pair as (
      select v.id as viewer, o.id as other, coalesce(p.status, 'none') as status, p.asker_id, p.blocked_by_id, p.declined_by_id,
        hv.terms && ho.terms and v.is_visible_in_community and o.is_visible_in_community as is_matched
      from users v join users o on o.id <> v.id
      left join health_profile hv on hv.user_id = v.id left join health_profile ho on ho.user_id = o.id
      left join peer_connection p on least(p.asker_id, p.asked_id) = least(v.id, o.id) and greatest(p.asker_id, p.asked_id) = greatest(v.id, o.id))
    select door || ': ' || viewer || ' ' || other as seen from pair cross join lateral (values
      ('suggestions', is_matched and status in ('none', 'declined')),
      ('contacts', status = 'accepted'),
      ('connections', status = 'accepted'),
      ('requests', status = 'pending' and asker_id = other),
      ('private chats', status <> 'blocked'),
      ('private messages', status <> 'blocked'),
      ('members of the chat group', status <> 'blocked'),
      ('messages of the chat group', status <> 'blocked'),
      ('comments', status <> 'blocked')) door (door, is_open)
    where is_open`);
  return new Set(rows.map(({ seen }) => seen));
}

/** The same, as the doors of this version answer. */
async function seenNow(): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const id of people.keys()) {
    const viewer = id + 1;
    const { access } = await signIn(gateway, viewer);
    const answers: Record<string, string> = {
      suggestions: '/community/peers/suggested/',
      contacts: '/chat/users/',
      connections: '/community/peers/connections/?page_size=100',
      requests: '/community/peers/requests/',
      'private chats': '/chat/private/',
      'members of the chat group': '/chat/groups/',
      'messages of the chat group': `/chat/groups/${group}/messages/?page_size=100`,
      comments: '/articles/1/comments/?page_size=100',
    };
    const others = people.flatMap(({ name }, n) => (n === id ? [] : [{ other: n + 1, given: `Given${name}` }]));
    const note = (door: string, text: string, among = others): void => {
      for (const { other, given } of among)
        if (text.includes(`${given} `) || text.includes(`${given}"`)) seen.add(`${door}: ${viewer} ${other}`);
    };
    for (const [door, path] of Object.entries(answers)) {
      const { status, text } = await send(gateway, 'GET', path, undefined, access);
      expect([door, status]).toEqual([door, 200]);
      note(door, text);
    }
    for (const pair of pairs.filter(({ low, high }) => low === viewer || high === viewer)) {
      const { text } = await send(gateway, 'GET', `/chat/private/${chatOf(pair)}/messages/`, undefined, access);
      note('private messages', text);
    }
  }
  return seen;
}

const run: Run = async statement => (await statement.execute(gateway.database.sql)).rows;
const url = await testDatabase('bare');
const { release, tables, stored } = await upgraded();
const gateway = await testGateway({ databaseUrl: url });

/** Migrates a database of the release to this version, and returns what it had and showed before. */
async function upgraded() {
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  try {
    const send: Run = async statement => (await statement.execute(database.sql)).rows;
    await database.orm.migrator.up({ to: before });
    await fill(send);
    const release = await seenInRelease(send);
    const tables = await columnsNow(send);
    const stored = await rowsIn(send, tables);
    await migrate(database);
    return { release, tables, stored };
  } finally {
    await database.close();
  }
}

describe('a database of the release before people were kept apart', () => {
  test('keeps all rows, with all columns', async () => {
    expect([...stored].filter(([, rows]) => rows.length > 0).length).toBeGreaterThan(15);
    expect(await rowsIn(run, tables)).toEqual(stored);
  });

  test('shows nobody to anybody who did not see them before', async () => {
    const seen = await seenNow();
    expect([...seen].filter(one => !release.has(one))).toEqual([]);
    // And not because the doors show nothing: connected people of one age group still find each other.
    const reached = [...seen].filter(one => one.startsWith('contacts')).toSorted();
    const alike = pairs.filter(({ low, high, status }) => {
      const [one, other] = [people[low - 1]?.born, people[high - 1]?.born];
      return status === 'accepted' && one && one === other;
    });
    expect(alike.length).toBeGreaterThan(0);
    expect(reached).toEqual(
      alike.flatMap(({ low, high }) => [`contacts: ${low} ${high}`, `contacts: ${high} ${low}`]).toSorted(),
    );
  });

  test('nor when the nightly job has derived the terms of suggestions anew', async () => {
    await refreshAllMatchingTerms(work => inTransaction(gateway.database, work));
    expect([...(await seenNow())].filter(one => !release.has(one))).toEqual([]);
  });
});
