import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountByLogin } from './accounts.queries.ts';
import { callingUser } from './caller.ts';

type FollowContext = Pick<Context, 'actor' | 'read' | 'transaction' | 'now'>;

/**
 * Follows or unfollows a user. Idempotent. Returns the id of the user.
 *
 * @throws 404 for an unknown user; 422 for oneself.
 */
export async function setFollowing(context: FollowContext, login: string, follow: boolean): Promise<number> {
  const { accountId } = callingUser(context.actor);
  const other = await accountByLogin(context, login, new Map(), 'user');
  if (!other) throw notFound();
  if (other.databaseId === accountId) {
    throw validationFailed([
      { resource: 'Account', field: 'login', code: 'custom', message: 'Nobody can follow themselves.' },
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
  return other.databaseId;
}
