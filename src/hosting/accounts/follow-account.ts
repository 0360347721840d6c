import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountById } from './accounts.queries.ts';
import { callingUser } from './caller.ts';

type FollowContext = Pick<Context, 'actor' | 'read' | 'transaction' | 'now'>;

/**
 * Follows or unfollows a user. Idempotent.
 *
 * @throws 404 for an unknown user; 422 for oneself.
 */
export async function setFollowing(context: FollowContext, userId: number, follow: boolean): Promise<void> {
  const { accountId } = callingUser(context.actor);
  const other = await accountById(context, userId, new Map(), 'user');
  if (!other) throw notFound();
  if (other.databaseId === accountId) {
    throw validationFailed([
      { resource: 'Account', field: 'userId', code: 'custom', message: 'Nobody can follow themselves.' },
    ]);
  }
  await context.transaction(async db => {
    if (follow) {
      await sql`insert into follow (follower_id, followed_id, followed_at)
        values (${accountId}, ${other.databaseId}, ${context.now()}) on conflict do nothing`.execute(db);
    } else {
      await sql`delete from follow where follower_id = ${accountId} and followed_id = ${other.databaseId}`.execute(db);
    }
  });
}
