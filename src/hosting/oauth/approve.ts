import { type Kysely, sql } from 'kysely';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { grantToClient } from '../apps/authorize-app.ts';
import { revokeWhere } from '../credentials/revoke-token.ts';
import { newSecret } from './grant.ts';
import { type ClientIds, isOfClient, type OauthClient } from './oauth-client.ts';

/** Lifetime of a code in milliseconds. */
const codeLifetimeMs = 10 * 60_000;

/** Checks that the caller may authorize apps. @throws 401 or 403 otherwise */
export function assertMayAuthorize({ actor }: Pick<Context, 'actor'>): void {
  const verdict = checkHostingScope('tokens:write', actor);
  if (verdict !== true) throw verdict;
}

export interface ApprovedRequest {
  scopes: readonly string[];
  redirectUri: string;
  codeChallenge: string | undefined;
}

/**
 * Authorizes a client for the caller, and returns the code that the client exchanges for a token.
 *
 * @throws 403 for scopes that the caller's credential lacks
 */
export async function approveCode(
  context: Context,
  client: OauthClient,
  { scopes, redirectUri, codeChallenge }: ApprovedRequest,
): Promise<string> {
  assertMayAuthorize(context);
  const { accountId } = callingUser(context.actor);
  const now = context.now();
  const { parentId, parentLastEight } = grantToClient(context, client, scopes);
  const code = newSecret();
  await context.transaction(db =>
    sql`insert into oauth_grant (app_id, oauth_app_id, account_id, parent_id, parent_last_eight, scopes, flow, code_hash,
        redirect_uri, code_challenge, created_at, expires_at, decided_at)
      values (${client.appId}, ${client.oauthAppId}, ${accountId}, ${parentId}, ${parentLastEight}, ${[...scopes]}, 'code',
        ${code.hash}, ${redirectUri}, ${codeChallenge ?? null}, ${now}, ${new Date(now.getTime() + codeLifetimeMs)}, ${now})`.execute(
      db,
    ),
  );
  return code.text;
}

/**
 * What a client may do for the caller: the scopes of its tokens that are not revoked, and how many those are. Expired ones count,
 * because they can be refreshed.
 */
export async function connectionOf(
  context: Context,
  client: OauthClient,
): Promise<{ tokens: number; scopes: string[] }> {
  const { accountId } = callingUser(context.actor);
  const [found] = await context.read(sql<{ tokens: number; scopes: string[] }>`
    select count(distinct c.id)::int as tokens, coalesce(array_agg(distinct s.name) filter (where s.name is not null), '{}') as scopes
    from host_credential c left join lateral unnest(c.scopes) as s (name) on true
    where c.account_id = ${accountId} and ${isOfClient(client, 'c')} and c.revoked_at is null`);
  return found ?? { tokens: 0, scopes: [] };
}

/** Revokes all tokens of a client for the caller; its refresh tokens and unused codes end with them. */
export async function endConnection(context: Context, client: OauthClient): Promise<void> {
  assertMayAuthorize(context);
  const { accountId } = callingUser(context.actor);
  await context.transaction(db => revokeConnection(db, client, accountId, context.now()));
  context.credentials.invalidate();
}

/** Deletes the grants of an account to a client, and revokes their tokens. */
export async function revokeConnection(
  db: Kysely<unknown>,
  client: ClientIds,
  accountId: number,
  now: Date,
): Promise<void> {
  // Grants first: that waits for an exchange in progress, whose token is then among those revoked.
  await sql`delete from oauth_grant g where g.account_id = ${accountId} and ${isOfClient(client, 'g')}`.execute(db);
  await revokeWhere(db, sql`account_id = ${accountId} and ${isOfClient(client, 'host_credential')}`, now);
}
