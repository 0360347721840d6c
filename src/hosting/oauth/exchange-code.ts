import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { issueTokens, lockGrant, type OauthContext, revokeGrant, type TokenAnswer } from './grant.ts';
import type { OauthClient } from './oauth-client.ts';

export interface CodeExchange {
  code: string;
  redirectUri?: string | undefined;
  codeVerifier?: string | undefined;
  /** Whether the client proved its secret. Only a public client may do without: it proves that it began the flow (RFC 7636). */
  hasSecret: boolean;
}

/** Exchanges the code of the web flow for tokens. A second exchange revokes what the first one gave. */
export async function exchangeCode(
  context: OauthContext,
  client: OauthClient,
  { code, redirectUri, codeVerifier, hasSecret }: CodeExchange,
): Promise<TokenAnswer> {
  // The code stays as it is: whoever sent it is not known to be the client.
  if (!client.isPublic && !hasSecret) return { error: 'incorrect_client_credentials' };
  const now = context.now();
  const answer = await context.transaction<TokenAnswer>(async db => {
    const grant = await lockGrant(db, client, { flow: 'code', code, now });
    if (!grant) return { error: 'bad_verification_code' };
    if (client.isPublic && grant.codeChallenge === null) return { error: 'bad_verification_code' };
    if (grant.isUsed) {
      await revokeGrant(db, grant, now);
      return { error: 'bad_verification_code' };
    }
    // Whatever follows, the code is used: who holds a stolen one has one attempt.
    await sql`update oauth_grant set used_at = ${now} where id = ${grant.id}`.execute(db);
    if (redirectUri !== undefined && redirectUri !== grant.redirectUri) return { error: 'redirect_uri_mismatch' };
    const isGood = !grant.isExpired && grant.isParentLive && isVerifier(codeVerifier, grant.codeChallenge);
    return isGood ? issueTokens(db, client, grant, now) : { error: 'bad_verification_code' };
  });
  if ('error' in answer) context.credentials.invalidate();
  return answer;
}

/** A verifier without a challenge is refused as well: the client believes that its flow is protected. */
function isVerifier(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
