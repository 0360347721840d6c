import { type RawBuilder, sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { TokenKind } from '../hosting-token.ts';

/** All that a request needs to know of a token, in one row. */
export interface StoredToken {
  id: number;
  kind: TokenKind;
  accountId: number | null;
  login: string | null;
  isSiteAdmin: boolean | null;
  isSuspended: boolean;
  scopes: string[];
  permissions: PermissionMap;
  resourceOwnerId: number | null;
  selection: 'all' | 'selected';
  appId: number | null;
  appPermissions: PermissionMap | null;
  oauthAppId: number | null;
  installationId: number | null;
  installedOn: number | null;
  installedSelection: 'all' | 'selected' | null;
  installedPermissions: PermissionMap | null;
  installationSuspended: boolean;
  ssoOrganizations: number[];
  repositoryId: number | null;
  expiresAt: string | null;
  isRevoked: boolean;
}

/** The row of the token with this SHA-256, revoked ones too: their owner is who a bad attempt counts for. */
export function storedToken(hash: Buffer): RawBuilder<StoredToken> {
  return sql<StoredToken>`
    select c.id, c.kind, c.account_id as "accountId", a.login, a.is_site_admin as "isSiteAdmin",
      a.suspended_at is not null as "isSuspended", c.scopes, c.permissions, c.resource_owner_id as "resourceOwnerId",
      c.repository_selection as selection, c.app_id as "appId", p.permissions as "appPermissions",
      c.oauth_app_id as "oauthAppId", c.installation_id as "installationId", i.account_id as "installedOn",
      i.repository_selection as "installedSelection", i.permissions as "installedPermissions",
      i.suspended_at is not null as "installationSuspended",
      (select coalesce(json_agg(organization_id), '[]') from sso_authorization where credential_id = c.id) as "ssoOrganizations",
      (select repository_id from credential_repository where credential_id = c.id and c.kind = 'workflow') as "repositoryId",
      c.expires_at as "expiresAt", c.revoked_at is not null as "isRevoked"
    from host_credential c
    left join account a on a.id = c.account_id
    left join app p on p.id = c.app_id
    left join installation i on i.id = c.installation_id
    where c.hash = ${hash}`;
}

/** A value that every row of a kind has. A row that lacks it cannot come from our own verbs. */
export function needed<T>(value: T | null): T {
  if (value === null) throw new TypeError('The row of a token lacks what its kind needs.');
  return value;
}

/** The user a token acts for. */
export function actingUser(token: StoredToken, ip: string) {
  const { accountId, login, isSiteAdmin } = token;
  return {
    kind: 'user',
    ip,
    accountId: needed(accountId),
    login: needed(login),
    isSiteAdmin: isSiteAdmin === true,
  } as const;
}
