import { type RawBuilder, sql } from 'kysely';

/** One file of an export: the rows of a query, as published names rather than keys of tables. */
export interface ExportSection {
  file: string;
  /** The table that the file is of. */
  table: string;
  /** Which accounts have it; both when absent. */
  kind?: 'user' | 'organization';
  /** `id`: of the account, or of the repository. No query selects a secret or its hash. */
  query(id: number): RawBuilder<object>;
}

const login = (column: string): RawBuilder<unknown> =>
  sql`(select a.login from account a where a.id = ${sql.ref(column)})`;
const repositoryName = (column: string): RawBuilder<unknown> =>
  sql`(select o.login || '/' || r.name from repository r join account o on o.id = r.owner_id where r.id = ${sql.ref(column)})`;

const hook = sql`id, url, content_type, insecure_ssl, secret_sealed is not null as has_secret, events, is_active, created_at, updated_at`;
const ruleset = sql`id, name, target, enforcement, conditions, rules, bypass_actors, created_at, updated_at`;
const event = sql`e.id, e.created_at, e.type, ${login('e.actor_id')} as actor, ${repositoryName('e.repository_id')} as repository, e.payload`;

/** The files of an account. */
export const accountSections: readonly ExportSection[] = [
  {
    file: 'account.json',
    table: 'account',
    query:
      id => sql`select id, kind, login, name, public_email, company, blog, location, bio, plan, is_site_admin, base_permission,
      enforces_sso, created_at, updated_at, suspended_at from account where id = ${id}`,
  },
  {
    file: 'former-logins.json',
    table: 'former_login',
    query: id => sql`select login, left_at from former_login where account_id = ${id} order by left_at`,
  },
  {
    file: 'emails.json',
    table: 'account_email',
    kind: 'user',
    query: id =>
      sql`select email, is_primary, verified_at, created_at from account_email where account_id = ${id} order by id`,
  },
  {
    file: 'members.json',
    table: 'membership',
    kind: 'organization',
    query: id => sql`select ${login('account_id')} as login, role, is_public, since from membership
      where organization_id = ${id} order by since, account_id`,
  },
  {
    file: 'organizations.json',
    table: 'membership',
    kind: 'user',
    query: id => sql`select ${login('organization_id')} as organization, role, is_public, since from membership
      where account_id = ${id} order by since, organization_id`,
  },
  {
    file: 'invitations.json',
    table: 'membership_invitation',
    query: id => sql`select ${login('organization_id')} as organization, ${login('account_id')} as login,
      email, role, ${login('inviter_id')} as inviter, invited_at from membership_invitation
      where organization_id = ${id} or account_id = ${id} order by id`,
  },
  {
    file: 'hooks.json',
    table: 'hook',
    kind: 'organization',
    query: id => sql`select ${hook} from hook where organization_id = ${id} order by id`,
  },
  {
    file: 'rulesets.json',
    table: 'ruleset',
    kind: 'organization',
    query: id => sql`select ${ruleset} from ruleset where organization_id = ${id} order by id`,
  },
  {
    file: 'apps.json',
    table: 'app',
    query:
      id => sql`select id, slug, name, client_id, description, external_url, callback_url, permissions, events, webhook_url,
      webhook_content_type, webhook_secret_sealed is not null as has_webhook_secret, created_at, updated_at,
      (select coalesce(json_agg(json_build_object('fingerprint', k.fingerprint, 'public_key', k.public_key, 'created_at', k.created_at)
        order by k.id), '[]') from app_key k where k.app_id = app.id) as keys
      from app where owner_id = ${id} order by id`,
  },
  {
    file: 'oauth-apps.json',
    table: 'oauth_app',
    query: id =>
      sql`select id, name, client_id, url, callback_url, created_at from oauth_app where owner_id = ${id} order by id`,
  },
  {
    file: 'installations.json',
    table: 'installation',
    query:
      id => sql`select i.id, p.slug as app, i.repository_selection, i.permissions, i.events, i.suspended_at, i.created_at, i.updated_at,
      (select coalesce(json_agg(${repositoryName('n.repository_id')} order by n.repository_id), '[]')
        from installation_repository n where n.installation_id = i.id) as repositories
      from installation i join app p on p.id = i.app_id where i.account_id = ${id} order by i.id`,
  },
  {
    file: 'tokens.json',
    table: 'host_credential',
    query:
      id => sql`select id, kind, note, last_eight, scopes, permissions, ${login('resource_owner_id')} as resource_owner,
      repository_selection, created_at, expires_at, revoked_at from host_credential
      where account_id = ${id} and kind in ('classic', 'fine_grained') order by id`,
  },
  {
    file: 'ssh-keys.json',
    table: 'ssh_key',
    kind: 'user',
    query: id => sql`select title, key, fingerprint, created_at from ssh_key where account_id = ${id} order by id`,
  },
  {
    file: 'signing-keys.json',
    table: 'signing_key',
    kind: 'user',
    query: id => sql`select kind, title, public_key, fingerprint, created_at, revoked_at from signing_key
      where account_id = ${id} order by id`,
  },
  {
    file: 'followers.json',
    table: 'follow',
    query: id =>
      sql`select ${login('follower_id')} as login, followed_at from follow where followed_id = ${id} order by followed_at`,
  },
  {
    file: 'following.json',
    table: 'follow',
    kind: 'user',
    query: id =>
      sql`select ${login('followed_id')} as login, followed_at from follow where follower_id = ${id} order by followed_at`,
  },
  {
    file: 'stars.json',
    table: 'star',
    kind: 'user',
    query: id => sql`select ${repositoryName('repository_id')} as repository, starred_at from star
      where account_id = ${id} order by starred_at`,
  },
  {
    file: 'watching.json',
    table: 'watch',
    kind: 'user',
    query: id => sql`select ${repositoryName('repository_id')} as repository, watched_at from watch
      where account_id = ${id} order by watched_at`,
  },
  {
    file: 'collaborations.json',
    table: 'collaborator',
    kind: 'user',
    query: id => sql`select ${repositoryName('repository_id')} as repository, role, since from collaborator
      where account_id = ${id} order by since`,
  },
  {
    file: 'repository-invitations.json',
    table: 'repository_invitation',
    kind: 'user',
    query:
      id => sql`select ${repositoryName('repository_id')} as repository, role, ${login('inviter_id')} as inviter, created_at
      from repository_invitation where account_id = ${id} order by id`,
  },
  {
    file: 'events.json',
    table: 'event',
    kind: 'user',
    query: id => sql`select ${event} from event e where e.actor_id = ${id} order by e.id`,
  },
];

