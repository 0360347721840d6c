import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith, mayMeet } from '../community/blocks.ts';
import { type AgeProblem, ageError, ageProblem, noNewContactsNow } from '../community/refuse-contact.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { isReachable } from '../people/person-card.ts';
import { addMembers } from './chat-membership.ts';

export interface NewChatGroup {
  name: string;
  description?: string | null;
  participantIds?: number[] | null;
  /** Open by default; closed where participants are named, who expect to be among themselves. */
  visibility?: GroupVisibility | null;
  sharesHistory?: boolean | null;
}

/** Maximum initial participants besides the creator. */
const maxParticipants = 50;

export const chatGroupLimits = {
  name: filledText(100),
  description: { maxLength: 500 },
  participantIds: { maxItems: maxParticipants },
};

/**
 * Creates a group with the caller as admin and optional participants. Returns its id.
 * @throws field errors, the same one for participants that do not exist and that are not connected with the caller; forbidden with an
 *   `AgeProblem`
 */
export async function createChatGroup(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  input: NewChatGroup,
): Promise<string> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const name = checks.name('name', input.name, chatGroupLimits.name);
  const description = checks.text('description', input.description ?? '', chatGroupLimits.description);
  const participantIds = [...new Set(input.participantIds ?? [])].filter(id => id !== userId);
  if (participantIds.length > maxParticipants) {
    checks.add('participantIds', `Ensure this field has no more than ${maxParticipants} elements.`);
  }
  checks.assertPassed();
  return context.transaction(async db => {
    const found = await sql<{ id: number; problem: AgeProblem | null; mayMeet: boolean }>`
      select u.id, ${ageProblem(userId)} as problem, ${mayMeet(userId, 'u.id')} as "mayMeet"
      from users u where u.id = ${userId} or (u.id = any(${participantIds}::bigint[])
        and ${isReachable('u')} and ${connectedWith(userId, 'u.id')})`.execute(db);
    const problem = found.rows[0]?.problem;
    if (problem) throw ageError(problem);
    const known = new Map(found.rows.map(row => [row.id, row.mayMeet]));
    for (const id of participantIds) {
      if (known.get(id) === false) checks.add('participantIds', `${noNewContactsNow} (${id})`);
      else if (!known.has(id)) checks.add('participantIds', `Invalid pk "${id}" - object does not exist.`);
    }
    checks.assertPassed();
    const now = context.now().toISOString();
    const id = randomUUID();
    const visibility = input.visibility ?? (participantIds.length > 0 ? 'closed' : 'open');
    await sql`insert into chat_group (id, name, description, visibility, shares_history, creator_id, created_at)
      values (${id}, ${name}, ${description}, ${visibility}, ${input.sharesHistory ?? false}, ${userId}, ${now})`.execute(
      db,
    );
    await addMembers(db, id, [userId], { now, isAdmin: true });
    if (participantIds.length > 0) await addMembers(db, id, participantIds, { now, isAdmin: false });
    return id;
  });
}
