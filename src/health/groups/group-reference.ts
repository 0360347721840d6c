import { type Kysely, type RawBuilder, sql } from 'kysely';
import { decodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { numberOfId, uuidOfId } from '../../context/global-ids.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { assertAdmin } from '../chat/chat-membership.ts';
import { communityLock } from '../community/change-membership.ts';

/** A chat group, or a community group. */
export type GroupReference = { kind: 'chat'; id: string } | { kind: 'community'; id: number };

/** @throws GraphQLError BAD_USER_INPUT for the global id of anything else */
export function groupOfId(id: string, field: string): GroupReference {
  return decodeGlobalId(id)?.type === 'CommunityGroup'
    ? { kind: 'community', id: numberOfId('CommunityGroup', id, field) }
    : { kind: 'chat', id: uuidOfId(['ChatGroup', 'CommunityGroup'], id, field) };
}

/** The column of `group_entry` that refers to groups of this kind. */
export const entryColumn = ({ kind }: Pick<GroupReference, 'kind'>): RawBuilder<unknown> =>
  sql.raw(kind === 'chat' ? 'chat_group_id' : 'community_group_id');

/**
 * Locks the group and requires that the user owns it.
 * @throws notFound, also for a secret group that the user is not in; forbidden
 */
export async function assertOwner(db: Kysely<unknown>, group: GroupReference, userId: number): Promise<void> {
  if (group.kind === 'chat') return assertAdmin(db, group.id, userId);
  await communityLock(group.id).execute(db);
  const found = await sql<{ isHidden: boolean; isOwner: boolean }>`
    select coalesce(g.owner_id = ${userId}, false) as "isOwner", g.visibility = 'secret' and not exists (
      select from community_membership m where m.group_id = g.id and m.user_id = ${userId}) as "isHidden"
    from community_group g where g.id = ${group.id}`.execute(db);
  const [standing] = found.rows;
  if (!standing || standing.isHidden) throw notFound();
  if (!standing.isOwner) throw forbidden();
}
