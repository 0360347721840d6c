import { type RawBuilder, sql } from 'kysely';
import { levels } from '../../../schema/hosting/permission-map.ts';
import type { HostingWord } from '../../../schema/vocabulary/access.ts';
import type { Actor } from '../../auth/actor.ts';
import { hasPermission, hasScope, hostingWords } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { loginKey } from '../accounts/login.ts';
import { ssoRequired } from './sso-required.ts';

/** An organization in which the caller may do what was asked for. */
export interface OrganizationRow {
  id: number;
  login: string;
}

type OrganizationVerdict = 'allowed' | 'hidden' | 'sso';

/**
 * The organization with this login, for what `word` stands for. Null for those who may not: that there is such a page is told
 * to nobody who cannot use it. Throws 403 where single sign-on alone stands in the way. Permissions that the access word
 * can see have been looked at before.
 */
export async function organizationFor(
  context: Pick<Context, 'actor' | 'read' | 'config' | 'keys' | 'now' | 'origin'>,
  login: string,
  word: HostingWord,
): Promise<OrganizationRow | null> {
  const key = loginKey(login);
  if (key === undefined) return null;
  const [found] = await context.read(sql<OrganizationRow & { verdict: OrganizationVerdict }>`
    select a.id, a.login, ${organizationVerdict(context.actor, word)} as verdict
    from account a where lower(a.login) = ${key} and a.kind = 'organization'`);
  if (!found || found.verdict === 'hidden') return null;
  if (found.verdict === 'sso') throw ssoRequired(context, found);
  return { id: found.id, login: found.login };
}

/** The verdict on what an access word stands for, over `a` (account). */
function organizationVerdict(actor: Actor, word: HostingWord): RawBuilder<OrganizationVerdict> {
  const { need } = hostingWords[word];
  if (need?.on !== 'organization') throw new TypeError(`«${word}» is not about organizations.`);
  if (actor.kind === 'installation') {
    const may = actor.accountId;
    const holds = hasPermission(actor.permissions, need.permission, need.level);
    return holds ? sql`(case when a.id = ${may} then 'allowed' else 'hidden' end)` : sql`'hidden'`;
  }
  if (actor.kind !== 'user') return sql`'hidden'`;
  const roles = need.role === 'admin' ? ['admin'] : ['admin', 'member'];
  const belongs = sql`exists (select 1 from membership m
    where m.organization_id = a.id and m.account_id = ${actor.accountId} and m.role = any(${roles}))`;
  const { credential } = actor;
  switch (credential.kind) {
    case 'classic':
    case 'oauth': {
      if (!hasScope(credential.scopes, hostingWords[word].scopes)) return sql`'hidden'`;
      const authorized = credential.kind === 'oauth' ? null : [...credential.ssoOrganizations];
      const withheld = authorized ? sql`a.enforces_sso and not a.id = any(${authorized}::bigint[])` : sql`false`;
      return sql`(case when not ${belongs} then 'hidden' when ${withheld} then 'sso' else 'allowed' end)`;
    }
    case 'fine_grained':
      if (!hasPermission(credential.permissions, need.permission, need.level)) return sql`'hidden'`;
      return sql`(case when a.id = ${credential.resourceOwnerId} and ${belongs} then 'allowed' else 'hidden' end)`;
    case 'user_to_server': {
      const { narrowed, appId } = credential;
      if (narrowed && !hasPermission(narrowed.permissions, need.permission, need.level)) return sql`'hidden'`;
      const within = narrowed ? sql`a.id = ${narrowed.ownerId}` : sql`true`;
      return sql`(case when ${belongs} and ${within} and exists (select 1 from installation i
        where i.app_id = ${appId} and i.account_id = a.id and i.suspended_at is null
          and i.permissions ->> ${need.permission} = any(${levels.slice(levels.indexOf(need.level))}))
        then 'allowed' else 'hidden' end)`;
    }
  }
}
