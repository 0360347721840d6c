import { InvalidTokenError } from '../../auth/session-tokens.ts';
import { renewSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { badCredential } from '../../errors/errors.ts';
import { recordAuditEvent } from './record-audit-event.ts';

/** Tokens of a renewed session, with the id of its person. */
export interface RenewedSession {
  userId: number;
  accessToken: string;
  refreshToken: string;
}

type Dependencies = Pick<Context, 'config' | 'transaction' | 'now' | 'rateLimiter' | 'tokens'>;

const invalidTokenError = (message: string) => badCredential({ reason: 'token_not_valid' }, message);

/**
 * Renews a session. A rotated token returns the same successor for 30 s; later use means that the token leaked, and the
 * session ends.
 * @throws `token_not_valid`; `no_active_account` when the account is deleted or inactive (401)
 */
export async function refreshTokens(context: Dependencies, refresh: string): Promise<RenewedSession> {
  const now = context.now();
  const token = await context.tokens.verify('refresh', refresh, now).catch((error: unknown) => {
    throw error instanceof InvalidTokenError ? invalidTokenError(error.message) : error;
  });
  await context.rateLimiter.charge([{ action: 'refresh', key: token.sessionId }]);
  // Returned, not thrown: the transaction that ends the session of a reused token must commit.
  const renewal = await context.transaction(async db => {
    const result = await renewSession(
      { db, tokens: context.tokens, now },
      token,
      context.config.REFRESH_ROTATION === 'on',
    );
    if (result.kind === 'reused') await recordAuditEvent(db, result.userId, 'token_reused', now);
    return result;
  });
  if (renewal.kind === 'renewed') {
    const { accessToken, refreshToken } = renewal;
    return { userId: token.userId, accessToken, refreshToken };
  }
  if (renewal.kind === 'refused' && renewal.reason === 'no-account') {
    throw badCredential({ reason: 'no_active_account' }, 'No active account found for the given token.');
  }
  throw invalidTokenError('Token is blacklisted');
}
