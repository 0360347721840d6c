import { type Kysely, sql } from 'kysely';
import type { CommunityStanding } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

/**
 * Adds or removes a member and returns the number of members; null when there is no such group to join. One statement:
 * the count changes by the rows actually inserted or deleted, so it is correct under concurrency.
 */
export async function changeMembership(
  db: Kysely<unknown>,
  change: 'join' | 'leave',
  groupId: number,
  userId: number,
  now: string,
): Promise<number | null> {
  const changed = await (change === 'join'
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
        where id = ${groupId} returning member_count as "memberCount"`
  ).execute(db);
  return changed.rows[0]?.memberCount ?? null;
}

/**
 * Joins or leaves a group. Idempotent.
 * @throws notFound for a group that does not exist
 */
export async function changeOwnMembership(
  context: Dependencies,
  change: 'join' | 'leave',
  groupId: number,
): Promise<CommunityStanding> {
  const { userId } = requirePerson(context.actor);
  const isMember = change === 'join';
  const memberCount = await context.transaction(async db => {
    const count = await changeMembership(db, change, groupId, userId, context.now().toISOString());
    await refreshMatchingTerms(db, [userId], context.now());
    return count;
  });
  if (memberCount === null) throw notFound();
  return { detail: isMember ? 'You are a member of this group.' : 'You left this group.', isMember, memberCount };
}
