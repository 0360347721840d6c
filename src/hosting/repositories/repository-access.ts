import { type RawBuilder, sql } from 'kysely';
import { type Level, levels } from '../../../schema/hosting/permission-map.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor, InheritedBounds, InstallationActor, UserCredential, WorkflowActor } from '../../auth/actor.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hostingScopes, type PermissionRequirement } from '../../auth/hosting-scopes.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';

/**
 * Who may do what in a repository, as pieces of SQL over `r` (repository) joined to its owner `o` (account). They are the
 * only place that decides it: a list puts `visibleTo` into its condition, and what concerns one repository reads
 * `verdictOn` along with its row, in the same statement.
 */

/** Roles from the least to the most; a role is its place in this list, from 1, and 0 is none. */
const roleNames = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
const roleNumbers: Record<PermissionRequirement['role'], number> = { read: 1, member: 1, write: 3, admin: 5 };
const roleNamesSql = sql.raw(`array[${roleNames.map(role => `'${role}'`).join(', ')}]`);

const yes = sql<boolean>`true`;
const no = sql<boolean>`false`;
const isPublic = sql<boolean>`not r.is_private`;

/**
 * What the caller could do by role, 0 to 5, whatever the credential allows: owner, member, collaborator, anybody. An app and
 * a workflow have that of the user who let them in; where nobody is known to have, their permissions alone bound them.
 */
export function roleOf(actor: Actor): RawBuilder<number> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') return leastRoleOfGrantors(actor);
  return actor.kind === 'user' ? roleOfUser(actor.accountId) : publicRole;
}

/** The least role of the users who installed the app or asked for the token of the workflow: what they lost it has lost. */
function leastRoleOfGrantors({ credential }: InstallationActor | WorkflowActor): RawBuilder<number> {
  const roles = (credential.bounds?.accountIds ?? []).map(roleOfUser);
  if (roles.length === 0) return sql<number>`(case when ${isForkClosedTo(sql`r.owner_id`)} then 0 else 5 end)`;
  return sql<number>`least(${sql.join(roles)})`;
}

const publicRole = sql<number>`(case when r.is_private then 0 else 1 end)`;

/**
 * Whether a private fork is closed to an account because the account may not read what it was forked from: its parent, which
 * may be such a fork as well, the parent of that, or the first of its network. Rejected was the whole chain by a recursive query:
 * a page of events then reads more than its cost allows (2,337 buffers of 2,000). Asked of the rows, so that it holds however the account lost its access there: as a member, as a
 * collaborator, by a visibility or a base permission that changed. Rejected was deleting forks at each of these places.
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

/** The role of a user, 0 to 5. */
export function roleOfUser(accountId: number): RawBuilder<number> {
  return sql<number>`(case when ${isForkClosedTo(sql`${accountId}::bigint`)} then 0 when r.owner_id = ${accountId} then 5 else greatest(${publicRole},
    coalesce((select case m.role when 'admin' then 5 else coalesce(array_position(${roleNamesSql}, o.base_permission), 0) end
      from membership m where m.organization_id = r.owner_id and m.account_id = ${accountId}), 0),
    coalesce((select array_position(${roleNamesSql}, c.role)
      from collaborator c where c.repository_id = r.id and c.account_id = ${accountId}), 0)) end)`;
}

/** Whether the credential is good for more in the repository than anybody may do; roles and permissions come on top. */
function reachOf(actor: Actor): RawBuilder<boolean> {
  switch (actor.kind) {
    case 'user':
      return reachOfUser(actor.credential);
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

/** The same, without the private ones where a credential above is not good for them. */
function withinReach(own: RawBuilder<boolean>, bounds: InheritedBounds | undefined): RawBuilder<boolean> {
  return bounds?.reachesPrivate === false ? sql<boolean>`(${isPublic} and ${own})` : own;
}

/** Whether an installation is about the repository. Asked of the row: it may have been narrowed since the token was made. */
function coversRepository(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from installation i where i.id = ${id} and (i.repository_selection = 'all' or exists (
    select 1 from installation_repository ir where ir.installation_id = i.id and ir.repository_id = r.id)))`;
}

function reachOfUser(credential: UserCredential): RawBuilder<boolean> {
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      if (hasTokenScope(credential.scopes, ['repo'])) return yes;
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

/** Whether an app is installed where the repository is, and was given the permission there. */
function isAppInstalled(appId: number, need?: { permission: string; level: Level }): RawBuilder<boolean> {
  const given =
    need === undefined || (need.permission === 'metadata' && need.level === 'read')
      ? sql``
      : sql`and i.permissions ->> ${need.permission} = any(${levels.slice(levels.indexOf(need.level))})`;
  return sql<boolean>`exists (select 1 from installation i where i.app_id = ${appId} and i.account_id = r.owner_id
    and ${isInstalled} ${given} and (i.repository_selection = 'all' or exists (
      select 1 from installation_repository ir where ir.installation_id = i.id and ir.repository_id = r.id)))`;
}

/** Whether a classic token of a member, or one above the credential, has not been authorized for the organization that demands it. */
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

/** The repositories that a list shows to the caller. What single sign-on withholds is left out. */
export function visibleTo(actor: Actor): RawBuilder<boolean> {
  const beyond = reachOf(actor);
  if (beyond === no) return isPublic;
  return sql<boolean>`(not r.is_private or (${beyond} and ${roleOf(actor)} > 0 and not ${withheldBySso(actor)}))`;
}

/** The private ones that single sign-on alone keeps out of such a list. */
export function withheldBySsoFrom(actor: Actor): RawBuilder<boolean> {
  const withheld = withheldBySso(actor);
  if (withheld === no) return no;
  return sql<boolean>`(r.is_private and ${reachOf(actor)} and ${roleOf(actor)} > 0 and ${withheld})`;
}

/** The repositories that the caller may change the contents of; archived ones are none of them. */
export function writableBy(actor: Actor): RawBuilder<boolean> {
  return sql<boolean>`(${accessDecision(actor, 'contents:write')} = 'allowed')`;
}

/** Why something may not be done in a repository; `allowed` when it may. `hidden` is told as absence. */
export type AccessDecision = 'allowed' | 'hidden' | 'sso' | 'credential' | 'role' | 'archived';

/** The verdict on what an access word stands for. */
export function accessDecision(actor: Actor, word: HostingScope): RawBuilder<AccessDecision> {
  const { requirement } = hostingScopes[word];
  if (requirement?.target !== 'repository') throw new TypeError(`«${word}» is not about repositories.`);
  const role = roleOf(actor);
  const within = reachOf(actor);
  // What everybody may read nobody is kept from by a credential that may less.
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

/** What the caller may do, as the published `permissions` say it: the role, bounded by what the credential allows. */
export function effectiveRole(actor: Actor): RawBuilder<number> {
  return sql<number>`(case
    when ${accessDecision(actor, 'administration:write')} = 'allowed' then 5
    when ${accessDecision(actor, 'contents:write')} in ('allowed', 'archived') then least(${roleOf(actor)}, 4)
    when ${visibleTo(actor)} then least(${roleOf(actor)}, 2)
    else 0 end)`;
}
