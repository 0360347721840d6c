import { type RawBuilder, sql } from 'kysely';
import type { CommunityStanding } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { memberRemoval } from '../chat/chat-membership.ts';
import { admitsToCommunity } from '../groups/admission.ts';
import { matchingTermsRefresh } from '../profiles/matching-terms.ts';
import { type AgeProblem, ageError, ageProblem } from './refuse-contact.ts';

/** Statement that locks the group row. All membership changes take this lock, so that counts and the owner stay consistent. */
export const communityLock = (groupId: number): RawBuilder<unknown> =>
  sql`select 1 from community_group where id = ${groupId} for no key update`;

interface JoinOutcome {
  ageProblem: AgeProblem | null;
  memberCount: number;
  isMember: boolean;
  isHidden: boolean;
}

/**
 * Statement that adds a member to a locked group, who becomes its owner if there is none. `isAdmitted` is a condition on the row `g`; an
 * `AgeProblem` admits nobody.
 * No row when there is no such active group.
 */
export function memberAddition(
  groupId: number,
  userId: number,
  now: string,
  isAdmitted: RawBuilder<boolean>,
): RawBuilder<JoinOutcome> {
  return sql<JoinOutcome>`
    with standing as (
      select g.id, g.visibility, ${isAdmitted} as is_admitted, ${ageProblem(userId)} as age_problem,
        exists (select from community_membership where group_id = g.id and user_id = ${userId}) as is_member
      from community_group g where g.id = ${groupId} and g.is_active),
    joined as (
      insert into community_membership (group_id, user_id, joined_at)
      select id, ${userId}, ${now} from standing where is_admitted and not is_member and age_problem is null returning 1),
    entered as (
      delete from group_entry where community_group_id = ${groupId} and person_id = ${userId} and exists (select from joined))
    update community_group g set member_count = g.member_count + (select count(*) from joined),
      owner_id = case when exists (select from joined) then coalesce(g.owner_id, ${userId}) else g.owner_id end
    from standing where g.id = standing.id
    returning g.member_count as "memberCount", standing.is_member or exists (select from joined) as "isMember",
      standing.visibility = 'secret' and not standing.is_admitted as "isHidden", standing.age_problem as "ageProblem"`;
}

/**
 * Statements that remove a member from a locked group. The longest-standing member succeeds an owner who leaves. A closed or
 * secret group without members ends, because no member is left who could let others in. Members leave its chat as well, unless the group is open.
 * The row of the first is the number of members; none for a secret group that the user is not in.
 */
export function communityRemoval(
  groupId: number,
  userId: number,
): readonly [RawBuilder<{ memberCount: number }>, ...RawBuilder<unknown>[]] {
  const chat = sql<string>`(select id from chat_group where community_id = ${groupId} and visibility <> 'open')`;
  return [
    sql<{ memberCount: number }>`
      with gone as (
        delete from community_membership where group_id = ${groupId} and user_id = ${userId} returning 1)
      update community_group set member_count = member_count - (select count(*) from gone),
        is_active = is_active and (visibility = 'open' or member_count > (select count(*) from gone)),
        owner_id = case when owner_id is distinct from ${userId} then owner_id else (
          select user_id from community_membership where group_id = ${groupId} and user_id <> ${userId}
          order by joined_at, user_id limit 1) end
      where id = ${groupId} and (visibility <> 'secret'
        or exists (select from community_membership where group_id = ${groupId} and user_id = ${userId}))
      returning member_count as "memberCount"`,
    sql`select 1 from chat_group where id = ${chat} for no key update`,
    ...memberRemoval(chat, userId),
    adminOfOwner(groupId),
  ];
}

/** Statement that makes the owner of a community group an admin of its chat, if in it. */
export const adminOfOwner = (groupId: number): RawBuilder<unknown> => sql`
  update chat_membership m set is_admin = true
  from chat_group c join community_group g on g.id = c.community_id
  where g.id = ${groupId} and m.group_id = c.id and m.user_id = g.owner_id and not m.is_admin`;

type Dependencies = Pick<Context, 'actor' | 'now' | 'pipeline'>;

/**
 * Joins a group. Idempotent. An invited person accepts by joining.
 * @throws notFound, also for a secret group without an invitation; forbidden `group_closed`, or with an `AgeProblem`
 */
export async function joinCommunityGroup(context: Dependencies, groupId: number): Promise<CommunityStanding> {
  const { userId } = requirePerson(context.actor);
  const now = context.now();
  // The row of the user first, as everywhere: the refresh of the terms needs it.
  const [lock, refresh] = matchingTermsRefresh([userId]);
  const [, , [group]] = await context.pipeline([
    lock,
    communityLock(groupId),
    memberAddition(groupId, userId, now.toISOString(), admitsToCommunity(userId, 'g')),
    refresh,
  ]);
  if (!group || (group.isHidden && !group.isMember)) throw notFound();
  if (!group.isMember) {
    if (group.ageProblem) throw ageError(group.ageProblem);
    throw forbidden({ reason: 'group_closed' }, 'This group is closed. Ask to join it, or wait for an invitation.');
  }
  return { detail: 'You are a member of this group.', isMember: true, memberCount: group.memberCount };
}

/**
 * Leaves a group. Idempotent.
 * @throws notFound for a group that does not exist, and for a secret one that the caller is not in
 */
export async function leaveCommunityGroup(context: Dependencies, groupId: number): Promise<CommunityStanding> {
  const { userId } = requirePerson(context.actor);
  const [lock, refresh] = matchingTermsRefresh([userId]);
  const [, , [group]] = await context.pipeline([
    lock,
    communityLock(groupId),
    ...communityRemoval(groupId, userId),
    refresh,
  ]);
  if (!group) throw notFound();
  return { detail: 'You left this group.', isMember: false, memberCount: group.memberCount };
}
