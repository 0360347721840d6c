import { type Kysely, sql } from 'kysely';
import type { ChatStanding } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { notMemberError } from './conversations.ts';

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

interface LockedGroup {
  isActive: boolean;
  participantCount: number;
  /** Creator of the community group that the chat belongs to. */
  founder: number | null;
}

/**
 * Locks the group row. All membership changes take this lock, so that counts, admins and the end of a group stay
 * consistent.
 */
async function lockGroup(db: Kysely<unknown>, groupId: string): Promise<LockedGroup> {
  const found = await sql<LockedGroup>`select is_active as "isActive", participant_count as "participantCount",
      case when community_id is not null then creator_id end as founder
    from chat_group where id = ${groupId} for no key update`.execute(db);
  const group = found.rows[0];
  if (!group) throw notFound();
  return group;
}

/** Adds members to a group that is locked or new. Returns the number of members. */
export async function addMembers(
  db: Kysely<unknown>,
  groupId: string,
  userIds: readonly number[],
  { now, isAdmin }: { now: string; isAdmin: boolean },
): Promise<number> {
  const added = await sql<{ participantCount: number }>`
    with added as (
      insert into chat_membership (group_id, user_id, is_admin, joined_at, read_at)
      select g.id, one.id, ${isAdmin}::boolean, ${now}::timestamptz, coalesce(g.last_message_at, 'epoch')
      from chat_group g cross join unnest(${userIds}::bigint[]) one(id) where g.id = ${groupId}
      on conflict do nothing returning 1)
    update chat_group set participant_count = participant_count + (select count(*) from added)
    where id = ${groupId} returning participant_count as "participantCount"`.execute(db);
  return added.rows[0]?.participantCount ?? 0;
}

/**
 * Removes a member from a locked group. When no admin is left, the longest-standing member becomes one. A group without
 * members becomes inactive, except the chat of a community group. Returns the number of members.
 */
async function removeMember(db: Kysely<unknown>, groupId: string, userId: number): Promise<number> {
  const removed = await sql<{ participantCount: number }>`
    with gone as (
      delete from chat_membership where group_id = ${groupId} and user_id = ${userId} returning 1)
    update chat_group set participant_count = participant_count - (select count(*) from gone),
      is_active = is_active and (community_id is not null or participant_count > (select count(*) from gone))
    where id = ${groupId} returning participant_count as "participantCount"`.execute(db);
  await sql`update chat_membership set is_admin = true
    where group_id = ${groupId} and not exists (select 1 from chat_membership where group_id = ${groupId} and is_admin)
      and user_id = (select user_id from chat_membership where group_id = ${groupId} order by joined_at, user_id limit 1)`.execute(
    db,
  );
  return removed.rows[0]?.participantCount ?? 0;
}

/**
 * Joins a group; no effect when already a member.
 * @throws notFound; forbidden for an inactive group or a banned caller
 */
export async function joinChatGroup(context: Dependencies, groupId: string): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  const participantCount = await context.transaction(async db => {
    const group = await lockGroup(db, groupId);
    const found = await sql<{ member: boolean; banned: boolean }>`select
      exists (select 1 from chat_membership where group_id = ${groupId} and user_id = ${userId}) as member,
      exists (select 1 from chat_ban where group_id = ${groupId} and user_id = ${userId}) as banned`.execute(db);
    if (found.rows[0]?.member) return group.participantCount;
    if (found.rows[0]?.banned) throw forbidden({ reason: 'banned' }, 'You were removed from this group.');
    if (!group.isActive) throw forbidden({ reason: 'group_inactive' }, 'This group is over.');
    // There must be an admin: the first member and, in the chat of a community group, its creator.
    const isAdmin = group.participantCount === 0 || group.founder === userId;
    return addMembers(db, groupId, [userId], { now: context.now().toISOString(), isAdmin });
  });
  return { detail: 'You are a member of this group.', isMember: true, participantCount };
}

/**
 * Leaves a group; no effect when not a member.
 * @throws notFound for a group that does not exist
 */
export async function leaveChatGroup(context: Dependencies, groupId: string): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  const participantCount = await context.transaction(async db => {
    await lockGroup(db, groupId);
    return removeMember(db, groupId, userId);
  });
  return { detail: 'You left this group.', isMember: false, participantCount };
}

/** Removes an account from all its groups, in key order to avoid deadlocks. */
export async function leaveAllChatGroups(db: Kysely<unknown>, userId: number): Promise<void> {
  const found = await sql<{ id: string }>`select g.id from chat_group g
    where g.id in (select group_id from chat_membership where user_id = ${userId}) order by g.id for no key update`.execute(
    db,
  );
  for (const { id } of found.rows) await removeMember(db, id, userId);
}

async function assertAdmin(db: Kysely<unknown>, groupId: string, userId: number): Promise<void> {
  await lockGroup(db, groupId);
  const found = await sql<{ isAdmin: boolean }>`select is_admin as "isAdmin" from chat_membership
    where group_id = ${groupId} and user_id = ${userId}`.execute(db);
  if (!found.rows[0]) throw notMemberError();
  if (!found.rows[0].isAdmin) throw forbidden();
}

/** Removes and bans a member. Admins only. */
export async function removeChatMember(
  context: Dependencies,
  groupId: string,
  memberId: number,
): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  if (memberId === userId) throw invalidInput({ personId: ['You cannot remove yourself. Leave the group.'] });
  const participantCount = await context.transaction(async db => {
    await assertAdmin(db, groupId, userId);
    const banned = await sql`insert into chat_ban (group_id, user_id, banned_at)
      select group_id, user_id, ${context.now().toISOString()}::timestamptz from chat_membership
      where group_id = ${groupId} and user_id = ${memberId} on conflict do nothing returning 1`.execute(db);
    if (banned.rows.length === 0) throw notFound();
    return removeMember(db, groupId, memberId);
  });
  return { detail: 'The member was removed.', isMember: true, participantCount };
}

/** Lifts a ban. Admins only. */
export async function liftChatBan(context: Dependencies, groupId: string, memberId: number): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  const participantCount = await context.transaction(async db => {
    await assertAdmin(db, groupId, userId);
    const lifted =
      await sql`delete from chat_ban where group_id = ${groupId} and user_id = ${memberId} returning 1`.execute(db);
    if (lifted.rows.length === 0) throw notFound();
    return (await lockGroup(db, groupId)).participantCount;
  });
  return { detail: 'The person may join again.', isMember: true, participantCount };
}
