import { sql } from 'kysely';
import { InvalidTokenError, type SessionTokens, type TokenClaims } from '../../auth/session-tokens.ts';
import { endSessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { badCredential } from '../../errors/errors.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { requirePerson } from './require-person.ts';

type Dependencies = Pick<Context, 'actor' | 'transaction' | 'now' | 'tokens'>;

/**
 * Ends the session of a refresh token of one's own; its access token dies with it. An own token that is expired or already
 * blacklisted is fine: the caller wants out, and is. Throws token_not_valid for anything that is no own token.
 */
export async function logOut(context: Dependencies, refresh: string): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const token = await findOwnRefreshToken(context.tokens, refresh, userId);
  if (!token) throw badCredential({ reason: 'token_not_valid' }, 'Token is invalid');
  await context.transaction(async db => {
    const now = context.now();
    const own = await sql`select 1 from session where id = ${token.sessionId} and user_id = ${userId}`.execute(db);
    if (own.rows.length === 0) return;
    await endSessions({ db, now }, { sessionId: token.sessionId }, 'logged_out');
    await recordAuditEvent(db, userId, 'logged_out', now);
  });
}

/** The claims of a refresh token of this person, expired or not; undefined for anything else. */
export async function findOwnRefreshToken(
  tokens: SessionTokens,
  text: string,
  userId: number,
): Promise<TokenClaims | undefined> {
  // The beginning of time: no token is expired then.
  const token = await tokens.verify('refresh', text, new Date(0)).catch((error: unknown) => {
    if (error instanceof InvalidTokenError) return undefined;
    throw error;
  });
  return token?.userId === userId ? token : undefined;
}