/** The files of a repository, in a folder of its own. */
export const repositorySections: readonly ExportSection[] = [
  {
    file: 'repository.json',
    table: 'repository',
    query:
      id => sql`select id, name, description, homepage, is_private, is_archived, is_template, default_branch, topics,
      primary_language_name as language, ${repositoryName('parent_id')} as forked_from, ${repositoryName('template_id')} as made_from,
      created_at, updated_at, pushed_at from repository where id = ${id}`,
  },
  {
    file: 'former-names.json',
    table: 'former_repository_name',
    query: id => sql`select ${login('owner_id')} as owner, name, left_at from former_repository_name
      where repository_id = ${id} order by left_at`,
  },
  {
    file: 'former-branch-names.json',
    table: 'former_branch_name',
    query: id => sql`select name, new_name from former_branch_name where repository_id = ${id} order by name`,
  },
  {
    file: 'collaborators.json',
    table: 'collaborator',
    query: id => sql`select ${login('account_id')} as login, role, since from collaborator where repository_id = ${id}
      order by since, account_id`,
  },
  {
    file: 'invitations.json',
    table: 'repository_invitation',
    query: id => sql`select ${login('account_id')} as login, role, ${login('inviter_id')} as inviter, created_at
      from repository_invitation where repository_id = ${id} order by id`,
  },
  {
    file: 'hooks.json',
    table: 'hook',
    query: id => sql`select ${hook} from hook where repository_id = ${id} order by id`,
  },
  {
    file: 'rulesets.json',
    table: 'ruleset',
    query: id => sql`select ${ruleset} from ruleset where repository_id = ${id} order by id`,
  },
  {
    file: 'branch-protections.json',
    table: 'branch_protection_rule',
    query:
      id => sql`select pattern, is_admin_enforced, requires_commit_signatures, requires_linear_history, allows_force_pushes,
        allows_deletions, blocks_creations, requires_conversation_resolution, lock_branch, lock_allows_fetch_and_merge,
        status_checks, reviews, restrictions
      from branch_protection_rule where repository_id = ${id} order by id`,
  },
  {
    file: 'deploy-keys.json',
    table: 'ssh_key',
    query:
      id => sql`select title, key, fingerprint, is_read_only, ${login('added_by_id')} as added_by, created_at from ssh_key
      where repository_id = ${id} order by id`,
  },
  {
    file: 'stargazers.json',
    table: 'star',
    query: id =>
      sql`select ${login('account_id')} as login, starred_at from star where repository_id = ${id} order by starred_at`,
  },
  {
    file: 'watchers.json',
    table: 'watch',
    query: id =>
      sql`select ${login('account_id')} as login, watched_at from watch where repository_id = ${id} order by watched_at`,
  },
  {
    file: 'transfer.json',
    table: 'repository_transfer',
    query:
      id => sql`select ${login('new_owner_id')} as new_owner, ${login('requester_id')} as requester, new_name, requested_at, expires_at
      from repository_transfer where repository_id = ${id}`,
  },
  {
    file: 'source-import.json',
    table: 'source_import',
    query:
      id => sql`select vcs, vcs_url, status, failed_step, error_message, commit_count, created_at, updated_at from source_import
      where repository_id = ${id}`,
  },
  {
    file: 'events.json',
    table: 'event',
    query: id => sql`select ${event} from event e where e.repository_id = ${id} order by e.id`,
  },
];
