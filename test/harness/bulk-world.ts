import { type RawBuilder, sql } from 'kysely';
import { RepositoryRuleType } from '../../schema/hosting/rule.ts';
import { inTransaction } from '../../src/db/database.ts';
import { encodeCommit } from '../../src/git/commit.ts';
import { createObject } from '../../src/git/object.ts';
import { encodeTree, modes } from '../../src/git/tree.ts';
import { writeObjects } from '../../src/git/write-objects.ts';
import { refreshMatchingTerms } from '../../src/health/profiles/matching-terms.ts';
import { createUsagePartitions } from '../../src/hosting/insights/usage-partitions.ts';
import { createVisibleAccounts, type TestAccount } from './accounts.ts';
import { growParents } from './bulk-parents.ts';
import type { TestGateway } from './gateway.ts';

/** Rows of the list tables in the demo data. */
export const bulk = {
  articles: 2_000,
  peers: 800,
  messages: 1_500,
  readings: 2_000,
  events: 3_000,
  commits: 1_000,
  usage: 40_000,
} as const;

export interface BulkWorld {
  /** Has a health profile, and many rows in every table of a user. */
  reader: TestAccount;
  /** Has a health profile and no recommendations yet. */
  newcomer: TestAccount;
  article: number;
  communityGroup: number;
  privateChat: string;
  chatGroup: string;
}

/**
 * Fills the demo data until the work of a list depends on the page size and no longer on the table size. For tests of field
 * costs.
 */
export async function growWorld(gateway: TestGateway): Promise<BulkWorld> {
  const now = sql`${gateway.clock.now.toISOString()}::timestamptz`;
  const run = async (statement: RawBuilder<unknown>): Promise<void> => {
    await statement.execute(gateway.database.sql);
  };
  const one = async (statement: RawBuilder<{ id: string }>): Promise<string> => {
    const { rows } = await statement.execute(gateway.database.sql);
    return String(rows[0]?.id);
  };
  const profile = { conditions: ['diabetes', 'migraine'], symptoms: ['headache', 'stress'], has_diabetes: 'Y' };
  const [reader, newcomer] = await createVisibleAccounts(gateway, [profile, profile]);
  if (!reader || !newcomer) throw new Error('No people were made.');
  await health(run, reader.id, now);
  const peers = await sql<{ id: number }>`select id from users where email like 'peer-%'`.execute(gateway.database.sql);
  await refreshMatchingTerms(
    gateway.database.sql,
    peers.rows.map(({ id }) => id),
  );
  await hosting(gateway, run, now);
  await growParents(run, now);
  await deepHistory(gateway);
  await run(sql`vacuum analyze`);
  return {
    reader,
    newcomer,
    article: Number(await one(sql`select max(id) as id from article where headline like 'About %'`)),
    communityGroup: Number(await one(sql`select max(id) as id from community_group where slug like 'circle-%'`)),
    privateChat: await one(sql`select id from private_chat where low_id = ${reader.id} limit 1`),
    chatGroup: await one(sql`select group_id as id from chat_membership where user_id = ${reader.id} limit 1`),
  };
}

type Run = (statement: RawBuilder<unknown>) => Promise<void>;

