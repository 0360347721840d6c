import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ChatStanding } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type AgeProblem, ageError, ageProblem } from '../community/refuse-contact.ts';
import { admitsToChat } from '../groups/admission.ts';
import { notMemberError } from './conversations.ts';

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

/**
 * Statement that locks the group row. All membership changes take this lock, so that counts, admins and the end of a group stay
 * consistent.
 */
const groupLock = (groupId: string): RawBuilder<unknown> =>
  sql`select 1 from chat_group where id = ${groupId} for no key update`;

/** The number of the first message that a member who joins the `chat_group` row `alias` may read. */
const firstReadableOf = (alias: string): RawBuilder<number> => {
  const group = sql.raw(alias);
  return sql`case when ${group}.shares_history then 1 else ${group}.message_count + 1 end`;
};

/** Adds members to a group that is locked or new. Returns the number of members. */
export async function addMembers(
  db: Kysely<unknown>,
  groupId: string,
  userIds: readonly number[],
  { now, isAdmin }: { now: string; isAdmin: boolean },
): Promise<number> {
  const added = await sql<{ participantCount: number }>`
    with added as (
      insert into chat_membership (group_id, user_id, is_admin, joined_at, read_at, first_ordinal)
      select g.id, one.id, ${isAdmin}::boolean, ${now}::timestamptz, coalesce(g.last_message_at, 'epoch'), ${firstReadableOf('g')}
      from chat_group g cross join unnest(${userIds}::bigint[]) one(id) where g.id = ${groupId}
      on conflict do nothing returning 1)
    update chat_group set participant_count = participant_count + (select count(*) from added)
    where id = ${groupId} returning participant_count as "participantCount"`.execute(db);
  return added.rows[0]?.participantCount ?? 0;
}

/**
 * Statements that remove a member from a locked group. When no admin is left, the longest-standing member becomes one. A group
 * without members becomes inactive, except the chat of a community group. The row of the first is the number of members.
 */
export function memberRemoval(
  groupId: string | RawBuilder<string>,
  userId: number,
): [RawBuilder<{ participantCount: number }>, RawBuilder<unknown>] {
  // The statement sees the membership that it deletes.
  const removal = sql<{ participantCount: number }>`
    with gone as (
      delete from chat_membership where group_id = ${groupId} and user_id = ${userId} returning 1)
    update chat_group set participant_count = participant_count - (select count(*) from gone),
      is_active = is_active and (community_id is not null or participant_count > (select count(*) from gone))
    where id = ${groupId} and (visibility <> 'secret'
      or exists (select from chat_membership where group_id = ${groupId} and user_id = ${userId}))
    returning participant_count as "participantCount"`;
  const succession = sql`update chat_membership set is_admin = true
    where group_id = ${groupId} and not exists (select 1 from chat_membership where group_id = ${groupId} and is_admin)
      and user_id = (select user_id from chat_membership where group_id = ${groupId} order by joined_at, user_id limit 1)`;
  return [removal, succession];
}

/** Removes a member from a locked group. Returns the number of members. */
export async function removeMember(db: Kysely<unknown>, groupId: string, userId: number): Promise<number> {
  const [removal, succession] = memberRemoval(groupId, userId);
  const removed = await removal.execute(db);
  await succession.execute(db);
  return removed.rows[0]?.participantCount ?? 0;
}

/**
 * Joins a group; no effect when already a member. An invited person accepts by joining.
 * @throws notFound, also for a secret group without an invitation; forbidden `banned`, `group_inactive`, `group_closed`, or with an
 *   `AgeProblem`
 */
