import { type Kysely, sql } from 'kysely';
import { leaveAllGroups } from './leave-groups.ts';

/**
 * Removes erased accounts from the community: deletes memberships, connections and derived terms. Messages stay without
 * their author, because others replied to them; private chats stay for the other participant, as chats with a deleted
 * user.
 */
export async function eraseFromCommunity(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  await leaveAllGroups(db, userIds);
  await sql`update chat_message set author_id = null, client_id = null where author_id = any(${userIds}::bigint[])`.execute(
    db,
  );
  await sql`update community_group set creator_id = null where creator_id = any(${userIds}::bigint[])`.execute(db);
  await sql`update chat_group set creator_id = null where creator_id = any(${userIds}::bigint[])`.execute(db);
  await sql`delete from peer_connection where asker_id = any(${userIds}::bigint[]) or asked_id = any(${userIds}::bigint[])`.execute(
    db,
  );
  for (const table of ['health_profile', 'private_chat_reader', 'chat_ban']) {
    await sql`delete from ${sql.table(table)} where user_id = any(${userIds}::bigint[])`.execute(db);
  }
}
