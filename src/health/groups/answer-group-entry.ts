import { type Kysely, sql } from 'kysely';
import type { GroupEntryAnswer } from '../../../schema/health/group-entry.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { mayMeet, notKeptApart } from '../community/blocks.ts';
import { requestOnHold, requireAge } from '../community/refuse-contact.ts';
import type { GroupReference } from './group-reference.ts';
import { letIn, lockStanding } from './group-standing.ts';

interface WaitingEntry {
  chatGroupId: string | null;
  communityGroupId: number | null;
  personId: number;
  isRequest: boolean;
  isOwner: boolean;
  mayMeet: boolean;
}

/**
 * Accepts or declines a request to a group that the caller owns, or an invitation to the caller. Declining one that waits for another
 * person withdraws it. Returns the group.
 * @throws notFound; forbidden for accepting what waits for another person, with an `AgeProblem`, `on_hold` for accepting a person who may
 *   meet nobody new, and `banned` or `group_inactive` where the group admits no one
 */
export async function answerGroupEntry(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  id: number,
  answer: GroupEntryAnswer,
): Promise<GroupReference> {
  const { userId } = requirePerson(context.actor);
  return context.transaction(async db => {
    const before = await findEntry(db, id, userId);
    if (!before) throw notFound();
    const group: GroupReference =
      before.chatGroupId === null
        ? { kind: 'community', id: before.communityGroupId ?? 0 }
        : { kind: 'chat', id: before.chatGroupId };
    // The group is locked first, as by all who change memberships; the entry may have been answered meanwhile.
    const standing = await lockStanding(db, group, before.personId);
    const entry = await findEntry(db, id, userId);
    if (!entry || !standing) throw notFound();
    const isForCaller = entry.isRequest ? entry.isOwner : entry.personId === userId;
    if (answer === 'decline') {
      await (isForCaller
        ? sql`update group_entry set declined_at = ${context.now()} where id = ${id}`.execute(db)
        : sql`delete from group_entry where id = ${id}`.execute(db));
      return group;
    }
    if (!isForCaller) throw forbidden();
    if (!entry.mayMeet) {
      await requireAge(db, userId);
      throw requestOnHold();
    }
    if (standing.isBanned) throw forbidden({ reason: 'banned' }, 'This person was removed from the group.');
    if (!standing.isActive) throw forbidden({ reason: 'group_inactive' }, 'This group is over.');
    await letIn(db, group, entry.personId, context.now());
    return group;
  });
}

/** One that waits, if it is about the caller, or in a group of the caller and about a person whom no block and no age hides. */
async function findEntry(db: Kysely<unknown>, id: number, userId: number): Promise<WaitingEntry | undefined> {
  const found = await sql<WaitingEntry>`
    select * from (
      select e.chat_group_id as "chatGroupId", e.community_group_id as "communityGroupId", e.person_id as "personId",
        e.inviter_id is null as "isRequest", ${mayMeet(userId, 'e.person_id')} as "mayMeet",
        exists (select from chat_membership m where m.group_id = e.chat_group_id and m.user_id = ${userId} and m.is_admin)
          or exists (select from community_group g where g.id = e.community_group_id and g.owner_id = ${userId}) as "isOwner"
      from group_entry e where e.id = ${id} and e.declined_at is null and ${notKeptApart(userId, 'e.person_id')}) entry
    where "isOwner" or "personId" = ${userId}`.execute(db);
  return found.rows[0];
}