export async function joinChatGroup(
  context: Pick<Context, 'actor' | 'now' | 'pipeline'>,
  groupId: string,
): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  const [, [group]] = await context.pipeline([
    groupLock(groupId),
    // There must be an admin: the first member and, in the chat of a community group, its owner.
    sql<JoinOutcome>`
      with standing as (
        select g.*, exists (select from chat_membership where group_id = g.id and user_id = ${userId}) as is_member,
          exists (select from chat_ban where group_id = g.id and user_id = ${userId}) as is_banned,
          ${admitsToChat(userId, 'g')} as is_admitted, ${ageProblem(userId)} as age_problem,
          (select owner_id from community_group where id = g.community_id) as owner_id
        from chat_group g where g.id = ${groupId}),
      added as (
        insert into chat_membership (group_id, user_id, is_admin, joined_at, read_at, first_ordinal)
        select id, ${userId}, participant_count = 0 or coalesce(owner_id = ${userId}, false),
          ${context.now().toISOString()}, coalesce(last_message_at, 'epoch'), ${firstReadableOf('standing')}
        from standing where is_active and not is_banned and not is_member and is_admitted
          and age_problem is null returning 1),
      counted as (
        update chat_group set participant_count = participant_count + 1 where id = ${groupId} and exists (select from added)),
      entered as (
        delete from group_entry where chat_group_id = ${groupId} and person_id = ${userId} and exists (select from added))
      select is_member or exists (select from added) as "isMember", is_banned as "isBanned", is_active as "isActive", age_problem as "ageProblem",
        visibility = 'secret' and not is_admitted as "isHidden", community_id is not null as "isOfCommunity",
        participant_count + (select count(*) from added)::int as "participantCount" from standing`,
  ]);
  if (!group) throw notFound();
  const { isMember, participantCount } = group;
  if (isMember) return { detail: 'You are a member of this group.', isMember, participantCount };
  throw refusalToJoin(group);
}

interface JoinOutcome {
  isMember: boolean;
  isBanned: boolean;
  isActive: boolean;
  isHidden: boolean;
  isOfCommunity: boolean;
  ageProblem: AgeProblem | null;
  participantCount: number;
}

function refusalToJoin({ isHidden, isBanned, isActive, isOfCommunity, ageProblem: problem }: JoinOutcome): Error {
  if (isHidden) return notFound();
  if (problem) return ageError(problem);
  if (isBanned) return forbidden({ reason: 'banned' }, 'You were removed from this group.');
  if (!isActive) return forbidden({ reason: 'group_inactive' }, 'This group is over.');
  return forbidden(
    { reason: 'group_closed' },
    isOfCommunity
      ? 'This chat is for members of its community group. Join the group first.'
      : 'This group is closed. Ask to join it, or wait for an invitation.',
  );
}

/**
 * Leaves a group; no effect when not a member.
 * @throws notFound for a group that does not exist, and for a secret one that the caller is not in
 */
export async function leaveChatGroup(
  context: Pick<Context, 'actor' | 'pipeline'>,
  groupId: string,
): Promise<ChatStanding> {
  const { userId } = requirePerson(context.actor);
  const [, [group]] = await context.pipeline([groupLock(groupId), ...memberRemoval(groupId, userId)]);
  if (!group) throw notFound();
  return { detail: 'You left this group.', isMember: false, participantCount: group.participantCount };
}

/** Removes an account from all its groups, in key order to avoid deadlocks. What it owns passes on as when it leaves. */
export async function leaveAllChatGroups(db: Kysely<unknown>, userId: number): Promise<void> {
  const found = await sql<{ id: string }>`select g.id from chat_group g
    where g.id in (select group_id from chat_membership where user_id = ${userId}) order by g.id for no key update`.execute(
    db,
  );
  for (const { id } of found.rows) await removeMember(db, id, userId);
}

/**
 * Locks the group.
 * @throws notFound, also for a secret group that the user is not in; forbidden, with `not_member` for no member
 */
export async function assertAdmin(db: Kysely<unknown>, groupId: string, userId: number): Promise<void> {
  await groupLock(groupId).execute(db);
  const found = await sql<{ isSecret: boolean; isAdmin: boolean | null }>`
    select g.visibility = 'secret' as "isSecret", m.is_admin as "isAdmin"
    from chat_group g left join chat_membership m on m.group_id = g.id and m.user_id = ${userId}
    where g.id = ${groupId}`.execute(db);
  const [standing] = found.rows;
  if (!standing || (standing.isSecret && standing.isAdmin === null)) throw notFound();
  if (standing.isAdmin === null) throw notMemberError();
  if (!standing.isAdmin) throw forbidden();
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
    const group = await sql<{ participantCount: number }>`
      select participant_count as "participantCount" from chat_group where id = ${groupId}`.execute(db);
    return group.rows[0]?.participantCount ?? 0;
  });
  return { detail: 'The person may join again.', isMember: true, participantCount };
}
