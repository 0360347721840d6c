import { type RawBuilder, sql } from 'kysely';

/**
 * A full list below each of at least 100 parents, for the worst cases of lists that are read for all parents at once: users whom
 * wren follows with repositories, and repositories of wren with forks, stars, watchers, events,
 * collaborators and source imports.
 */
export async function growParents(
  run: (statement: RawBuilder<unknown>) => Promise<void>,
  now: RawBuilder<unknown>,
): Promise<void> {
  const wren = sql`(select id from account where login = 'wren')`;
  const forks = sql`(select r.id, r.owner_id, r.network_root_id from repository r where r.owner_id = ${wren} and r.name like 'fork-%')`;
  await run(sql`insert into account (kind, login, created_at, updated_at)
    select 'user', 'dev-' || n, ${now}, ${now} from generate_series(1, 150) n`);
  await run(sql`insert into repository (owner_id, name, parent_id, network_root_id, created_at, updated_at)
    select a.id, 'part-' || n, f.id, f.network_root_id, ${now}, ${now} from account a, generate_series(1, 10) n,
      (select f.*, row_number() over () as position, count(*) over () as count from ${forks} f) f
    where a.login like 'dev-%' and f.position = 1 + (a.id * 10 + n) % f.count`);
  await run(sql`insert into star select a.id, f.id, ${now} from account a, ${forks} f where a.login like 'dev-%'`);
  await run(sql`insert into watch select a.id, f.id, ${now} from account a, ${forks} f where a.login like 'dev-%'`);
  await run(sql`insert into follow select ${wren}, id, ${now} from account where login like 'dev-%'`);
  await run(sql`insert into collaborator (repository_id, account_id, role, since)
    select f.id, a.id, 'write', ${now} from ${forks} f join account a on a.login like 'dev-%' and a.id % 15 = f.id % 15`);
  await run(sql`insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
    select ${now} - interval '2 days', 'WatchEvent', f.owner_id, f.id, f.owner_id, f.network_root_id, '{}'
    from generate_series(1, 10) n, ${forks} f`);
  await run(sql`insert into source_import (repository_id, account_id, vcs_url, status, may_change_workflows, created_at, updated_at)
    select f.id, ${wren}, 'https://git.example.org/x.git', 'complete', false, ${now}, ${now} from ${forks} f`);
  await run(sql`insert into source_import_author (import_id, remote_id, remote_name, remote_email, name, email)
    select i.id, 'remote ' || n, 'Name', 'a@example.org', 'Name', 'a@example.org'
    from source_import i join ${forks} f on f.id = i.repository_id, generate_series(1, 10) n`);
  await run(sql`insert into source_import_large_file
    select i.id, decode(md5(n::text) || 'abcdabcd', 'hex'), 'refs/heads/main', 'path/' || n, 200000000
    from source_import i join ${forks} f on f.id = i.repository_id, generate_series(1, 10) n`);
  await run(sql`insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, webhook_url, permissions, events, created_at, updated_at)
    select ${wren}, 'bulk-app-' || n, 'Bulk app ' || n, 'Iv.bulk' || n, '\\x00', 'https://app.example.org/', 'https://receiver.example.org/',
      '{}', array['push'], ${now}, ${now} from generate_series(1, 110) n`);
}
