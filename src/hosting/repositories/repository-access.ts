import { type RawBuilder, sql } from 'kysely';
import { type Level, levels } from '../../../schema/hosting/permission-map.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor, InheritedBounds, InstallationActor, UserCredential, WorkflowActor } from '../../auth/actor.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hostingScopes, type PermissionRequirement } from '../../auth/hosting-scopes.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';

/**
 * Repository permissions as SQL fragments over `r` (repository) joined with its owner `o` (account). All permission
 * decisions on repositories are made here: lists use the condition `visibleTo`; access to one repository selects
 * `accessDecision` with its row, in the same statement.
 */

/** Roles in ascending order. The role number is the position from 1; 0 is no role. */
const roleNames = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
const roleNumbers: Record<PermissionRequirement['role'], number> = { read: 1, member: 1, write: 3, admin: 5 };
export const roleNamesSql = sql.raw(`array[${roleNames.map(role => `'${role}'`).join(', ')}]`);

const yes = sql<boolean>`true`;
const no = sql<boolean>`false`;
const isPublic = sql<boolean>`not r.is_private`;

/**
 * SQL: role of the actor, 0 to 5, as owner, member, collaborator or public, regardless of the credential. Apps and
 * workflows have the role of the user who authorized them; if none is known, only their permissions limit them.
 */
export function roleOf(actor: Actor): RawBuilder<number> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') return leastRoleOfGrantors(actor);
  return actor.kind === 'user' ? roleOfUser(actor.accountId) : publicRole;
}

/**
 * The least role among the users who installed the app or requested the workflow token, so that access ends with
 * theirs.
 */
function leastRoleOfGrantors({ credential }: InstallationActor | WorkflowActor): RawBuilder<number> {
  const roles = (credential.bounds?.accountIds ?? []).map(id => roleOfUser(id));
  if (roles.length === 0) return sql<number>`(case when ${isForkClosedTo(sql`r.owner_id`)} then 0 else 5 end)`;
  return sql<number>`least(${sql.join(roles)})`;
}

const publicRole = sql<number>`(case when r.is_private then 0 else 1 end)`;

/**
 * SQL: whether a private fork is closed to an account that cannot read its origin: its parent, the parent of that, or
 * the root of the network. Checked against current rows, so it holds however the account lost access: membership,
 * collaboration, visibility or base permission. Rejected: deleting forks at each of these places; and checking the
 * whole chain with a recursive query, because an event page then reads 2,337 buffers of a budget of 2,000.
 */
function isForkClosedTo(accountId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(r.is_private and r.parent_id is not null and exists (
    select 1 from repository above join account its on its.id = above.owner_id
    where above.id in (r.network_root_id, r.parent_id, (select fork.parent_id from repository fork where fork.id = r.parent_id))
      and above.is_private and above.owner_id <> ${accountId}
      and not exists (select 1 from membership m where m.organization_id = above.owner_id and m.account_id = ${accountId}
        and (m.role = 'admin' or its.base_permission = any(${roleNamesSql})))
      and not exists (select 1 from collaborator c where c.repository_id = above.id and c.account_id = ${accountId})
      and exists (select 1 from account who where who.id = ${accountId} and who.kind = 'user')))`;
}

/** SQL: role of a user, 0 to 5. The user is a number, or a column of the statement. */
export function roleOfUser(accountId: number | RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(case when ${isForkClosedTo(sql`${accountId}::bigint`)} then 0 when r.owner_id = ${accountId} then 5 else greatest(${publicRole},
    coalesce((select case m.role when 'admin' then 5 else coalesce(array_position(${roleNamesSql}, o.base_permission), 0) end
      from membership m where m.organization_id = r.owner_id and m.account_id = ${accountId}), 0),
    coalesce((select array_position(${roleNamesSql}, c.role)
      from collaborator c where c.repository_id = r.id and c.account_id = ${accountId}), 0)) end)`;
}

/**
 * SQL: whether the credential covers the repository beyond public access; `reachingScopes` do so for one access scope. Roles
 * and permissions are checked separately.
 */
export function reachOf(actor: Actor, reachingScopes: readonly string[] = []): RawBuilder<boolean> {
  switch (actor.kind) {
    case 'user':
      return reachOfUser(actor.credential, reachingScopes);
    case 'installation': {
      const narrowed =
        actor.selection === 'token'
          ? sql`and exists (select 1 from credential_repository t
              where t.credential_id = ${actor.credential.id} and t.repository_id = r.id)`
          : sql``;
      const own = sql<boolean>`(r.owner_id = ${actor.accountId} ${narrowed} and ${coversRepository(sql`${actor.installationId}`)})`;
      return withinReach(own, actor.credential.bounds);
    }
    case 'workflow':
      return withinReach(sql<boolean>`(r.id = ${actor.repositoryId})`, actor.credential.bounds);
    default:
      return no;
  }
}

/** Excludes private repositories when a parent credential does not cover them. */
function withinReach(own: RawBuilder<boolean>, bounds: InheritedBounds | undefined): RawBuilder<boolean> {
  return bounds?.reachesPrivate === false ? sql<boolean>`(${isPublic} and ${own})` : own;
}

/**
 * SQL: whether an installation includes the repository. Checked against the row, because it may have been narrowed
 * after the token was created.
 */
