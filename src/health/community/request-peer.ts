import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { ensurePrivateChat } from '../chat/ensure-private-chat.ts';
import { InputChecks } from '../input/input-checks.ts';
import { isReachable } from '../people/person-card.ts';
import { mayMeet } from './blocks.ts';
import { findOwnLink, type PeerLinkRow } from './peers.queries.ts';
import { recordRefusedContact, requireAge } from './refuse-contact.ts';

/** Days before a declined user may ask again, and the maximum number of requests. */
export const requestWaitDays = 30;
const maxTries = 3;

export interface PeerRequest {
  personId: number;
  matchReason?: string | null;
}

export const matchReasonLimits = { maxLength: 255 };

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'rateLimiter' | 'transaction'>;

/**
 * Sends a connection request. When the other user has a pending request to the caller, even a concurrent one, it is
 * accepted instead.
 * @throws notFound for users who cannot be asked (unknown, guest, deleted, not opted in, blocked in either direction, of the other age
 *   group), after the same statements for all of them; forbidden `date_of_birth_needed`; field errors when already connected or when the
 *   request must wait
 */
export async function requestPeer(context: Dependencies, input: PeerRequest): Promise<PeerLinkRow> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const reason = checks.text('matchReason', input.matchReason ?? '', matchReasonLimits);
  if (input.personId === userId) checks.add('personId', 'You cannot send a connection request to yourself.');
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'connect', key: String(userId) }]);
  try {
    return await context.transaction(db => storeRequest(db, context, { ...input, reason }));
  } catch (error) {
    await recordRefusedContact(context, { personId: userId, otherId: input.personId, kind: 'request' });
    throw error;
  }
}

async function storeRequest(
  db: Kysely<unknown>,
  context: Dependencies,
  { personId, reason }: { personId: number; reason: string },
): Promise<PeerLinkRow> {
  const { userId } = requirePerson(context.actor);
  await requireAge(db, userId);
  const request = { from: userId, to: personId, reason, now: context.now() };
  // Retry: the conflicting request may have been withdrawn between the two statements.
  for (let attempt = 0; attempt < 3; attempt++) {
    const id = (await insertRequest(db, request)) ?? (await acceptOrRepeatRequest(db, request));
    if (id !== undefined) {
      const link = await findOwnLink(db, context, id);
      if (link) return link;
    }
    const refusal = await explainRefusal(db, request);
    if (refusal) throw refusal;
  }
  throw notFound();
}

interface CheckedRequest {
  from: number;
  to: number;
  reason: string;
  now: Date;
}

/**
 * Inserts a first request. The unique index on the pair blocks a second row: of two concurrent requests the later one
 * waits and inserts nothing.
 */
async function insertRequest(
  db: Kysely<unknown>,
  { from, to, reason, now }: CheckedRequest,
): Promise<number | undefined> {
  const made = await sql<{ id: number }>`
    insert into peer_connection (asker_id, asked_id, status, match_reason, created_at)
    select ${from}, u.id, 'pending', ${reason}, ${now.toISOString()} from users u
    where u.id = ${to} and ${isReachable('u')} and u.is_visible_in_community and ${mayMeet(from, 'u.id')}
    on conflict do nothing returning id`.execute(db);
  return made.rows[0]?.id;
}

/**
 * Updates the existing row: accepts the other's request, or asks again where allowed. A user who declined may ask at
 * any time; a declined user after 30 days, three times at most. One guarded statement, serialized by the row lock.
 */
async function acceptOrRepeatRequest(
  db: Kysely<unknown>,
  { from, to, reason, now }: CheckedRequest,
): Promise<number | undefined> {
  const at = now.toISOString();
  const answeredBefore = new Date(now.getTime() - requestWaitDays * 24 * 3_600_000).toISOString();
  const changed = await sql<{ id: number; status: string }>`
    update peer_connection c set
      status = case when c.status = 'pending' then 'accepted' else 'pending' end,
      asker_id = case when c.status = 'pending' then c.asker_id else ${from} end,
      asked_id = case when c.status = 'pending' then c.asked_id else ${to} end,
      match_reason = case when c.status = 'pending' then c.match_reason else ${reason} end,
      tries = case when c.status = 'pending' then 0 when c.asker_id = ${from} then c.tries + 1 else 1 end,
      created_at = case when c.status = 'pending' then c.created_at else ${at}::timestamptz end,
      responded_at = case when c.status = 'pending' then ${at}::timestamptz end,
      declined_by_id = case when c.status = 'pending' then null else c.declined_by_id end
    from users u
    where u.id = ${to} and ${isReachable('u')} and ${mayMeet(from, 'u.id')}
      and least(c.asker_id, c.asked_id) = least(${from}::bigint, ${to}::bigint)
      and greatest(c.asker_id, c.asked_id) = greatest(${from}::bigint, ${to}::bigint)
      and ((c.status = 'pending' and c.asked_id = ${from})
        or (c.status = 'declined' and c.declined_by_id = ${from})
        or (c.status = 'declined' and c.responded_at <= ${answeredBefore}
          and (c.asker_id <> ${from} or c.tries < ${maxTries})))
    returning c.id, c.status`.execute(db);
  const row = changed.rows[0];
  if (row?.status === 'accepted') await ensurePrivateChat(db, from, to, now);
  return row?.id;
}

/** The error for a refused request, or undefined when the conflicting row is gone and the request can be retried. */
async function explainRefusal(db: Kysely<unknown>, { from, to }: CheckedRequest): Promise<Error | undefined> {
  const found = await sql<{ status: string | null; findable: boolean }>`
    select c.status, u.is_visible_in_community as findable from users u left join peer_connection c
      on least(c.asker_id, c.asked_id) = least(${from}::bigint, u.id)
      and greatest(c.asker_id, c.asked_id) = greatest(${from}::bigint, u.id)
    where u.id = ${to} and ${isReachable('u')} and ${mayMeet(from, 'u.id')}`.execute(db);
  const row = found.rows[0];
  if (!row || row.status === 'blocked') return notFound();
  if (row.status === null) return row.findable ? undefined : notFound();
  const message = {
    pending: 'A connection request is already pending.',
    accepted: 'You are already connected.',
    declined: 'You cannot send another request yet.',
  }[row.status];
  return invalidInput({ personId: [message ?? 'You cannot send a request.'] });
}
