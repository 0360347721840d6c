import { type RawBuilder, sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { maintainEventPartitions } from '../../src/hosting/events/events.tasks.ts';
import { createUsagePartitions } from '../../src/hosting/insights/usage-partitions.ts';
import { createVisibleAccounts, type TestAccount } from './accounts.ts';
import type { TestGateway } from './gateway.ts';

const dayMs = 24 * 60 * 60_000;
/** Days that events and usage are spread over. */
const days = 84;
/** Accounts that cause events, which one user follows, and repositories that have them, which the user watches. */
const most = 1_000;

type Run = (statement: RawBuilder<unknown>) => Promise<void>;

/**
 * Fills every list of the demo data with `size` rows: each list of one person, account, repository, organization or app. Tables
 * that only an index makes readable have ten times as many: events and API usage. Repositories are a tenth, because accounts with
 * 10,000 are the largest there are. Returns a person with a health profile who owns the health lists.
 *
 * `wren` owns the hosting lists. `juniper` follows accounts whose events are the oldest tenth; `linh` follows and watches many.
 */
export async function growLists(gateway: TestGateway, size: number): Promise<TestAccount> {
  const now = sql`${gateway.clock.now.toISOString()}::timestamptz`;
  const run: Run = async statement => {
    await statement.execute(gateway.database.sql);
  };
  const [reader] = await createVisibleAccounts(gateway, [
    { conditions: ['diabetes', 'migraine'], symptoms: ['headache', 'stress'], has_diabetes: 'Y' },
  ]);
  if (!reader) throw new Error('No person was made.');
  await growRecords(run, reader.id, now, size);
  await growCommunity(run, reader.id, now, size);
  await growAccounts(gateway, now, size);
  await growRepositories(run, now, size);
  await growEvents(gateway, run, now, size);
  await growUsage(gateway, run, size);
  await run(sql`vacuum analyze`);
  return reader;
}

/** Health records: one an hour, so that there are as many in a period of any length, and those of eleven years at 100,000. */
async function growRecords(run: Run, reader: number, now: RawBuilder<unknown>, size: number): Promise<void> {
  const at = sql`${now} - n * interval '1 hour'`;
  const rows = sql`generate_series(1, ${size}::int) n`;
  await run(sql`insert into vital_reading (user_id, systolic_bp, diastolic_bp, heart_rate, weight_kg, steps, notes, measured_at, created_at)
    select ${reader}, 110 + n % 60, 70 + n % 30, 55 + n % 50, 60 + n % 40, n % 9000, 'Note ' || n % 100, ${at}, ${at} from ${rows}`);
  await run(sql`insert into symptom_log (user_id, symptom_name, severity, logged_at, created_at)
    select ${reader}, (array['headache', 'cough', 'fatigue', 'rash'])[1 + n % 4], 1 + n % 10, ${at}, ${at} from ${rows}`);
  await run(sql`insert into health_goal (user_id, goal_type, target_value, unit, is_active, start_date, created_at, updated_at)
    select ${reader}, 'weight', 60 + n % 50, 'kg', n % 10 = 0, '2026-01-01', ${at}, ${at} from ${rows}`);
  await run(sql`insert into assessment (id, user_id, symptoms, reported, severity, status, triage_level, urgency, created_at)
    select gen_random_uuid(), ${reader}, array['headache'], array['headache'], 1 + n % 10, 'completed', 'routine', 'medium', ${at} from ${rows}`);
  await run(sql`insert into companion_message (user_id, role, content, safety, created_at)
    select ${reader}, case n % 2 when 0 then 'user' else 'assistant' end, 'Words ' || n, 'none', ${now} from generate_series(1, 1000) n`);
}

async function growCommunity(run: Run, reader: number, now: RawBuilder<unknown>, size: number): Promise<void> {
  const peers = sql`users u where u.email like 'peer-%'`;
  await run(sql`insert into users (email, first_name, last_name, is_verified, is_active, is_visible_in_community, date_of_birth, date_joined, last_seen_at)
    select 'peer-' || n || '@example.org', 'Peer', 'Number ' || n, true, true, true, date '1990-05-04', ${now}, ${now} from generate_series(1, ${size}::int) n`);
  await run(sql`insert into health_profile (user_id, terms)
    select u.id, array['c:diabetes', 's:headache', 'c:condition ' || u.id % 9] from ${peers}`);
  await run(sql`delete from term_df`);
  await run(sql`insert into term_df select '*', count(*) from health_profile
    union all select term, count(*) from health_profile cross join unnest(terms) one(term) group by term`);
  const at = sql`${now} - u.id * interval '1 second'`;
  await run(sql`insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
    select u.id, ${reader}, case when u.id % 5 = 0 then 'pending' else 'accepted' end, ${at}, ${at} from ${peers} and u.id % 20 < 19`);
  await run(sql`insert into community_group (name, slug, description, condition_tags, created_at)
    select 'Circle ' || lpad(n::text, 6, '0'), 'circle-' || n, 'Meets on day ' || n, array['diabetes'], ${now} from generate_series(1, ${size}::int) n`);
  await run(
    sql`insert into community_membership select g.id, ${reader}, ${now} from community_group g where g.slug like 'circle-%' order by g.id limit 50`,
  );
  await run(
    sql`insert into community_membership select g.id, u.id, ${at} from community_group g, ${peers} and g.slug = 'circle-1'`,
  );
  await run(sql`insert into article_comment (article_id, user_id, text, created_at)
    select 1, u.id, 'A remark of ' || u.id, ${at} from ${peers}`);
  await run(sql`update article_comment set replies_count = ${size} where id = 1`);
  await run(sql`insert into article_comment (article_id, user_id, parent_id, text, created_at)
    select article_id, u.id, c.id, 'An answer of ' || u.id, ${at} from article_comment c, ${peers}
      and c.id = (select min(id) from article_comment where article_id = 1)`);
}

const wren = sql`(select id from account where login = 'wren')`;
const lab = sql`(select id from account where login = 'harbor-lab')`;
const compass = sql`(select r.id from repository r where r.owner_id = ${lab} and r.name = 'compass')`;
const devs = sql`account a where a.login like 'dev-%'`;

/** Accounts and credentials notify gateways of each row, which a list does not need: their triggers are off. */
async function growAccounts(gateway: TestGateway, now: RawBuilder<unknown>, size: number): Promise<void> {
  await inTransaction(gateway.database, async db => {
    await sql`set local session_replication_role = replica`.execute(db);
    const at = sql`${now} - n * interval '1 second'`;
    const rows = sql`generate_series(1, ${size}::int) n`;
    for (const statement of [
      sql`insert into account (kind, login, created_at, updated_at) select 'user', 'dev-' || n, ${now}, ${now} from ${rows}`,
      sql`insert into account (kind, login, created_at, updated_at)
        select 'organization', 'team-' || n, ${now}, ${now} from generate_series(1, 50) n`,
      sql`insert into account_email (account_id, email, is_primary, created_at)
        select ${wren}, 'wren-' || n || '@example.org', false, ${now} from ${rows}`,
      sql`insert into host_credential (kind, hash, last_eight, account_id, note, created_at, updated_at)
        select 'classic', decode(md5(n::text) || md5(n::text), 'hex'), 'abcdefgh', ${wren}, 'Token ' || n, ${at}, ${at} from generate_series(1, 100) n`,
      sql`insert into account (kind, login, created_at, updated_at)
        select 'bot', 'bulk-app-' || n || '[bot]', ${now}, ${now} from ${rows}`,
      sql`insert into app (owner_id, bot_id, slug, name, client_id, client_secret_hash, external_url, webhook_url, permissions, events, created_at, updated_at)
        select ${wren}, (select a.id from account a where lower(a.login) = 'bulk-app-' || n || '[bot]'), 'bulk-app-' || n, 'Bulk app ' || n, 'Iv.bulk' || n, '\\x00', 'https://app.example.org/', 'https://receiver.example.org/',
          '{}', array['push'], ${now}, ${now} from ${rows}`,
      sql`insert into installation (app_id, account_id, repository_selection, created_at, updated_at)
        select app.id, a.id, 'all', ${now}, ${now} from app, ${devs} and app.slug = 'harbor-pilot'`,
      sql`insert into signing_key (account_id, kind, title, public_key, fingerprint, created_at)
        select ${wren}, 'ssh', 'Key ' || n, 'ssh-ed25519 ' || n, md5(n::text), ${now} from ${rows}`,
      sql`insert into membership (organization_id, account_id, role, since) select ${lab}, a.id, 'member', ${now} from ${devs}`,
      sql`insert into membership (organization_id, account_id, role, since)
        select a.id, ${wren}, 'admin', ${now} from account a where a.login like 'team-%'`,
      sql`insert into membership_invitation (organization_id, account_id, role, invited_at)
        select a.id, (select id from account where login = 'okello'), 'member', ${now} - a.id * interval '1 second'
        from account a where a.login like 'team-%'`,
      sql`insert into follow select a.id, ${wren}, ${now} - a.id * interval '1 second' from ${devs}`,
      sql`insert into follow select ${wren}, a.id, ${now} - a.id * interval '1 second' from ${devs}`,
      sql`insert into webhook_delivery (app_id, guid, event, payload, created_at, delivered_at, status, status_code, url)
        select app.id, gen_random_uuid(), 'push', '{"ref":"refs/heads/main"}', ${at}, ${at}, 'OK',
          case when n % 1000 = 0 then 500 else 200 end, 'https://receiver.example.org/' from app, ${rows} where app.slug = 'harbor-pilot'`,
    ]) {
      await statement.execute(db);
    }
  });
}

async function growRepositories(run: Run, now: RawBuilder<unknown>, size: number): Promise<void> {
  const many = sql`generate_series(1, ${Math.max(100, size / 10)}::int) n`;
  const rows = sql`generate_series(1, ${size}::int) n`;
  const at = sql`${now} - n * interval '1 second'`;
  await run(sql`insert into repository (owner_id, name, topics, created_at, updated_at, pushed_at)
    select ${lab}, 'bulk-' || n, array['topic-' || n % 10], ${at}, ${at}, ${at} from ${many}`);
  await run(sql`insert into repository (owner_id, name, parent_id, network_root_id, created_at, updated_at)
    select ${wren}, 'fork-' || n, ${compass}, ${compass}, ${at}, ${at} from ${many}`);
  await run(
    sql`insert into star select ${wren}, id, ${now} - id * interval '1 second' from repository on conflict do nothing`,
  );
  await run(
    sql`insert into watch select ${wren}, id, ${now} - id * interval '1 second' from repository on conflict do nothing`,
  );
  for (const table of ['star', 'watch']) {
    await run(
      sql`insert into ${sql.raw(table)} select a.id, ${compass}, ${now} - a.id * interval '1 second' from ${devs}`,
    );
  }
  await run(
    sql`insert into collaborator (repository_id, account_id, role, since) select ${compass}, a.id, 'write', ${now} from ${devs}`,
  );
  await run(sql`insert into collaborator (repository_id, account_id, role, since)
    select r.id, (select id from account where login = 'okello'), 'write', ${now} from repository r where r.name like 'bulk-%'`);
  for (const kind of ['heads', 'tags']) {
    await run(sql`insert into git_ref select ${compass}, ${`refs/${kind}/bulk-`} || lpad(n::text, 6, '0'), oid from ${rows},
      (select oid from git_ref where repository_id = ${compass} and name = 'refs/heads/main') main`);
  }
  await run(sql`insert into rule_suite (owner_id, repository_id, actor_id, ref, before_oid, after_oid, pushed_at, result, is_active, evaluations)
    select ${lab}, ${compass}, ${wren}, 'refs/heads/main', null, decode(repeat('ab', 20), 'hex'),
      ${now} - n * (interval '29 days' / ${size}::int), case when n % 100 = 0 then 'fail' else 'pass' end, true, '[]' from ${rows}`);
  await run(sql`insert into source_import (repository_id, account_id, vcs_url, status, may_change_workflows, created_at, updated_at)
    select id, ${wren}, 'https://git.example.org/x.git', 'complete', false, ${now}, ${now} from repository where name = 'bulk-1'`);
  await run(sql`insert into source_import_author (import_id, remote_id, remote_name, remote_email, name, email)
    select i.id, 'remote ' || n, 'Name', 'a@example.org', 'Name', 'a@example.org' from source_import i, ${rows}`);
  await run(sql`insert into source_import_large_file
    select i.id, decode(md5(n::text) || 'abcdabcd', 'hex'), 'refs/heads/main', 'path/' || n, 200000000 from source_import i, ${rows}`);
}

/** The oldest tenth is by three quiet accounts; the rest by a thousand in turn, and a twentieth of that in `compass` or by `wren`. */
async function growEvents(gateway: TestGateway, run: Run, now: RawBuilder<unknown>, size: number): Promise<void> {
  const { clock, database } = gateway;
  for (let back = days + 7; back >= 0; back -= 7) {
    await inTransaction(database, db => maintainEventPartitions(db, new Date(clock.now.getTime() - back * dayMs)));
  }
  const events = size * 10;
  await run(sql`insert into account (kind, login, created_at, updated_at)
    select 'user', 'quiet-' || n, ${now}, ${now} from generate_series(1, 3) n`);
  await run(sql`
    with actor as (select array_agg(id order by id) as ids from (select a.id from ${devs} order by a.id limit ${most}) few),
      quiet as (select array_agg(id order by id) as ids from account where login like 'quiet-%'),
      place as (select array_agg(id order by id) as ids from (select id from repository where name like 'bulk-%' order by id limit ${most}) few)
    insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
    select ${now} - interval '10 minutes' - (${events}::int - n) * (interval '${sql.raw(String(days))} days' / ${events}::int),
      case when n % 50 = 0 then 'ForkEvent' else 'WatchEvent' end,
      case when n <= ${events / 10}::int then quiet.ids[1 + n % 3] when n % 20 = 0 then ${wren}
        else actor.ids[1 + (n * 7919::bigint) % cardinality(actor.ids)] end,
      case when n % 20 = 1 then ${compass} else place.ids[1 + (n * 104729::bigint) % cardinality(place.ids)] end, ${lab},
      case when n % 20 = 1 then ${compass} else place.ids[1 + (n * 104729::bigint) % cardinality(place.ids)] end,
      '{"forkeeId": 1}'
    from generate_series(1, ${events}::int) n, actor, quiet, place order by n`);
  await run(sql`delete from follow where follower_id in (select id from account where login in ('juniper', 'linh'))`);
  await run(sql`delete from watch where account_id in (select id from account where login in ('juniper', 'linh'))`);
  await run(
    sql`insert into follow select (select id from account where login = 'juniper'), id, ${now} from account where login like 'quiet-%'`,
  );
  await run(
    sql`insert into follow select (select id from account where login = 'linh'), a.id, ${now} from ${devs} order by a.id limit ${most}`,
  );
  await run(
    sql`insert into watch select (select id from account where login = 'linh'), id, ${now} from repository where name like 'bulk-%' limit ${most}`,
  );
}

/** Eight days by minutes and the days before by hours, half of the rows each. */
async function growUsage(gateway: TestGateway, run: Run, size: number): Promise<void> {
  const now = gateway.clock.now;
  const dates = Array.from({ length: days + 1 }, (_, back) =>
    new Date(now.getTime() - back * dayMs).toISOString().slice(0, 10),
  );
  await inTransaction(gateway.database, db => createUsagePartitions(db, dates));
  const count = size * 5;
  for (const { minutes, unit, from, step } of [
    { minutes: 1, unit: 'minute', from: 8, step: (8 * 24 * 60) / count },
    { minutes: 60, unit: 'hour', from: days, step: ((days - 8) * 24 * 60) / count },
  ]) {
    await run(sql`insert into api_usage
      select ${lab}, date_trunc(${unit}, ${now.toISOString()}::timestamptz - ${`${from} days`}::interval + n * ${`${step} minutes`}::interval),
        ${minutes}, 'classic_pat', n % 97, 1 + n % 97, null, 'GET', '/route/' || n % 41, 1, n % 50 / 49, ${now.toISOString()}, null
      from generate_series(0, ${count - 1}::int) n on conflict do nothing`);
  }
}
