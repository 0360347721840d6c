import { sql } from 'kysely';
import { openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { findProfile } from './accounts.queries.ts';
import type { SessionResult } from './log-in.ts';

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'device' | 'transaction' | 'now' | 'origin' | 'rateLimiter' | 'tokens'
>;

/** Creates a guest account and opens its session. Guests without activity for 30 days are deleted. */
export async function startGuest(context: Dependencies): Promise<SessionResult> {
  await context.rateLimiter.charge([{ action: 'guest', key: context.actor.ip }]);
  return context.transaction(async db => {
    const now = context.now();
    const made = await sql<{ id: number }>`insert into users (is_guest, is_active, date_joined, last_seen_at)
      values (true, true, ${now}, ${now}) returning id`.execute(db);
    const id = made.rows[0]?.id ?? 0;
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id, isGuest: true }, context);
    const viewer = await findProfile(db, context, id);
    if (!viewer) throw new Error('The guest account was not inserted.');
    return { ...tokens, viewer };
  });
}
