import { sql } from 'kysely';
import { assertGrantable, type GrantedParent } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { type Issued, unknownScopes } from '../credentials/create-token.ts';
import { insertCredential } from '../credentials/insert-credential.ts';

/** Lifetime in milliseconds of an app's user token. */
export const userTokenLifetimeMs = 8 * 60 * 60_000;

/**
 * Authorizes an app to act for the caller and returns its token. OAuth apps get the given scopes, limited to those of
 * the caller's token. Apps get the permissions that both the caller and the installations have, for eight hours.
 *
 * @throws 404 for an unknown client id; 422 for unknown scopes.
 */
export async function authorizeApp(context: Context, clientId: string, scopes: readonly string[]): Promise<Issued> {
  const caller = callingUser(context.actor);
  const problems = unknownScopes(scopes);
  if (problems.length > 0) throw validationFailed(problems);
  assertGrantable(caller, { scopes });
  const [found] = await context.read(sql<{ appId: number | null; oauthAppId: number | null }>`
    select id as "appId", null::bigint as "oauthAppId" from app where client_id = ${clientId}
    union all select null, id from oauth_app where client_id = ${clientId}`);
  if (!found) throw notFound();
  const { appId, oauthAppId } = found;
  const grant = grantToClient(context, { appId }, scopes);
  const kind = appId === null ? 'oauth' : 'user_to_server';
  return context.transaction(db =>
    insertCredential(
      db,
      { kind, accountId: caller.accountId, scopes: appId === null ? scopes : [], appId, oauthAppId, ...grant },
      context.now(),
    ),
  );
}

/**
 * Decides what an app may get from the caller: an OAuth app the scopes, an app the permissions of the caller for eight hours.
 *
 * @throws 403 for what the caller's credential lacks
 */
export function grantToClient(
  { actor, now }: Pick<Context, 'actor' | 'now'>,
  { appId }: { appId: number | null },
  scopes: readonly string[],
): GrantedParent {
  // An app acts wherever it is installed. Each token look-up limits its permissions by the token that created it.
  return assertGrantable(
    actor,
    appId === null ? { scopes } : { reachesPrivate: true, expiresAt: new Date(now().getTime() + userTokenLifetimeMs) },
  );
}
