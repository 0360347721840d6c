import { type RawBuilder, sql } from 'kysely';
import type { HostCredential } from '../../../schema/hosting/credential.ts';
import type { RepositorySelection } from '../../../schema/hosting/installation.ts';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Actor } from '../actor.ts';

/** The row of a token, with everything that a request needs of it. */
export interface StoredToken
  extends Pick<
    HostCredential,
    | 'id'
    | 'lastEight'
    | 'kind'
    | 'accountId'
    | 'scopes'
    | 'permissions'
    | 'resourceOwnerId'
    | 'appId'
    | 'oauthAppId'
    | 'installationId'
  > {
  login: string | null;
  isSiteAdmin: boolean | null;
  selection: RepositorySelection;
  appPermissions: PermissionMap | null;
  installedOn: number | null;
  installedSelection: RepositorySelection | null;
  installedPermissions: PermissionMap | null;
  installationSuspended: boolean;
  ssoOrganizations: number[];
  repositoryId: number | null;
  /** Its ancestors, revoked and expired ones included. */
  above: AncestorCredential[];
  /** The earliest expiry of it and its ancestors. */
  expiresAt: string | null;
  /** Whether it or an ancestor was revoked, or the account of one of them is suspended. */
  isRevoked: boolean;
}

/** An ancestor of a credential. */
export interface AncestorCredential
  extends Pick<HostCredential, 'kind' | 'accountId' | 'scopes' | 'permissions' | 'resourceOwnerId'> {
  /** The relation: it created the token, installed the app, or added the key of the app. */
  via: 'parent' | 'installer' | 'key';
  ssoOrganizations: number[];
}

/** The ancestors of the credential with this id as JSON; with `itself` set, also the credential, under that relation. */
export function selectAncestors(
  id: RawBuilder<unknown>,
  now: Date,
  selfAs?: AncestorCredential['via'],
): RawBuilder<AncestorCredential[]> {
  const via =
    selfAs === undefined
      ? sql`h.via`
      : sql`case h.via when 'self' then ${selfAs}::text when 'parent' then ${selfAs}::text else h.via end`;
  return sql<
    AncestorCredential[]
  >`(select coalesce(json_agg(json_build_object('via', ${via}, 'kind', p.kind, 'accountId', p.account_id,
      'scopes', p.scopes, 'permissions', p.permissions, 'resourceOwnerId', p.resource_owner_id,
      'ssoOrganizations', ${selectSsoOrganizations(sql`p.id`, now)})), '[]')
    from credential_chain(${id}) h join host_credential p on p.id = h.id where h.depth >= ${sql.lit(selfAs === undefined ? 1 : 0)})`;
}

/** Ids of the organizations that a classic token is authorized for by the operator or by credentials that are still valid. */
const selectSsoOrganizations = (id: RawBuilder<unknown>, now: Date): RawBuilder<unknown> => sql`(
  select coalesce(json_agg(s.organization_id), '[]') from sso_authorization s where s.credential_id = ${id}
    and ${isAuthorized(now)})`;

/** Condition over `s` (sso_authorization): every credential that the authorization depends on is valid. */
export const isAuthorized = (now: Date): RawBuilder<boolean> => sql<boolean>`not exists (
  select 1 from unnest(s.authorized_by_ids) as proof (id)
  where credential_lasts_until(proof.id) <= ${now.toISOString()}::timestamptz)`;

/** Condition: the credential with this id and all its ancestors are valid. True for null, which is no credential. */
export const isLive = (id: RawBuilder<unknown>, now: Date): RawBuilder<boolean> =>
  sql<boolean>`credential_lasts_until(${id}) > ${now.toISOString()}::timestamptz`;

/** Condition for subscriptions: the credential of a caller, which was verified at the start, is still valid. */
export const isCredentialLive = (actor: Actor, now: Date): RawBuilder<boolean> =>
  'credential' in actor ? isLive(sql`${actor.credential.id}::bigint`, now) : sql<boolean>`true`;

/**
 * Condition over `i` (installation): the installation admits the user tokens of its app. It is not suspended, and the
 * credential that installed the app is not revoked. The app's own tokens check its expiry as well, where the time is known.
 */
export const isInstalled: RawBuilder<boolean> = sql<boolean>`(i.suspended_at is null
  and (i.installed_by_id is null or credential_lasts_until(i.installed_by_id) > '-infinity'))`;

/** Selects the token with this SHA-256 hash, revoked ones included: a failed attempt counts for their owner. */
export function selectStoredToken(hash: Buffer, now: Date): RawBuilder<StoredToken> {
  return sql<StoredToken>`
    select c.id, c.last_eight as "lastEight", c.kind, c.account_id as "accountId", a.login, a.is_site_admin as "isSiteAdmin",
      c.scopes, c.permissions, c.resource_owner_id as "resourceOwnerId",
      c.repository_selection as selection, c.app_id as "appId", p.permissions as "appPermissions",
      c.oauth_app_id as "oauthAppId", c.installation_id as "installationId", i.account_id as "installedOn",
      i.repository_selection as "installedSelection", i.permissions as "installedPermissions",
      i.suspended_at is not null as "installationSuspended",
      ${selectSsoOrganizations(sql`c.id`, now)} as "ssoOrganizations", ${selectAncestors(sql`c.id`, now)} as above,
      (select repository_id from credential_repository where credential_id = c.id and c.kind = 'workflow') as "repositoryId",
      nullif(lasts.until, 'infinity') as "expiresAt", lasts.until = '-infinity' as "isRevoked"
    from host_credential c
    cross join lateral (select credential_lasts_until(c.id) as until) lasts
    left join account a on a.id = c.account_id
    left join app p on p.id = c.app_id
    left join installation i on i.id = c.installation_id
    where c.hash = ${hash}`;
}

/** Asserts a column that every row of the kind has. @throws TypeError for a row that no write function can have written */
export function assertColumn<T>(value: T | null): T {
  if (value === null) throw new TypeError('The row of a token lacks what its kind needs.');
  return value;
}

/** The members of UserActor that come from the user of a token. */
export function userActorBase(token: StoredToken, ip: string) {
  const { accountId, login, isSiteAdmin } = token;
  return {
    kind: 'user',
    ip,
    accountId: assertColumn(accountId),
    login: assertColumn(login),
    isSiteAdmin: isSiteAdmin === true,
  } as const;
}
