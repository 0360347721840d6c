import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { personOf } from '../accounts/person.ts';
import { connectedWith, notBlockedBetween } from '../community/blocks.ts';
import { isReachable } from '../people/mini-user.ts';

/** Where messages are: the private chat of two people, or a group. */
export interface Room {
  kind: 'chat' | 'group';
  id: string;
}

/** A room that the caller may read. */
export interface OpenRoom extends Room {
  messageCount: number;
  /** Up to where the caller has read it. */
  readAt: string;
  lastMessageAt: string | null;
}

type Surroundings = Pick<Context, 'actor' | 'read'>;

/** The column of `chat_message` that names the room. */
export const placeOf = ({ kind }: Room): RawBuilder<unknown> => sql.raw(kind === 'chat' ? 'm.chat_id' : 'm.group_id');

export const notMember = (): Error => forbidden({ reason: 'not_member' }, 'You are not a member of this group.');
export const notConnected = (): Error =>
  forbidden({ reason: 'not_connected' }, 'You are not connected with this person.');

/** The other one of the private chat `c`. */
export const otherOf = (viewer: number): RawBuilder<number> =>
  sql`case when c.low_id = ${viewer} then c.high_id else c.low_id end`;

/**
 * The row of the room for somebody who may read it, as conditions of a query: `reader` is what holds `read_at`. A private chat
 * belongs to its two people as long as neither blocks the other, connected or not; a group to its members.
 */
export function readable(room: Room, viewer: number): RawBuilder<unknown> {
  return room.kind === 'chat'
    ? sql`private_chat c join private_chat_reader reader on reader.chat_id = c.id and reader.user_id = ${viewer}
        join lateral (select ${otherOf(viewer)} as id) other on ${notBlockedBetween(viewer, 'other.id')}
        where c.id = ${room.id}`
    : sql`chat_group c join chat_membership reader on reader.group_id = c.id and reader.user_id = ${viewer}
        where c.id = ${room.id}`;
}

async function open({ actor, read }: Surroundings, room: Room): Promise<OpenRoom | null> {
  const [found] = await read(sql<Omit<OpenRoom, 'kind'>>`
    select c.id, c.message_count as "messageCount", c.last_message_at as "lastMessageAt", reader.read_at as "readAt"
    from ${readable(room, personOf(actor).userId)}`);
  return found ? { ...found, kind: room.kind } : null;
}

/** A private chat of the caller. Throws not-found for one of others, and while one of the two blocks the other. */
export async function privateRoom(context: Surroundings, id: string): Promise<OpenRoom> {
  const room = await open(context, { kind: 'chat', id });
  if (!room) throw notFound();
  return room;
}

/** A group the caller is a member of. Throws not-found for a group that is not there, and `not_member` for the others. */
export async function groupRoom(context: Surroundings, id: string): Promise<OpenRoom> {
  const room = await open(context, { kind: 'group', id });
  if (room) return room;
  const there = await context.read(sql`select 1 from chat_group where id = ${id}`);
  throw there.length > 0 ? notMember() : notFound();
}

/** The chat with somebody the caller is connected with; null before there is one. Throws not-found for everybody else. */
export async function directRoom(context: Surroundings, otherId: number): Promise<OpenRoom | null> {
  const { userId } = personOf(context.actor);
  const [found] = await context.read(sql<{ chatId: string | null }>`
    select c.id as "chatId" from users u left join private_chat c
      on c.low_id = least(u.id, ${userId}::bigint) and c.high_id = greatest(u.id, ${userId}::bigint)
    where u.id = ${otherId} and ${isReachable('u')} and ${connectedWith(userId, 'u.id')}`);
  if (!found) throw notFound();
  return found.chatId === null ? null : privateRoom(context, found.chatId);
}

/** Moves the mark of what the caller has read forward, never back. */
export async function markRead(db: Kysely<unknown>, viewer: number, room: Room, upTo: string): Promise<void> {
  await (room.kind === 'chat'
    ? sql`update private_chat_reader set read_at = ${upTo}
        where chat_id = ${room.id} and user_id = ${viewer} and read_at < ${upTo}`
    : sql`update chat_membership set read_at = ${upTo}
        where group_id = ${room.id} and user_id = ${viewer} and read_at < ${upTo}`
  ).execute(db);
}