async function health(run: Run, reader: number, now: RawBuilder<unknown>): Promise<void> {
  await run(sql`
    with words (list) as (select array['diabetes', 'sleep', 'migraine', 'asthma', 'pressure', 'walking', 'salt', 'sugar'])
    insert into article (headline, summary, author, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    select 'About ' || list[1 + n % 8] || ', part ' || n, 'What to know in brief.', 'Author ' || n % 50, 'other', text,
      '<p>' || text || '</p>', array[list[1 + n % 8], 'tag' || n % 300], 1 + n % 9,
      ${now} - n * interval '1 hour', ${now}
    from generate_series(1, ${bulk.articles}::int) n, words,
      lateral (select string_agg('term' || (n * k * 7919::bigint) % (k * 40) || ' ' || list[1 + (n * k) % 8], ' ') as text
        from generate_series(1, 60) k) body`);
  await run(sql`insert into article_category select a.id, c.id from article a join category c on c.id % 4 = a.id % 4
    where a.headline like 'About %'`);
  await run(sql`insert into article_bookmark select ${reader}, id, ${now} from article where id % 4 = 0`);
  await run(sql`insert into article_like select ${reader}, id, ${now} from article where id % 3 = 0`);
  await run(sql`insert into article_recommendation (user_id, article_id, score, reason, status, created_at)
    select ${reader}, id, 0.5, 'New this week', 'pending', ${now} from article where id % 5 = 0`);
  await run(sql`
    insert into users (email, first_name, last_name, is_verified, is_active, is_visible_in_community, date_of_birth, date_joined, last_seen_at, conditions,
      symptoms, conditions_for_suggestions)
    select 'peer-' || n || '@example.org', 'Peer', 'Number ' || n, true, true, true, date '1990-05-04', ${now}, ${now}, array['diabetes', 'condition ' || n % 9],
      array['headache'], array['diabetes', 'condition ' || n % 9, 'headache'] from generate_series(1, ${bulk.peers * 2}::int) n`);
  await run(sql`insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
    select id, ${reader}, case when id % 3 = 0 then 'pending' else 'accepted' end, ${now}, ${now}
    from users where email like 'peer-%' order by id limit ${bulk.peers}`);
  await run(sql`insert into article_comment (article_id, user_id, text, created_at)
    select (select max(id) from article where headline like 'About %'), id, 'A remark of ' || id, ${now}
    from users where email like 'peer-%'`);
  await run(sql`insert into article_comment (article_id, user_id, parent_id, text, created_at)
    select c.article_id, c.user_id, c.id, 'An answer', ${now} from (select * from article_comment
      where text like 'A remark of %' order by id limit 100) c, generate_series(1, 10) n`);
  await run(sql`insert into community_group (name, slug, description, condition_tags, created_at)
    select 'Circle ' || n, 'circle-' || n, 'Meets on day ' || n, array['diabetes'], ${now} from generate_series(1, 300) n`);
  await run(sql`insert into community_membership select g.id, u.id, ${now} from community_group g
    join users u on u.email like 'peer-%' and (u.id % 40 = g.id % 40 or u.id = ${reader}) where g.slug like 'circle-%'`);
  await run(sql`insert into private_chat (id, low_id, high_id, created_at, message_count, last_message_at)
    select gen_random_uuid(), ${reader}, asker_id, ${now}, ${bulk.messages}, ${now} from peer_connection
    where asked_id = ${reader} and status = 'accepted'`);
  await run(
    sql`insert into private_chat_reader select id, ${reader}, ${now} from private_chat where low_id = ${reader}`,
  );
  await run(sql`insert into chat_group (id, name, created_at, creator_id, message_count, last_message_at)
    select gen_random_uuid(), 'Talk ' || n, ${now}, ${reader}, ${bulk.messages}, ${now} from generate_series(1, 300) n`);
  await run(
    sql`insert into chat_membership select g.id, ${reader}, true, ${now}, ${now} from chat_group g where name like 'Talk %'`,
  );
  await run(sql`insert into chat_membership select g.id, u.id, false, ${now}, ${now} from chat_group g
    join users u on u.email like 'peer-%' and u.id % 40 = hashtext(g.name) % 40 where name like 'Talk %'`);
  await run(sql`insert into chat_message (id, chat_id, author_id, content, ordinal, sent_at)
    select gen_random_uuid(), c.id, c.high_id, 'Message ' || n, ${bulk.messages}::int + 1 - n, ${now} - n * interval '1 minute'
    from (select * from private_chat where low_id = ${reader} limit 1) c, generate_series(1, ${bulk.messages}::int) n`);
  await run(sql`insert into chat_message (id, group_id, author_id, content, ordinal, sent_at)
    select gen_random_uuid(), m.group_id, ${reader}, 'Message ' || n, ${bulk.messages}::int + 1 - n, ${now} - n * interval '1 minute'
    from (select * from chat_membership where user_id = ${reader} limit 1) m, generate_series(1, ${bulk.messages}::int) n`);
  await run(sql`insert into companion_message (user_id, role, content, safety, created_at)
    select ${reader}, case n % 2 when 0 then 'user' else 'assistant' end, 'Words ' || n, 'none', ${now} from generate_series(1, 600) n`);
  await run(sql`update users set is_moderator = true where id = ${reader}`);
  await run(sql`insert into report (reporter_id, kind, accused_id, reason, text, created_at)
    select id, 'person', id + 1, 'harassment', 'Remark on ' || id, ${now} from users u
    where email like 'peer-%' and exists (select 1 from users where id = u.id + 1)`);
  await run(sql`insert into moderation_event (moderator_id, action, person_id, report_id, occurred_at)
    select ${reader}, 'warned', accused_id, id, ${now} from report`);
  await run(sql`insert into refused_contact (person_id, other_id, kind, occurred_at)
    select u.id, ${reader}, 'request', ${now} - n * interval '1 day' from users u, generate_series(1, 20) n where u.email like 'peer-%'`);
  await run(sql`insert into held_age select id, ${now} from users where email like 'peer-%'`);
  await run(sql`insert into consent (user_id, purpose, subject, text_version, given_at, withdrawn_at)
    select ${reader}, 'condition_for_peers', 'asthma', '1', ${now}, ${now} from generate_series(1, 1000)`);
  await run(sql`insert into group_entry (chat_group_id, person_id, created_at)
    select m.group_id, u.id, ${now} from (select group_id from chat_membership where user_id = ${reader} order by 1 limit 4) m
    join users u on u.email like 'peer-%' and not exists
      (select 1 from chat_membership o where o.group_id = m.group_id and o.user_id = u.id)`);
  const at = sql`${now} - n * interval '3 hours'`;
  await run(sql`insert into vital_reading (user_id, systolic_bp, diastolic_bp, heart_rate, weight_kg, steps, measured_at, created_at)
    select ${reader}, 110 + n % 60, 70 + n % 30, 55 + n % 50, 60 + n % 40, n % 9000, ${at}, ${at} from generate_series(1, ${bulk.readings}::int) n`);
  await run(sql`insert into symptom_log (user_id, symptom_name, severity, logged_at, created_at)
    select ${reader}, 'headache', 1 + n % 10, ${at}, ${at} from generate_series(1, ${bulk.readings}::int) n`);
  await run(sql`insert into health_goal (user_id, goal_type, target_value, unit, start_date, created_at, updated_at)
    select ${reader}, 'weight', 60, 'kg', '2026-01-01', ${at}, ${at} from generate_series(1, 150) n`);
  await run(sql`insert into assessment (id, user_id, symptoms, severity, status, triage_level, urgency, created_at)
    select gen_random_uuid(), ${reader}, array['headache'], 4, 'completed', 'routine', 'medium', ${at} from generate_series(1, 250) n`);
  await run(sql`insert into health_day_count (metric, day, key, events)
    select 'article_view', (${now} - n * interval '1 day')::date, c.id::text, 10 from generate_series(1, 90) n, category c
    on conflict do nothing`);
}

