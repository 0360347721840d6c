import { sql } from 'kysely';
import type { UserActor } from '../../auth/actor.ts';
import { notAccessibleByToken, notAccessibleTo } from '../../auth/check-hosting-scope.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import { effectiveTokenScopes, inheritedBounds } from '../../auth/credentials/inherited-bounds.ts';
import { type AncestorCredential, isAuthorized, isLive, selectAncestors } from '../../auth/credentials/stored-token.ts';
import { permissionsEquivalentTo } from '../../auth/scope-coverage.ts';
import { decryptSsoRequest } from '../../auth/sso.ts';
import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { ssoRequired } from '../organizations/sso-required.ts';

/** Either both ids, or the request. */
interface SsoInput {
  organizationId?: number | undefined;
  tokenId?: number | undefined;
  request?: string | null | undefined;
}

/**
 * Authorizes a classic token for an organization that enforces single sign-on. There is no identity provider, so the
 * proof is a credential that is already valid there: a fine-grained token of the organization, or an authorized classic
 * token. With it, callers authorize their own tokens; administrators of the organization and site administrators those
 * of any member. The token may not exceed the proof. The authorization ends with the proof and with what authorized the
 * proof, so a stolen token leaves nothing behind. Returns the number of the organization. `request` is the parameter of the link in the response header, valid
 * for an hour.
 *
 * @throws 404, 403 or 422 when the authorization is not possible.
 */
export async function authorizeForSso(context: Context, input: SsoInput): Promise<number> {
  const caller = callingUser(context.actor);
  const target = await resolveTarget(context, input);
  const [found] = await context.read(sql<{
    organizationId: number;
    login: string;
    ownerId: number;
    callerRole: string | null;
    scopes: string[];
    above: AncestorCredential[];
  }>`
    select o.id as "organizationId", o.login, c.account_id as "ownerId",
      (select m.role from membership m where m.organization_id = o.id and m.account_id = ${caller.accountId}) as "callerRole",
      c.scopes, ${selectAncestors(sql`c.id`, context.now())} as above
    from host_credential c join account o on o.id = ${target.organizationId}
    join membership owner on owner.organization_id = o.id and owner.account_id = c.account_id
    where c.id = ${target.credentialId} and c.kind = 'classic' and ${isLive(sql`c.id`, context.now())}`);
  const isSiteAdmin =
    caller.isSiteAdmin &&
    caller.credential.kind === 'classic' &&
    hasTokenScope(caller.credential.scopes, ['site_admin']);
  const mayForOthers = isSiteAdmin || found?.callerRole === 'admin';
  const may = found && (mayForOthers || (found.callerRole !== null && found.ownerId === caller.accountId));
  if (!found || !may) throw notFound();
  assertProof(context, caller, { id: found.organizationId, login: found.login });
  const { parentId } = assertAuthorizable(caller, found);
  const { organizationId } = found;
  const at = context.now();
  // A valid authorization is kept: one given by the operator must not come to depend on a token, nor two tokens on each
  // other.
  await context.transaction(db =>
    sql`insert into sso_authorization as s (credential_id, organization_id, authorized_at, authorized_by_ids)
      select ${target.credentialId}, ${organizationId}, ${at}, array_agg(distinct proof.id) from (
        select ${parentId}::bigint as id
        union all select unnest(own.authorized_by_ids) from credential_chain(${parentId}) above
          join sso_authorization own on own.credential_id = above.id and own.organization_id = ${organizationId}) proof
      on conflict (credential_id, organization_id) do update
        set authorized_by_ids = excluded.authorized_by_ids, authorized_at = excluded.authorized_at
        where not ${isAuthorized(at)}`.execute(db),
  );
  context.credentials.invalidate();
  return organizationId;
}

/** The token may not exceed the authorizing credential or its ancestors in the organization. */
function assertAuthorizable(
  caller: UserActor,
  { organizationId, scopes, above: tokens }: { organizationId: number; scopes: string[]; above: AncestorCredential[] },
): { parentId: number | null } {
  const held = effectiveTokenScopes(scopes, tokens);
  if (inheritedBounds(tokens)?.ssoOrganizations?.includes(organizationId) === false) throw notAccessibleByToken();
  return assertGrantable(caller, {
    isAuthorization: true,
    permissions: permissionsEquivalentTo(held),
    reachesPrivate: hasTokenScope(held, ['repo']),
    ssoOrganizationId: organizationId,
  });
}

function assertProof(context: Context, caller: UserActor, organization: { id: number; login: string }): void {
  const { credential } = caller;
  if (credential.kind === 'fine_grained') {
    if (credential.resourceOwnerId !== organization.id) throw notAccessibleByToken();
  } else if (credential.kind === 'classic') {
    if (!credential.ssoOrganizations.includes(organization.id)) throw ssoRequired(context, organization);
    if (!hasTokenScope(credential.scopes, ['user'])) throw notAccessibleByToken();
  } else throw notAccessibleTo(caller);
}

async function resolveTarget(
  context: Context,
  { organizationId, tokenId, request }: SsoInput,
): Promise<{ credentialId: number; organizationId: number }> {
  if (request != null) {
    const target = decryptSsoRequest(context.keys, request, context.now());
    if (target) return target;
    throw validationFailed([{ resource: 'Token', field: 'request', code: 'invalid' }]);
  }
  if (organizationId === undefined || tokenId === undefined) throw notFound();
  return { credentialId: tokenId, organizationId };
}