function coversRepository(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from installation i where i.id = ${id} and (i.repository_selection = 'all' or exists (
    select 1 from installation_repository ir where ir.installation_id = i.id and ir.repository_id = r.id)))`;
}

function reachOfUser(credential: UserCredential, reachingScopes: readonly string[]): RawBuilder<boolean> {
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      if (hasTokenScope(credential.scopes, ['repo', ...reachingScopes])) return yes;
      return hasTokenScope(credential.scopes, ['public_repo']) ? isPublic : no;
    case 'fine_grained':
      return withinReach(
        sql<boolean>`(r.owner_id = ${credential.resourceOwnerId} and ${isSelected(credential)})`,
        credential.bounds,
      );
    case 'user_to_server': {
      const { narrowed, appId } = credential;
      const own = narrowed
        ? sql`r.owner_id = ${narrowed.ownerId} and ${isSelected({ ...narrowed, id: credential.id })}`
        : yes;
      return withinReach(sql<boolean>`(${own} and ${isAppInstalled(appId)})`, credential.bounds);
    }
  }
}

function isSelected({ id, selection }: { id: number; selection: 'all' | 'selected' }): RawBuilder<boolean> {
  if (selection === 'all') return yes;
  return sql<boolean>`exists (select 1 from credential_repository t where t.credential_id = ${id} and t.repository_id = r.id)`;
}

/** SQL: whether an app is installed on the repository with the needed permission. */
function isAppInstalled(appId: number, need?: { permission: string; level: Level }): RawBuilder<boolean> {
  const hasPermissionSql =
    need === undefined || (need.permission === 'metadata' && need.level === 'read')
      ? sql``
      : sql`and i.permissions ->> ${need.permission} = any(${levels.slice(levels.indexOf(need.level))})`;
  return sql<boolean>`exists (select 1 from installation i where i.app_id = ${appId} and i.account_id = r.owner_id
    and ${isInstalled} ${hasPermissionSql} and (i.repository_selection = 'all' or exists (
      select 1 from installation_repository ir where ir.installation_id = i.id and ir.repository_id = r.id)))`;
}

/** SQL: whether the owner enforces single sign-on and the token, or one of its parents, is not authorized for it. */
function withheldBySso(actor: Actor): RawBuilder<boolean> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') {
    const { ssoOrganizations = null } = actor.credential.bounds ?? {};
    return ssoOrganizations
      ? sql<boolean>`(o.enforces_sso and not o.id = any(${[...ssoOrganizations]}::bigint[]))`
      : no;
  }
  const ssoOrganizations = actor.kind === 'user' ? ssoOrganizationsOf(actor.credential) : null;
  if (actor.kind !== 'user' || !ssoOrganizations) return no;
  return sql<boolean>`(o.enforces_sso and not o.id = any(${[...ssoOrganizations]}::bigint[]) and exists (
    select 1 from membership m where m.organization_id = o.id and m.account_id = ${actor.accountId}))`;
}

/** SQL: repositories that lists show to the actor. Those withheld by single sign-on are excluded. */
export function visibleTo(actor: Actor): RawBuilder<boolean> {
  const beyond = reachOf(actor);
  if (beyond === no) return isPublic;
  return sql<boolean>`(not r.is_private or (${beyond} and ${roleOf(actor)} > 0 and not ${withheldBySso(actor)}))`;
}

/** SQL: private repositories that only single sign-on excludes from `visibleTo`. */
export function withheldBySsoFrom(actor: Actor): RawBuilder<boolean> {
  const withheld = withheldBySso(actor);
  if (withheld === no) return no;
  return sql<boolean>`(r.is_private and ${reachOf(actor)} and ${roleOf(actor)} > 0 and ${withheld})`;
}

/** SQL: repositories whose contents the actor can change; excludes archived ones. */
export function writableBy(actor: Actor): RawBuilder<boolean> {
  return sql<boolean>`(${accessDecision(actor, 'contents:write')} = 'allowed')`;
}

/** Access decision with the reason for denial. `hidden` is reported as not found. */
export type AccessDecision = 'allowed' | 'hidden' | 'sso' | 'credential' | 'role' | 'archived';

/** SQL: access decision for what `scope` requires. */
export function accessDecision(actor: Actor, scope: HostingScope): RawBuilder<AccessDecision> {
  const { requirement, reachingScopes } = hostingScopes[scope];
  if (requirement?.target !== 'repository') throw new TypeError(`The access scope «${scope}» is not for repositories.`);
  const role = roleOf(actor);
  const within = reachOf(actor, reachingScopes);
  // A credential cannot deny what is public.
  const open = requirement.level === 'read' && requirement.role === 'read' ? isPublic : no;
  return sql<AccessDecision>`(case
    when r.is_private and not (${within} and ${role} > 0) then 'hidden'
    when ${open} then 'allowed'
    when ${withheldBySso(actor)} then 'sso'
    when not (${within} and ${permits(actor, requirement)}) then 'credential'
    when ${role} < ${sql.lit(roleNumbers[requirement.role])} then 'role'
    when ${requirement.writesContents ? sql`r.is_archived` : no} then 'archived'
    else 'allowed' end)`;
}

function permits(actor: Actor, { permission, level }: PermissionRequirement): RawBuilder<boolean> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') {
    return hasPermission(actor.permissions, permission, level) ? yes : no;
  }
  if (actor.kind !== 'user') return no;
  const { credential } = actor;
  if (credential.kind === 'fine_grained') return hasPermission(credential.permissions, permission, level) ? yes : no;
  if (credential.kind !== 'user_to_server') return yes;
  const { ceiling, appId } = credential;
  if (ceiling && !hasPermission(ceiling, permission, level)) return no;
  return isAppInstalled(appId, { permission, level });
}

/** SQL: role number for the published `permissions`: the role, limited by the credential. */
export function effectiveRole(actor: Actor): RawBuilder<number> {
  return sql<number>`(case
    when ${accessDecision(actor, 'administration:write')} = 'allowed' then 5
    when ${accessDecision(actor, 'contents:write')} in ('allowed', 'archived') then least(${roleOf(actor)}, 4)
    when ${visibleTo(actor)} then least(${roleOf(actor)}, 2)
    else 0 end)`;
}
