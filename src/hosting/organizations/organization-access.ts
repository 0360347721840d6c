import { type RawBuilder, sql } from 'kysely';
import type { Account } from '../../../schema/hosting/account.ts';
import { levels } from '../../../schema/hosting/permission-map.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor } from '../../auth/actor.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hostingScopes } from '../../auth/hosting-scopes.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { loginKey } from '../accounts/login.ts';
import { ssoRequired } from './sso-required.ts';

/** An organization in which the caller has the requested access. */
export type OrganizationRow = Pick<Account, 'id' | 'login'>;

export type OrganizationAccessDecision = 'allowed' | 'hidden' | 'sso';

type AccessContext = Pick<Context, 'actor' | 'read' | 'config' | 'keys' | 'now' | 'origin'>;

/**
 * Finds an organization, by login or number, in which the caller has the access that `scope` requires. Null otherwise: existence is not
 * revealed. Permissions that the access scope can check itself were checked before the field runs.
 *
 * @throws 403 when only single sign-on is missing.
 */
export async function organizationFor(
  context: AccessContext,
  organization: string | number,
  scope: HostingScope,
): Promise<OrganizationRow | null> {
  const key = typeof organization === 'number' ? organization : loginKey(organization);
  if (key === undefined) return null;
  const condition = typeof key === 'number' ? sql`a.id = ${key}` : sql`lower(a.login) = ${key}`;
  const [row] = await selectJudged(context, condition, scope);
  const found = judged(context, row);
  if (found instanceof Error) throw found;
  return found;
}

/** The same for many ids, in one statement, in their order. Where only single sign-on is missing, the error. */
export async function organizationsFor(
  context: AccessContext,
  ids: readonly number[],
  scope: HostingScope,
): Promise<(OrganizationRow | Error | null)[]> {
  const rows = await selectJudged(context, sql`a.id = any(${[...ids]}::bigint[])`, scope);
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => judged(context, byId.get(id)));
}

type JudgedOrganization = OrganizationRow & { decision: OrganizationAccessDecision };

function selectJudged(
  { actor, read }: AccessContext,
  condition: RawBuilder<unknown>,
  scope: HostingScope,
): Promise<JudgedOrganization[]> {
  return read(sql<JudgedOrganization>`
    select a.id, a.login, ${organizationAccessDecision(actor, scope)} as decision
    from account a where ${condition} and a.kind = 'organization'`);
}

function judged(context: AccessContext, found: JudgedOrganization | undefined): OrganizationRow | Error | null {
  if (!found || found.decision === 'hidden') return null;
  if (found.decision === 'sso') return ssoRequired(context, found);
  return { id: found.id, login: found.login };
}

/** SQL: the organization enforces single sign-on and is not among `authorized`; null means all are. */
const isWithheldBySso = (authorized: readonly number[] | null): RawBuilder<boolean> =>
  authorized ? sql<boolean>`(a.enforces_sso and not a.id = any(${[...authorized]}::bigint[]))` : sql<boolean>`false`;

/** SQL: access decision for `scope` over `a` (account). */
export function organizationAccessDecision(actor: Actor, scope: HostingScope): RawBuilder<OrganizationAccessDecision> {
  const { requirement } = hostingScopes[scope];
  if (requirement?.target !== 'organization')
    throw new TypeError(`The access scope «${scope}» is not for organizations.`);
  const roles = requirement.role === 'admin' ? ['admin'] : ['admin', 'member'];
  const belongs = (accountId: number) => sql`exists (select 1 from membership m
    where m.organization_id = a.id and m.account_id = ${accountId} and m.role = any(${roles}))`;
  if (actor.kind === 'installation') {
    const may = actor.accountId;
    const holds = hasPermission(actor.permissions, requirement.permission, requirement.level);
    if (!holds) return sql`'hidden'`;
    // An app loses access that its installer loses.
    const { accountIds = [], ssoOrganizations = null } = actor.credential.bounds ?? {};
    const conditions = [sql`a.id = ${may}`, ...accountIds.map(belongs), sql`not ${isWithheldBySso(ssoOrganizations)}`];
    return sql`(case when ${sql.join(conditions, sql` and `)} then 'allowed' else 'hidden' end)`;
  }
  if (actor.kind !== 'user') return sql`'hidden'`;
  const isMember = belongs(actor.accountId);
  const { credential } = actor;
  const isWithheld = isWithheldBySso(ssoOrganizationsOf(credential));
  const decision = (may: RawBuilder<unknown>): RawBuilder<OrganizationAccessDecision> =>
    sql`(case when not (${isMember} and ${may}) then 'hidden' when ${isWithheld} then 'sso' else 'allowed' end)`;
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasTokenScope(credential.scopes, hostingScopes[scope].tokenScopes) ? decision(sql`true`) : sql`'hidden'`;
    case 'fine_grained':
      if (!hasPermission(credential.permissions, requirement.permission, requirement.level)) return sql`'hidden'`;
      return decision(sql`a.id = ${credential.resourceOwnerId}`);
    case 'user_to_server': {
      const { narrowed, ceiling, appId } = credential;
      if (ceiling && !hasPermission(ceiling, requirement.permission, requirement.level)) return sql`'hidden'`;
      const within = narrowed ? sql`a.id = ${narrowed.ownerId}` : sql`true`;
      return decision(sql`${within} and exists (select 1 from installation i
        where i.app_id = ${appId} and i.account_id = a.id and ${isInstalled}
          and i.permissions ->> ${requirement.permission} = any(${levels.slice(levels.indexOf(requirement.level))}))`);
    }
  }
}
