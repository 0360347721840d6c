import { type RawBuilder, sql } from 'kysely';
import type { CommunityStanding } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { matchingTermsRefresh } from '../profiles/matching-terms.ts';

/**
 * Statement that adds or removes a member; its row is the number of members, and there is none when there is no such group to join.
 * The count changes by the rows actually inserted or deleted, so it is correct under concurrency.
 */
export function membershipChange(
  change: 'join' | 'leave',
  groupId: number,
  userId: number,
  now: string,
): RawBuilder<{ memberCount: number }> {
  return change === 'join'
    ? sql<{ memberCount: number }>`
        with joined as (
          insert into community_membership (group_id, user_id, joined_at)
          select id, ${userId}, ${now} from community_group where id = ${groupId} and is_active
          on conflict do nothing returning 1)
        update community_group set member_count = member_count + (select count(*) from joined)
        where id = ${groupId} and is_active returning member_count as "memberCount"`
    : sql<{ memberCount: number }>`
        with gone as (
          delete from community_membership where group_id = ${groupId} and user_id = ${userId} returning 1)
        update community_group set member_count = member_count - (select count(*) from gone)
        where id = ${groupId} returning member_count as "memberCount"`;
}

/**
 * Joins or leaves a group. Idempotent.
 * @throws notFound for a group that does not exist
 */
export async function changeOwnMembership(
  context: Pick<Context, 'actor' | 'now' | 'pipeline'>,
  change: 'join' | 'leave',
  groupId: number,
): Promise<CommunityStanding> {
  const { userId } = requirePerson(context.actor);
  const isMember = change === 'join';
  const now = context.now();
  const [[group]] = await context.pipeline([
    membershipChange(change, groupId, userId, now.toISOString()),
    ...matchingTermsRefresh([userId], now),
  ]);
  if (!group) throw notFound();
  const { memberCount } = group;
  return { detail: isMember ? 'You are a member of this group.' : 'You left this group.', isMember, memberCount };
}
