import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith, mayMeet } from '../community/blocks.ts';
import { ageError, noNewContactsNow, requireAge } from '../community/refuse-contact.ts';
import { isReachable } from '../people/person-card.ts';
import { type GroupEntryRow, readGroupEntry } from './group-entries.queries.ts';
import { assertOwner, entryColumn, type GroupReference } from './group-reference.ts';
import { letIn, lockStanding } from './group-standing.ts';

/** Days before a declined request or invitation may be repeated, as for requests to connect. */
export const entryWaitDays = 30;
/** Requests, and invitations, that wait in one group. */
const maxWaiting = 200;

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'rateLimiter' | 'transaction'>;

/**
 * Asks the owner of a closed group to be let in. Idempotent while the request waits.
 * @throws notFound, also for a secret group; field errors; forbidden `banned`, `group_inactive`, or with an `AgeProblem`
 */
export async function requestGroupEntry(context: Dependencies, group: GroupReference): Promise<GroupEntryRow | null> {
  const { userId } = requirePerson(context.actor);
  await context.rateLimiter.charge([{ action: 'groupEntry', key: String(userId) }]);
  return context.transaction(async db => {
    const standing = await lockStanding(db, group, userId);
    if (!standing || (standing.isSecret && !standing.isMember && !standing.isAdmitted)) throw notFound();
    if (standing.isMember) throw refusal('You are a member of this group.');
    if (standing.ageProblem) throw ageError(standing.ageProblem);
    if (standing.isBanned) throw forbidden({ reason: 'banned' }, 'You were removed from this group.');
    if (!standing.isActive) throw forbidden({ reason: 'group_inactive' }, 'This group is over.');
    if (standing.isAdmitted) throw refusal('You can join this group without asking.');
    if (standing.isOfCommunity) throw refusal('Ask to join the community group of this chat.');
    const id = await storeEntry(db, group, { personId: userId, inviterId: null, now: context.now() });
    if (id === undefined) throw refusal('You cannot ask to join this group again yet.');
    return readGroupEntry(db, context, id);
  });
}

/**
 * Invites a person to a group of the caller. A person who has asked to join becomes a member at once; the result is then null.
 * Idempotent while the invitation waits.
 * @throws notFound; forbidden unless the caller owns the group; field errors, the same one for people who do not exist and who are not
 *   connected with the caller; forbidden with an `AgeProblem`
 */
export async function inviteToGroup(
  context: Dependencies,
  group: GroupReference,
  personId: number,
): Promise<GroupEntryRow | null> {
  const { userId } = requirePerson(context.actor);
  await context.rateLimiter.charge([{ action: 'groupEntry', key: String(userId) }]);
  return context.transaction(async db => {
    await assertOwner(db, group, userId);
    const person = await sql<{ mayMeet: boolean }>`select ${mayMeet(userId, 'u.id')} as "mayMeet" from users u
      where u.id = ${personId} and ${isReachable('u')} and ${connectedWith(userId, 'u.id')}`.execute(db);
    const problem = (message: string): Error => invalidInput({ personId: [message] });
    const [found] = person.rows;
    if (!found) throw problem('Invite somebody whom you are connected with.');
    if (!found.mayMeet) {
      await requireAge(db, userId);
      throw problem(noNewContactsNow);
    }
    const standing = await lockStanding(db, group, personId);
    if (!standing?.isActive) throw forbidden({ reason: 'group_inactive' }, 'This group is over.');
    if (standing.isOfCommunity) throw refusal('Invite to the community group of this chat.');
    if (standing.isMember) throw problem('This person is a member of the group.');
    if (standing.isBanned) throw problem('This person was removed from the group. Lift the ban first.');
    const asked = await sql`select from group_entry
      where ${entryColumn(group)} = ${group.id} and person_id = ${personId} and inviter_id is null and declined_at is null`.execute(
      db,
    );
    if (asked.rows.length > 0) {
      await letIn(db, group, personId, context.now());
      return null;
    }
    const id = await storeEntry(db, group, { personId, inviterId: userId, now: context.now() });
    if (id === undefined) throw problem('You cannot invite this person again yet.');
    return readGroupEntry(db, context, id);
  });
}

const refusal = (message: string): Error => invalidInput({ groupId: [message] });

interface NewEntry {
  personId: number;
  /** Null for a request. */
  inviterId: number | null;
  now: Date;
}

/**
 * Stores a request or invitation, with the group locked. One of the same kind that was declined may be repeated after some time, one of
 * the other kind at once. Returns its number, undefined where it must wait.
 */
async function storeEntry(
  db: Kysely<unknown>,
  group: GroupReference,
  { personId, inviterId, now }: NewEntry,
): Promise<number | undefined> {
  const column = entryColumn(group);
  const sameKind = inviterId === null ? sql`e.inviter_id is null` : sql`e.inviter_id is not null`;
  const waiting = await sql<{ own: number | null; all: number }>`
    select max(e.id) filter (where e.person_id = ${personId}) as own, count(*)::int as all
    from group_entry e where e.${column} = ${group.id} and ${sameKind} and e.declined_at is null`.execute(db);
  const [found] = waiting.rows;
  if (found?.own) return found.own;
  if ((found?.all ?? 0) >= maxWaiting) throw refusal(`At most ${maxWaiting} can wait in one group.`);
  const declinedBefore = new Date(now.getTime() - entryWaitDays * 24 * 3_600_000);
  const stored = await sql<{ id: number }>`
    insert into group_entry as e (${column}, person_id, inviter_id, created_at)
    values (${group.id}, ${personId}, ${inviterId}, ${now})
    on conflict (${column}, person_id) where ${column} is not null do update
      set inviter_id = excluded.inviter_id, created_at = excluded.created_at, declined_at = null
      where e.declined_at is not null and (e.declined_at <= ${declinedBefore} or not (${sameKind}))
    returning id`.execute(db);
  return stored.rows[0]?.id;
}
