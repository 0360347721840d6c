import { sql } from 'kysely';
import { storedHash } from '../../auth/hosting-token.ts';
import { revokeWhere } from '../credentials/revoke-token.ts';
import { type GrantRow, grantColumns, issueTokens, type OauthContext, revokeGrant, type TokenAnswer } from './grant.ts';
import { isOfClient, type OauthClient } from './oauth-client.ts';

type RefreshRow = GrantRow & { tokenId: number; isTokenUsed: boolean; isTokenExpired: boolean; isRevoked: boolean };

/**
 * Exchanges a refresh token for new tokens; those before are revoked. A second exchange revokes the new ones as well. Only what a
 * device got, whose flow asks for no secret, is refreshed without one.
 */
export async function refreshTokens(
  context: OauthContext,
  client: OauthClient,
  { refreshToken, hasSecret }: { refreshToken: string; hasSecret: boolean },
): Promise<TokenAnswer> {
  const now = context.now();
  const answer = await context.transaction<TokenAnswer>(async db => {
    const { rows } = await sql<RefreshRow>`
      select ${grantColumns(now)}, t.id as "tokenId", t.used_at is not null as "isTokenUsed",
        t.expires_at <= ${now} as "isTokenExpired", c.id is null or c.revoked_at is not null as "isRevoked"
      from oauth_refresh_token t join oauth_grant g on g.id = t.grant_id left join host_credential c on c.id = g.credential_id
      where t.hash = ${storedHash(refreshToken)} and ${isOfClient(client, 'g')} for update of t, g`.execute(db);
    const [found] = rows;
    if (!found) return { error: 'bad_refresh_token' };
    if (!hasSecret && found.flow !== 'device') return { error: 'incorrect_client_credentials' };
    if (found.isTokenUsed) await revokeGrant(db, found, now);
    if (found.isTokenUsed || found.isTokenExpired || found.isRevoked || !found.isParentLive) {
      return { error: 'bad_refresh_token' };
    }
    await sql`update oauth_refresh_token set used_at = ${now} where id = ${found.tokenId}`.execute(db);
    await revokeWhere(db, sql`id = ${found.credentialId}`, now);
    return issueTokens(db, client, found, now);
  });
  context.credentials.invalidate();
  return answer;
}
