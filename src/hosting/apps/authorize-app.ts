import { sql } from 'kysely';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { type Issued, unknownScopes } from '../credentials/create-token.ts';
import { insertCredential } from '../credentials/insert-credential.ts';

/** Milliseconds for which a token of an app for a user is good. */
const userTokenLifetimeMs = 8 * 60 * 60_000;

/**
 * Lets an app act for the caller and gives the token that it does so with. An OAuth app gets scopes, none that the token of
 * the caller lacks; an app gets what both the caller and its installations may, for eight hours.
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
  // An app works in repositories wherever it is installed. Each look-up bounds its permissions by the token that made this one.
  const grant = assertGrantable(
    caller,
    appId === null
      ? { scopes }
      : { reachesPrivate: true, expiresAt: new Date(context.now().getTime() + userTokenLifetimeMs) },
  );
  const kind = appId === null ? 'oauth' : 'user_to_server';
  return context.transaction(db =>
    insertCredential(
      db,
      { kind, accountId: caller.accountId, scopes: appId === null ? scopes : [], appId, oauthAppId, ...grant },
      context.now(),
    ),
  );
}
