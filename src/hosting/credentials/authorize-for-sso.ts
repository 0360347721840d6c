import { sql } from 'kysely';
import type { UserActor } from '../../auth/actor.ts';
import { hasScope, notByKind, notByToken } from '../../auth/hosting-words.ts';
import { readSsoRequest } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { loginKey } from '../accounts/login.ts';
import { ssoRequired } from '../organizations/sso-required.ts';

/**
 * Lets a classic token be used with an organization that enforces single sign-on. There is no sign-on page of ours, so
 * the proof is a credential that is good there already: a fine-grained token of the organization, a classic one that was
 * authorized before, or that of somebody who looks after the installation. Whoever has one may authorize tokens of
 * their own; administrators of the organization those of any member. `request` is what the address in the header holds,
 * for an hour.
 */
export async function authorizeForSso(
  context: Context,
  input: {
    organization?: string | null | undefined;
    tokenId?: number | null | undefined;
    request?: string | null | undefined;
  },
): Promise<void> {
  const caller = callingUser(context.actor);
  const wish = await wishOf(context, input);
  const [found] = await context.read(sql<{
    organizationId: number;
    login: string;
    ownerId: number;
    callerRole: string | null;
  }>`
    select o.id as "organizationId", o.login, c.account_id as "ownerId",
      (select m.role from membership m where m.organization_id = o.id and m.account_id = ${caller.accountId}) as "callerRole"
    from host_credential c join account o on o.id = ${wish.organizationId}
    join membership owner on owner.organization_id = o.id and owner.account_id = c.account_id
    where c.id = ${wish.credentialId} and c.kind = 'classic' and c.revoked_at is null`);
  const rules =
    caller.isSiteAdmin && caller.credential.kind === 'classic' && hasScope(caller.credential.scopes, ['site_admin']);
  const mayForOthers = rules || found?.callerRole === 'admin';
  const may = found && (mayForOthers || (found.callerRole !== null && found.ownerId === caller.accountId));
  if (!found || !may) throw notFound();
  if (!rules) demandProof(context, caller, { id: found.organizationId, login: found.login });
  await context.transaction(db =>
    sql`insert into sso_authorization (credential_id, organization_id, authorized_at)
      values (${wish.credentialId}, ${found.organizationId}, ${context.now()}) on conflict do nothing`.execute(db),
  );
  context.credentials.forget();
}

function demandProof(context: Context, caller: UserActor, organization: { id: number; login: string }): void {
  const { credential } = caller;
  if (credential.kind === 'fine_grained') {
    if (credential.resourceOwnerId !== organization.id) throw notByToken();
  } else if (credential.kind === 'classic') {
    if (!credential.ssoOrganizations.includes(organization.id)) throw ssoRequired(context, organization);
    if (!hasScope(credential.scopes, ['user'])) throw notByToken();
  } else throw notByKind(caller);
}

async function wishOf(
  context: Context,
  {
    organization,
    tokenId,
    request,
  }: {
    organization?: string | null | undefined;
    tokenId?: number | null | undefined;
    request?: string | null | undefined;
  },
): Promise<{ credentialId: number; organizationId: number }> {
  if (request != null) {
    const wish = readSsoRequest(context.keys, request, context.now());
    if (wish) return wish;
    throw ruleBroken([{ resource: 'Token', field: 'request', code: 'invalid' }]);
  }
  const key = loginKey(organization ?? '');
  if (key === undefined || tokenId == null) throw notFound();
  const [found] = await context.read(sql<{ id: number }>`
    select id from account where lower(login) = ${key} and kind = 'organization'`);
  if (!found) throw notFound();
  return { credentialId: tokenId, organizationId: found.id };
}
