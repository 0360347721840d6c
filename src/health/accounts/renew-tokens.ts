import { renewSession } from '../../auth/sessions.ts';
import { TokenRefused } from '../../auth/tokens.ts';
import type { Context } from '../../context/context.ts';
import { badCredential } from '../../errors/errors.ts';
import { audit } from './audit.ts';

type Surroundings = Pick<Context, 'config' | 'transaction' | 'now' | 'throttle' | 'tokens'>;

const notValid = (message: string) => badCredential({ reason: 'token_not_valid' }, message);

/**
 * Renews a session. Within 30 s after its rotation a token is answered with the same successor; later its use means that
 * two hold it, and the session ends. Throws token_not_valid and, for an account that is gone or inactive, no_active_account.
 */
export async function renewTokens(
  context: Surroundings,
  refresh: string,
): Promise<{ access: string; refresh: string }> {
  const now = context.now();
  const token = await context.tokens.read('refresh', refresh, now).catch((error: unknown) => {
    throw error instanceof TokenRefused ? notValid(error.message) : error;
  });
  await context.throttle.spend([{ budget: 'refresh', key: token.sessionId }]);
  // The end of a session whose token was reused must be kept, so the transaction returns it and does not throw.
  const renewal = await context.transaction(async db => {
    const done = await renewSession(
      { db, tokens: context.tokens, now },
      token,
      context.config.REFRESH_ROTATION === 'on',
    );
    if (done.kind === 'reused') await audit(db, done.userId, 'token_reused', now);
    return done;
  });
  if (renewal.kind === 'renewed') return { access: renewal.access, refresh: renewal.refresh };
  if (renewal.kind === 'refused' && renewal.reason === 'no-account') {
    throw badCredential({ reason: 'no_active_account' }, 'No active account found for the given token.');
  }
  throw notValid('Token is blacklisted');
}
