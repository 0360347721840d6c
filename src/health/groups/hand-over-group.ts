import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { notKeptApart } from '../community/blocks.ts';
import { adminOfOwner } from '../community/change-membership.ts';
import { isReachable } from '../people/person-card.ts';
import { assertOwner, type GroupReference } from './group-reference.ts';

/**
 * Makes another member the owner of a group of the caller, who stays a member.
 * @throws notFound; forbidden unless the caller owns the group; a field error for anyone but another member
 */
export async function handOverGroup(
  context: Pick<Context, 'actor' | 'transaction'>,
  group: GroupReference,
  personId: number,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(async db => {
    await assertOwner(db, group, userId);
    const membership = sql.table(group.kind === 'chat' ? 'chat_membership' : 'community_membership');
    const member = await sql`select from ${membership} m join users u on u.id = m.user_id
      where m.group_id = ${group.id} and m.user_id = ${personId} and m.user_id <> ${userId} and ${isReachable('u')}
        and ${notKeptApart(userId, 'u.id')}`.execute(db);
    if (member.rows.length === 0) throw invalidInput({ personId: ['Choose another member of the group.'] });
    if (group.kind === 'chat') {
      await sql`update chat_membership set is_admin = user_id = ${personId}
        where group_id = ${group.id} and user_id in (${userId}, ${personId})`.execute(db);
      return;
    }
    await sql`update community_group set owner_id = ${personId} where id = ${group.id}`.execute(db);
    await adminOfOwner(group.id).execute(db);
  });
}