/** Number of the first of the hooks. */
export const bulkHookId = 1_000_000;

async function hosting(gateway: TestGateway, run: Run, now: RawBuilder<unknown>): Promise<void> {
  const compass = sql`(select r.id from repository r join account o on o.id = r.owner_id
    where o.login = 'harbor-lab' and r.name = 'compass')`;
  const lab = sql`(select id from account where login = 'harbor-lab')`;
  const wren = sql`(select id from account where login = 'wren')`;
  await run(sql`insert into repository (owner_id, name, created_at, updated_at)
    select ${lab}, 'bulk-' || n, ${now}, ${now} from generate_series(1, 200) n`);
  await run(sql`insert into repository (owner_id, name, parent_id, network_root_id, created_at, updated_at)
    select ${wren}, 'fork-' || n, ${compass}, ${compass}, ${now}, ${now} from generate_series(1, 200) n`);
  await run(sql`insert into star select ${wren}, id, ${now} from repository on conflict do nothing`);
  await run(sql`insert into watch select ${wren}, id, ${now} from repository on conflict do nothing`);
  await run(
    sql`insert into follow select ${wren}, id, ${now} from account where login <> 'wren' on conflict do nothing`,
  );
  await run(sql`insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
    select ${now} - interval '1 day' + n * interval '20 seconds', 'WatchEvent', ${wren}, ${compass}, ${lab}, ${compass}, '{}'
    from generate_series(1, ${bulk.events}::int) n order by n`);
  await run(sql`insert into git_ref select ${compass}, 'refs/heads/bulk-' || lpad(n::text, 4, '0'), oid from generate_series(1, 500) n,
    (select oid from git_ref where repository_id = ${compass} and name = 'refs/heads/main') main`);
  await run(sql`insert into rule_suite (owner_id, repository_id, actor_id, ref, before_oid, after_oid, pushed_at, result, is_active, evaluations)
    select ${lab}, ${compass}, ${wren}, 'refs/heads/main', null, decode(repeat('ab', 20), 'hex'), ${now} - n * interval '10 seconds', 'pass', true, '[]'
    from generate_series(1, 1000) n`);
  await run(sql`insert into ruleset (repository_id, name, target, enforcement, conditions, rules, created_at, updated_at)
    select ${compass}, 'bulk ' || n, 'branch', 'active', '{"ref_name":{"include":["~ALL"],"exclude":[]}}', '[{"type":"deletion"},{"type":"update"}]', ${now}, ${now}
    from generate_series(1, 60) n`);
  // Nothing is refused at these branches; main lists a hundred users.
  await run(sql`insert into branch_protection_rule (repository_id, pattern, is_admin_enforced, requires_commit_signatures,
      requires_linear_history, allows_force_pushes, allows_deletions, blocks_creations, requires_conversation_resolution,
      lock_branch, lock_allows_fetch_and_merge, reviews)
    select ${compass}, case when n = 0 then 'main' else 'bulk-' || lpad(n::text, 4, '0') end, false, false, false, true, true, false,
      false, false, false, case when n = 0 then jsonb_build_object('dismissal', jsonb_build_object('users', users, 'apps', '[]'::jsonb)) end
    from generate_series(0, 120) n,
      (select jsonb_agg(id) as users from (select id from account where kind = 'user' order by id limit 100) members) listed`);
  await run(sql`insert into webhook_delivery (app_id, guid, event, payload, created_at, delivered_at, status, status_code, url, request_headers, response_headers, response_payload)
    select a.id, gen_random_uuid(), 'push', json_build_object('text', (select string_agg(md5(random()::text), '') from generate_series(1, 1500) where n > 0)),
      ${now}, ${now}, 'OK', 200, 'https://receiver.example.org/', '{"a":"b"}', '{"a":"b"}', repeat('answer', 100)
    from (select id from app where slug = 'harbor-pilot') a, generate_series(1, 110) n`);
  // They receive nothing, because `meta` is never sent to hooks.
  await run(sql`insert into hook (id, repository_id, organization_id, url, events, created_at, updated_at)
    select ${bulkHookId}::bigint + n, case when n < 110 then ${compass} end, case when n >= 110 then ${lab} end, 'https://receiver.example.org/' || n,
      array['meta'], ${now}, ${now} from generate_series(0, 219) n`);
  await run(sql`insert into ssh_key (account_id, repository_id, title, key, fingerprint, created_at)
    select case when n < 110 then ${wren} end, case when n >= 110 then ${compass} end, 'Key ' || n, 'ssh-ed25519 ' || n, 'SHA256:' || n, ${now}
    from generate_series(0, 219) n`);
  await run(sql`insert into source_import (repository_id, account_id, vcs_url, status, may_change_workflows, created_at, updated_at)
    select id, ${wren}, 'https://git.example.org/x.git', 'complete', false, ${now}, ${now} from repository where name = 'bulk-1'`);
  await run(sql`insert into source_import_author (import_id, remote_id, remote_name, remote_email, name, email)
    select i.id, 'remote ' || n, 'Name', 'a@example.org', 'Name', 'a@example.org' from source_import i, generate_series(1, 1200) n`);
  await run(sql`insert into source_import_large_file select i.id, decode(md5(n::text) || 'abcdabcd', 'hex'), 'refs/heads/main', 'path/' || n, 200000000
    from source_import i, generate_series(1, 1200) n`);
  await inTransaction(gateway.database, db =>
    createUsagePartitions(db, [gateway.clock.now.toISOString().slice(0, 10)]),
  );
  await run(sql`insert into api_usage select ${lab}, date_trunc('day', ${now}) + (n % 480) * interval '1 minute', 1, 'classic_pat', n % 97, n % 97, null,
    'GET', '/route/' || n % 41, 1, 0, ${now}, null from generate_series(1, ${bulk.usage}::int) n on conflict do nothing`);
  // Ninety days of counts of the whole installation.
  await run(sql`insert into insight_tally (metric, bucket, key, outcome, events, seconds, is_sum)
    select m.metric, date_trunc('day', ${now}, 'UTC') - n * m.size, k, o, 1, 0.1, true
    from (values
      ('api_actor_type', interval '1 hour', 2150, array['classic_pat', 'oauth_app', 'installation'], array['success', 'limited']),
      ('api_route', '1 day', 88, (select array_agg('GET /route/' || n) from generate_series(1, 41) n), array['success', 'client_error']),
      ('api_organization', '1 day', 88, (select array_agg(n::text) from generate_series(1, 300) n), array['success']),
      ('rule', '1 day', 88, ${Object.values(RepositoryRuleType)}::text[], array['pass', 'fail', 'bypass']),
      ('delivery', '1 hour', 2150, array['success', 'client_error', 'no_response'], array['fast', 'slow'])) as m (metric, size, steps, keys, outcomes)
    cross join lateral generate_series(0, m.steps) n cross join lateral unnest(m.keys) k
    cross join lateral unnest(m.outcomes) o`);
}

