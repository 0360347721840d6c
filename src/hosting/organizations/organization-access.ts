import { type RawBuilder, sql } from 'kysely';
import type { Account } from '../../../schema/hosting/account.ts';
import { levels } from '../../../schema/hosting/permission-map.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor } from '../../auth/actor.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hasPermission, hasTokenScope, hostingScopes } from '../../auth/hosting-scopes.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { loginKey } from '../accounts/login.ts';
import { ssoRequired } from './sso-required.ts';

/** An organization in which the caller may do what was asked for. */
export type OrganizationRow = Pick<Account, 'id' | 'login'>;

type OrganizationAccessDecision = 'allowed' | 'hidden' | 'sso';

/**
 * The organization with this login, for what `word` stands for. Null for those who may not: that there is such a page is told
 * to nobody who cannot use it. Throws 403 where single sign-on alone stands in the way. Permissions that the access word
 * can see have been looked at before.
 */
export async function organizationFor(
  context: Pick<Context, 'actor' | 'read' | 'config' | 'keys' | 'now' | 'origin'>,
  login: string,
  word: HostingScope,
): Promise<OrganizationRow | null> {
  const key = loginKey(login);
  if (key === undefined) return null;
  const [found] = await context.read(sql<OrganizationRow & { verdict: OrganizationAccessDecision }>`
    select a.id, a.login, ${organizationAccessDecision(context.actor, word)} as verdict
    from account a where lower(a.login) = ${key} and a.kind = 'organization'`);
  if (!found || found.verdict === 'hidden') return null;
  if (found.verdict === 'sso') throw ssoRequired(context, found);
  return { id: found.id, login: found.login };
}

/** Whether an organization enforces single sign-on and is none of these; null stands for all. */
const isWithheldBySso = (authorized: readonly number[] | null): RawBuilder<boolean> =>
  authorized ? sql<boolean>`(a.enforces_sso and not a.id = any(${[...authorized]}::bigint[]))` : sql<boolean>`false`;

/** The verdict on what an access word stands for, over `a` (account). */
function organizationAccessDecision(actor: Actor, word: HostingScope): RawBuilder<OrganizationAccessDecision> {
  const { requirement } = hostingScopes[word];
  if (requirement?.target !== 'organization') throw new TypeError(`«${word}» is not about organizations.`);
  const roles = requirement.role === 'admin' ? ['admin'] : ['admin', 'member'];
  const belongs = (accountId: number) => sql`exists (select 1 from membership m
    where m.organization_id = a.id and m.account_id = ${accountId} and m.role = any(${roles}))`;
  if (actor.kind === 'installation') {
    const may = actor.accountId;
    const holds = hasPermission(actor.permissions, requirement.permission, requirement.level);
    if (!holds) return sql`'hidden'`;
    // The app may not do there what its installer may no longer do.
    const { accountIds = [], ssoOrganizations = null } = actor.credential.bounds ?? {};
    const conditions = [sql`a.id = ${may}`, ...accountIds.map(belongs), sql`not ${isWithheldBySso(ssoOrganizations)}`];
    return sql`(case when ${sql.join(conditions, sql` and `)} then 'allowed' else 'hidden' end)`;
  }
  if (actor.kind !== 'user') return sql`'hidden'`;
  const isMember = belongs(actor.accountId);
  const { credential } = actor;
  const isWithheld = isWithheldBySso(ssoOrganizationsOf(credential));
  const verdict = (may: RawBuilder<unknown>): RawBuilder<OrganizationAccessDecision> =>
    sql`(case when not (${isMember} and ${may}) then 'hidden' when ${isWithheld} then 'sso' else 'allowed' end)`;
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasTokenScope(credential.scopes, hostingScopes[word].tokenScopes) ? verdict(sql`true`) : sql`'hidden'`;
    case 'fine_grained':
      if (!hasPermission(credential.permissions, requirement.permission, requirement.level)) return sql`'hidden'`;
      return verdict(sql`a.id = ${credential.resourceOwnerId}`);
    case 'user_to_server': {
      const { narrowed, ceiling, appId } = credential;
      if (ceiling && !hasPermission(ceiling, requirement.permission, requirement.level)) return sql`'hidden'`;
      const within = narrowed ? sql`a.id = ${narrowed.ownerId}` : sql`true`;
      return verdict(sql`${within} and exists (select 1 from installation i
        where i.app_id = ${appId} and i.account_id = a.id and ${isInstalled}
          and i.permissions ->> ${requirement.permission} = any(${levels.slice(levels.indexOf(requirement.level))}))`);
    }
  }
}
