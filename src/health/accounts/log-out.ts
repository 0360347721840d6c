import { sql } from 'kysely';
import { InvalidTokenError, type SessionTokens, type TokenClaims } from '../../auth/session-tokens.ts';
import { endSessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { badCredential, notFound } from '../../errors/errors.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { requirePerson } from './require-person.ts';

type Dependencies = Pick<Context, 'actor' | 'transaction' | 'now' | 'tokens'>;

/**
 * Ends the session of one of the caller's refresh tokens; its access token becomes invalid with it. An expired or
 * already revoked token of the caller succeeds.
 * @throws `token_not_valid` (401) for any other token
 */
export async function logOut(context: Dependencies, refresh: string): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const token = await findOwnRefreshToken(context.tokens, refresh, userId);
  if (!token) throw badCredential({ reason: 'token_not_valid' }, 'Token is invalid');
  await endSession(context, userId, token.sessionId);
}

/** Ends the session that the caller is authenticated by. */
export async function endOwnSession(context: Omit<Dependencies, 'tokens'>): Promise<void> {
  const { userId, sessionId } = requirePerson(context.actor);
  await endSession(context, userId, sessionId);
}

/** Ends another session of the caller. @throws notFound for none that is open */
export async function endOtherSession(context: Omit<Dependencies, 'tokens'>, sessionId: string): Promise<void> {
  const { userId } = requirePerson(context.actor);
  if (!(await endSession(context, userId, sessionId))) throw notFound();
}

/** Returns whether there was an open one. */
function endSession(
  context: Pick<Dependencies, 'transaction' | 'now'>,
  userId: number,
  sessionId: string,
): Promise<boolean> {
  return context.transaction(async db => {
    const now = context.now();
    const open = await sql`select from session
      where id = ${sessionId} and user_id = ${userId} and ended_at is null for update`.execute(db);
    if (open.rows.length === 0) return false;
    await endSessions({ db, now }, { sessionId }, 'logged_out');
    await recordAuditEvent(db, userId, 'logged_out', now);
    return true;
  });
}

/** Claims of a refresh token of this user, expired or not; undefined for any other token. */
export async function findOwnRefreshToken(
  tokens: SessionTokens,
  text: string,
  userId: number,
): Promise<TokenClaims | undefined> {
  // As of 1970, so that no token counts as expired.
  const token = await tokens.verify('refresh', text, new Date(0)).catch((error: unknown) => {
    if (error instanceof InvalidTokenError) return undefined;
    throw error;
  });
  return token?.userId === userId ? token : undefined;
}
