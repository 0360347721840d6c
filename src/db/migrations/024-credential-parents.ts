import { Migration } from '@mikro-orm/migrations';

export class CredentialParents extends Migration {
  override up(): void {
    // Cascade and not `set null`: a child whose parent is deleted must not become one without a parent.
    this.addSql(`
      alter table host_credential
        add column parent_id bigint constraint host_credential_parent_id_foreign references host_credential on delete cascade,
        add column app_key_id bigint constraint host_credential_app_key_id_foreign references app_key on delete cascade`);
    this.addSql('create index host_credential_by_parent on host_credential (parent_id) where parent_id is not null');
    this.addSql('create index host_credential_by_app_key on host_credential (app_key_id) where app_key_id is not null');
    // No foreign keys: these rows outlive the credential that wrote them, and an unknown id counts as revoked. Ids are never
    // reused. Null: written before parents were recorded, or by the operator.
    this.addSql('alter table app add column secret_by_id bigint');
    this.addSql('alter table oauth_app add column secret_by_id bigint');
    this.addSql('alter table app_key add column added_by_id bigint');
    this.addSql('alter table installation add column installed_by_id bigint');
    this.addSql(
      'create index installation_by_installer on installation (installed_by_id) where installed_by_id is not null',
    );
    // All credentials that an authorization depends on: the one that gave it, and those that its own authorization depended on.
    this.addSql("alter table sso_authorization add column authorized_by_ids bigint[] not null default '{}'");
    // A credential and its ancestors. `via` is the relation: the credential itself, the token that made it, the
    // credential that installed its app, or the one that added the key its app signs with. The depth ends a loop that no
    // write function can create; `decideGrant` refuses long before.
    this.addSql(`
      create function credential_chain(start bigint) returns table (id bigint, via text, depth int)
      language sql stable parallel safe as $$
        with recursive chain as (
          select start as id, 'self' as via, 0 as depth where start is not null
          union all
          select above.id, case when chain.via in ('self', 'parent') then above.via else chain.via end, chain.depth + 1
          from chain
          join host_credential c on c.id = chain.id
          left join installation i on i.id = c.installation_id
          left join app_key k on k.id = c.app_key_id
          cross join lateral (values (c.parent_id, 'parent'), (i.installed_by_id, 'installer'), (k.added_by_id, 'key'))
            as above (id, via)
          where above.id is not null and chain.depth < 32
        ) select chain.id, chain.via, chain.depth from chain
      $$`);
    // The only definition of a valid credential. Null, which is no credential, counts as valid.
    this.addSql(`
      create function credential_lasts_until(start bigint) returns timestamptz
      language sql stable parallel safe as $$
        select coalesce(min(case
          when c.id is null or c.revoked_at is not null or chain.depth >= 32 or exists (
            select 1 from account a where a.suspended_at is not null and a.id in (c.account_id,
              (select i.account_id from installation i where i.id = c.installation_id),
              (select p.owner_id from app p where p.id = c.app_id),
              (select p.owner_id from oauth_app p where p.id = c.oauth_app_id),
              (select r.owner_id from credential_repository s join repository r on r.id = s.repository_id
                where s.credential_id = c.id and c.kind = 'workflow' limit 1))
          ) then '-infinity'::timestamptz
          else coalesce(c.expires_at, 'infinity') end), 'infinity')
        from credential_chain(start) chain left join host_credential c on c.id = chain.id
      $$`);
    // An installation loses the permissions that its app no longer requests.
    this.addSql(`
      create function app_permissions_reduced() returns trigger language plpgsql as $$
      begin
        update installation i set permissions = (
          select coalesce(jsonb_object_agg(held.name, case
            when array_position(array['read', 'write', 'admin'], held.level)
              <= array_position(array['read', 'write', 'admin'], new.permissions ->> held.name) then held.level
            else new.permissions ->> held.name end), '{}')
          from jsonb_each_text(i.permissions) as held (name, level) where new.permissions ? held.name)
        where i.app_id = new.id;
        return null;
      end $$`);
    this.addSql(`create trigger app_permissions_reduced after update of permissions on app
      for each row when (old.permissions is distinct from new.permissions) execute function app_permissions_reduced()`);
    // Every gateway clears its cache of credentials when a row that one depends on changes. A trigger and not a call in each
    // write function, which can be forgotten and which an operator's statement does not make. A new credential invalidates
    // nothing. PostgreSQL merges equal notifications of a transaction.
    this.addSql(`
      create function notify_credentials() returns trigger language plpgsql as $$
      begin
        perform pg_notify('hosting_credentials', '');
        return null;
      end $$`);
    for (const [table, event] of [
      ['host_credential', 'update or delete'],
      ['credential_repository', 'delete'],
      ['sso_authorization', 'insert or update or delete'],
      ['app_key', 'update or delete'],
      ['app', 'update of owner_id, permissions, client_secret_hash, secret_by_id or delete'],
      ['oauth_app', 'update of owner_id, client_secret_hash, secret_by_id or delete'],
      ['installation', 'update or delete'],
      ['account', 'update of login, is_site_admin, suspended_at or delete'],
    ] as const) {
      this.addSql(`create trigger ${table}_notifies_credentials after ${event} on ${table}
        for each statement execute function notify_credentials()`);
    }
  }

  override down(): void {
    for (const table of [
      'account',
      'installation',
      'oauth_app',
      'app',
      'app_key',
      'sso_authorization',
      'credential_repository',
      'host_credential',
    ]) {
      this.addSql(`drop trigger ${table}_notifies_credentials on ${table}`);
    }
    this.addSql('drop trigger app_permissions_reduced on app');
    this.addSql('drop function notify_credentials, app_permissions_reduced, credential_lasts_until, credential_chain');
    this.addSql('alter table sso_authorization drop column authorized_by_ids');
    this.addSql('alter table installation drop column installed_by_id');
    this.addSql('alter table app_key drop column added_by_id');
    this.addSql('alter table oauth_app drop column secret_by_id');
    this.addSql('alter table app drop column secret_by_id');
    this.addSql('alter table host_credential drop column app_key_id, drop column parent_id');
  }
}
