import { type Kysely, sql } from 'kysely';
import { leaveAllChatGroups } from '../chat/chat-membership.ts';
import { communityRemoval } from './change-membership.ts';

/**
 * Removes accounts from all groups, in key order to avoid deadlocks, with their requests and invitations. What they own passes to the
 * longest-standing member, so that no group has members without an owner.
 */
export async function leaveAllGroups(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  for (const userId of userIds) {
    const found = await sql<{ id: number }>`select g.id from community_group g
      where g.id in (select group_id from community_membership where user_id = ${userId}) order by g.id for no key update`.execute(
      db,
    );
    for (const { id } of found.rows) {
      for (const statement of communityRemoval(id, userId)) await statement.execute(db);
    }
    await leaveAllChatGroups(db, userId);
  }
  await sql`delete from group_entry where person_id = any(${userIds}::bigint[]) or inviter_id = any(${userIds}::bigint[])`.execute(
    db,
  );
}