/** `harbor-lab/bulk-2`: a file in a folder that only the first commit touched, followed by a long history. */
async function deepHistory({ database, clock }: TestGateway): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from repository where name = 'bulk-2'`.execute(database.sql);
  const repositoryId = rows[0]?.id ?? 0;
  const old = createObject('blob', Buffer.from('# Old'));
  const folder = createObject('tree', encodeTree([{ mode: modes.file, name: Buffer.from('README.md'), oid: old.oid }]));
  const objects = [old, folder];
  let parents: string[] = [];
  for (let number = 0; number < bulk.commits; number++) {
    const log = createObject('blob', Buffer.from(`${number}`));
    const tree = createObject(
      'tree',
      encodeTree([
        { mode: modes.file, name: Buffer.from('log'), oid: log.oid },
        { mode: modes.directory, name: Buffer.from('old'), oid: folder.oid },
      ]),
    );
    const person = { name: 'Wren', email: 'wren@example.org', seconds: 1_790_000_000 + number, zone: '+0000' };
    const commit = createObject(
      'commit',
      encodeCommit({
        tree: tree.oid,
        parents,
        author: person,
        committer: person,
        message: `Number ${number}`,
      }),
    );
    objects.push(log, tree, commit);
    parents = [commit.oid];
  }
  await inTransaction(database, async db => {
    await writeObjects({ db, repositoryId, now: clock.now }, objects);
    await sql`insert into git_ref values (${repositoryId}, 'refs/heads/main', decode(${parents[0] ?? ''}, 'hex'))`.execute(
      db,
    );
  });
}
