import { type Kysely, sql } from 'kysely';
import type { PeerAnswer } from '../../../schema/health/peer-link.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { ensurePrivateChat } from '../chat/ensure-private-chat.ts';
import { isReachable } from '../people/person-card.ts';
import { differInAge, mayMeet } from './blocks.ts';
import { findOwnLink, type PeerLinkRow } from './peers.queries.ts';
import { requestOnHold, requireAge } from './refuse-contact.ts';

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'transaction'>;

interface LinkState {
  asker: number;
  asked: number;
  status: string;
}

/**
 * Accepts, declines or blocks a link of the caller. Declining also withdraws the caller's own request,
 * disconnects and unblocks; repeating an answer has no effect. Each transition is one guarded statement, which decides
 * whether it is allowed.
 * @throws notFound for third parties, blocked users and, on accepting, the other age group; forbidden with an `AgeProblem`, and `on_hold` where
 *   the other may meet nobody new; a field error for a transition that is not allowed
 */
export async function answerPeerRequest(
  context: Dependencies,
  id: number,
  answer: PeerAnswer | undefined,
): Promise<PeerLinkRow> {
  if (answer === undefined) throw invalidInput({ answer: ['This field is required.'] });
  const { userId } = requirePerson(context.actor);
  return context.transaction(async db => {
    if (answer === 'accepted') await requireAge(db, userId);
    const previous = await findOwnLink(db, context, id);
    const changed = await transitions[answer](db, { id, userId, now: context.now().toISOString() });
    if (changed === undefined) throw await explainRefusal(db, id, userId, answer);
    if (changed.status === 'accepted') await ensurePrivateChat(db, changed.asker, changed.asked, context.now());
    const link = await findOwnLink(db, context, id);
    // The row of a withdrawn request is deleted: return it as it was, with the status declined.
    if (link) return link;
    if (previous) return { ...previous, status: 'declined', respondedAt: null };
    throw notFound();
  });
}

interface Transition {
  id: number;
  userId: number;
  now: string;
}

const returning = sql`returning c.asker_id as asker, c.asked_id as asked, c.status`;
const isParty = ({ id, userId }: Transition) => sql`c.id = ${id} and ${userId} in (c.asker_id, c.asked_id)`;

const transitions: Record<PeerAnswer, (db: Kysely<unknown>, move: Transition) => Promise<LinkState | undefined>> = {
  async accepted(db, move) {
    const changed = await sql<LinkState>`
      update peer_connection c set status = 'accepted', tries = 0, declined_by_id = null,
        responded_at = case when c.status = 'pending' then ${move.now}::timestamptz else c.responded_at end
      where ${isParty(move)} and (c.status = 'accepted' or (c.status = 'pending' and c.asked_id = ${move.userId}))
        and exists (select 1 from users u where u.id = c.asker_id and ${isReachable('u')})
        and ${mayMeet(sql<number>`c.asker_id`, 'c.asked_id')}
        ${returning}`.execute(db);
    return changed.rows[0];
  },
  async declined(db, move) {
    // Withdrawing a first request deletes the row. A later one returns to declined: deleting it would reset the limit
    // on repeated requests.
    const withdrawn = await sql<LinkState>`delete from peer_connection c where ${isParty(move)} and c.status = 'pending'
      and c.asker_id = ${move.userId} and c.declined_by_id is null ${returning}`.execute(db);
    if (withdrawn.rows[0]) return withdrawn.rows[0];
    const changed = await sql<LinkState>`
      update peer_connection c set status = 'declined', blocked_by_id = null,
        declined_by_id = case when c.status = 'declined'
          or (c.status = 'pending' and c.asker_id = ${move.userId}) then c.declined_by_id else ${move.userId} end,
        responded_at = case when c.status = 'declined' then c.responded_at else ${move.now}::timestamptz end
      where ${isParty(move)} and (c.status <> 'blocked' or c.blocked_by_id = ${move.userId}) ${returning}`.execute(db);
    return changed.rows[0];
  },
  async blocked(db, move) {
    const changed = await sql<LinkState>`
      update peer_connection c set status = 'blocked', blocked_by_id = ${move.userId},
        responded_at = case when c.status = 'blocked' then c.responded_at else ${move.now}::timestamptz end
      where ${isParty(move)} and (c.status <> 'blocked' or c.blocked_by_id = ${move.userId}) ${returning}`.execute(db);
    return changed.rows[0];
  },
};

/** Error for a transition without a matching row. A blocked user gets the same error as a stranger. */
async function explainRefusal(db: Kysely<unknown>, id: number, userId: number, answer: PeerAnswer): Promise<Error> {
  const found = await sql<LinkState & { isListed: boolean }>`
    select c.asker_id as asker, c.asked_id as asked, c.status,
      exists (select from users u where u.id = c.asker_id and ${isReachable('u')}) as "isListed"
    from peer_connection c
    where ${isParty({ id, userId, now: '' })} and (c.status <> 'blocked' or c.blocked_by_id = ${userId})
      and (${answer !== 'accepted'}::boolean or not ${differInAge(sql<number>`c.asker_id`, 'c.asked_id')})`.execute(db);
  const [row] = found.rows;
  if (!row) return notFound();
  if (answer !== 'accepted' || !['pending', 'accepted'].includes(row.status))
    return invalidInput({ answer: [`A connection that is ${row.status} cannot be ${answer}.`] });
  if (row.asker === userId && row.status === 'pending') return forbidden();
  return row.isListed ? requestOnHold() : notFound();
}

/**
 * Blocks a user, connected or not. Idempotent.
 * @throws notFound for an account that does not exist or has blocked the caller, who must not learn of it
 */
export async function blockPeer(context: Dependencies, otherId: number): Promise<PeerLinkRow> {
  const { userId } = requirePerson(context.actor);
  if (otherId === userId) throw invalidInput({ personId: ['You cannot block yourself.'] });
  return context.transaction(async db => {
    const at = context.now().toISOString();
    const blocked = await sql<{ id: number }>`
      insert into peer_connection as c (asker_id, asked_id, status, blocked_by_id, tries, created_at, responded_at)
      select ${userId}, u.id, 'blocked', ${userId}, 0, ${at}, ${at} from users u
      where u.id = ${otherId} and u.deleted_at is null and not u.is_guest
      on conflict (least(asker_id, asked_id), greatest(asker_id, asked_id)) do update
        set status = 'blocked', blocked_by_id = ${userId}, responded_at = ${at}
        where c.status <> 'blocked' or c.blocked_by_id = ${userId}
      returning id`.execute(db);
    const id = blocked.rows[0]?.id;
    const link = id === undefined ? null : await findOwnLink(db, context, id);
    if (!link) throw notFound();
    return link;
  });
}
