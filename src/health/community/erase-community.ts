import { type Kysely, sql } from 'kysely';
import { deleteRows, largest, updateRows } from '../../db/row-batches.ts';
import { leaveAllGroups } from './leave-groups.ts';

/**
 * Removes erased accounts from the community: deletes memberships, connections and derived terms. Messages stay without
 * their author, because others replied to them; private chats stay for the other participant, as chats with a deleted
 * user. `limit` and the result are those of a `RowBatch`; null for all.
 */
export async function eraseFromCommunity(
  db: Kysely<unknown>,
  userIds: readonly number[],
  limit: number | null = null,
): Promise<number> {
  await leaveAllGroups(db, userIds);
  const erased = sql`any(${userIds}::bigint[])`;
  const counts = [
    await updateRows(db, 'chat_message', sql`author_id = null, client_id = null`, sql`author_id = ${erased}`, limit),
    await updateRows(db, 'community_group', sql`creator_id = null`, sql`creator_id = ${erased}`, limit),
    await updateRows(db, 'chat_group', sql`creator_id = null`, sql`creator_id = ${erased}`, limit),
    await deleteRows(db, 'peer_connection', sql`asker_id = ${erased} or asked_id = ${erased}`, limit),
  ];
  for (const table of ['health_profile', 'private_chat_reader', 'chat_ban'])
    counts.push(await deleteRows(db, table, sql`user_id = ${erased}`, limit));
  return largest(counts);
}
