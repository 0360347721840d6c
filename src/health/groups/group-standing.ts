import { type Kysely, sql } from 'kysely';
import { addMembers } from '../chat/chat-membership.ts';
import { memberAddition } from '../community/change-membership.ts';
import { type AgeProblem, ageProblem } from '../community/refuse-contact.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { admitsToChat, admitsToCommunity } from './admission.ts';
import type { GroupReference } from './group-reference.ts';

/** How a person stands to a group. */
export interface GroupStanding {
  isActive: boolean;
  isSecret: boolean;
  isMember: boolean;
  isBanned: boolean;
  /** Why the person may not meet anybody new; null for no reason. */
  ageProblem: AgeProblem | null;
  /** The person may join without asking. */
  isAdmitted: boolean;
  /** A chat whose members are let in by its community group. */
  isOfCommunity: boolean;
}

/** The standing of a person, with the group locked; undefined if there is no such group. */
export async function lockStanding(
  db: Kysely<unknown>,
  group: GroupReference,
  personId: number,
): Promise<GroupStanding | undefined> {
  const table = sql.table(group.kind === 'chat' ? 'chat_group' : 'community_group');
  await sql`select 1 from ${table} where id = ${group.id} for no key update`.execute(db);
  const membership = sql.table(group.kind === 'chat' ? 'chat_membership' : 'community_membership');
  const isChat = group.kind === 'chat';
  const found = await sql<GroupStanding>`
    select g.is_active as "isActive", g.visibility = 'secret' as "isSecret",
      exists (select from ${membership} m where m.group_id = g.id and m.user_id = ${personId}) as "isMember",
      ${isChat ? sql`exists (select from chat_ban b where b.group_id = g.id and b.user_id = ${personId})` : sql`false`} as "isBanned",
      ${ageProblem(personId)} as "ageProblem",
      ${isChat ? admitsToChat(personId, 'g') : admitsToCommunity(personId, 'g')} as "isAdmitted",
      ${isChat ? sql`g.community_id is not null` : sql`false`} as "isOfCommunity"
    from ${table} g where g.id = ${group.id}`.execute(db);
  return found.rows[0];
}

/** Makes a person a member of a locked group, and removes the request or invitation. */
export async function letIn(db: Kysely<unknown>, group: GroupReference, personId: number, now: Date): Promise<void> {
  const at = now.toISOString();
  if (group.kind === 'chat') {
    await addMembers(db, group.id, [personId], { now: at, isAdmin: false });
    await sql`delete from group_entry where chat_group_id = ${group.id} and person_id = ${personId}`.execute(db);
    return;
  }
  await memberAddition(group.id, personId, at, sql`true`).execute(db);
  await refreshMatchingTerms(db, [personId]);
}
