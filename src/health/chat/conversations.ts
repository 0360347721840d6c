import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith, notKeptApart } from '../community/blocks.ts';
import { isReachable } from '../people/person-card.ts';
import { type Conversation, chatNotifyChannel, readTopic } from './notify-conversation.ts';

/** A conversation that the caller may read. */
export interface ReadableConversation extends Conversation {
  messageCount: number;
  /** Number of the first message that the caller may read. */
  firstOrdinal: number;
  /** Position up to which the caller has read. */
  readAt: string;
  lastMessageAt: string | null;
}

type Dependencies = Pick<Context, 'actor' | 'read'>;

/** The column of `chat_message` that refers to the conversation. */
export const conversationColumn = ({ kind }: Pick<Conversation, 'kind'>): RawBuilder<unknown> =>
  sql.raw(kind === 'chat' ? 'm.chat_id' : 'm.group_id');

export const notMemberError = (): Error => forbidden({ reason: 'not_member' }, 'You are not a member of this group.');
export const notConnectedError = (): Error =>
  forbidden({ reason: 'not_connected' }, 'You are not connected with this person.');

/** The other participant of the private chat `c`. */
export const otherParticipant = (viewer: number | RawBuilder<number>): RawBuilder<number> =>
  sql`case when c.low_id = ${viewer} then c.high_id else c.low_id end`;

/**
 * FROM and WHERE of a conversation if the viewer may read it; `reader` is the row with `read_at`. A private chat is
 * readable for its two participants while neither blocks the other, connected or not; a group for its members, from the message on
 * that `firstReadable` says.
 */
export function readableBy(
  { kind, id }: Pick<Conversation, 'kind'> & { id: string | RawBuilder<unknown> },
  viewer: number,
): RawBuilder<unknown> {
  return kind === 'chat'
    ? sql`private_chat c join private_chat_reader reader on reader.chat_id = c.id and reader.user_id = ${viewer}
        join lateral (select ${otherParticipant(viewer)} as id) other on ${notKeptApart(viewer, 'other.id')}
        where c.id = ${id}`
    : sql`chat_group c join chat_membership reader on reader.group_id = c.id and reader.user_id = ${viewer}
        where c.id = ${id}`;
}

/** The number of the first message that the `reader` of `readableBy` may read. */
export const firstReadable = ({ kind }: Pick<Conversation, 'kind'>): RawBuilder<number> =>
  sql.raw(kind === 'chat' ? '1' : 'reader.first_ordinal');

async function findReadable(
  { actor, read }: Dependencies,
  conversation: Conversation,
): Promise<ReadableConversation | null> {
  const [found] = await read(sql<Omit<ReadableConversation, 'kind'>>`
    select c.id, c.message_count as "messageCount", c.last_message_at as "lastMessageAt", reader.read_at as "readAt",
      ${firstReadable(conversation)} as "firstOrdinal"
    from ${readableBy(conversation, requirePerson(actor).userId)}`);
  return found ? { ...found, kind: conversation.kind } : null;
}

/**
 * One of the caller's private chats.
 * @throws notFound for any other, and while either participant blocks the other
 */
export async function requirePrivateChat(context: Dependencies, id: string): Promise<ReadableConversation> {
  const conversation = await findReadable(context, { kind: 'chat', id });
  if (!conversation) throw notFound();
  return conversation;
}

/**
 * A group chat of which the caller is a member.
 * @throws notFound, also for a secret group; forbidden `not_member`
 */
export async function requireGroupChat(context: Dependencies, id: string): Promise<ReadableConversation> {
  const conversation = await findReadable(context, { kind: 'group', id });
  if (conversation) return conversation;
  const existing = await context.read(sql`select 1 from chat_group where id = ${id} and visibility <> 'secret'`);
  throw existing.length > 0 ? notMemberError() : notFound();
}

/** A conversation that the caller may read. @throws what `requirePrivateChat` and `requireGroupChat` throw */
export function requireReadable(context: Dependencies, { kind, id }: Conversation): Promise<ReadableConversation> {
  return kind === 'chat' ? requirePrivateChat(context, id) : requireGroupChat(context, id);
}

/** Whether the session of a subscriber is open, the account active and the conversation readable. */
export async function mayStillRead(
  { actor, now, read }: Dependencies & Pick<Context, 'now'>,
  conversation: Conversation,
): Promise<boolean> {
  const { userId, sessionId } = requirePerson(actor);
  const [access] = await read(sql`
    select 1 from session s join users me on me.id = s.user_id
    where s.id = ${sessionId} and s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${now().toISOString()}
      and me.is_active and me.deleted_at is null
      and (me.suspended_until is null or me.suspended_until <= ${now().toISOString()})
      and exists (select 1 from ${readableBy(conversation, userId)})`);
  return access !== undefined;
}

/**
 * The private chat with a connected user, or null when none exists yet.
 * @throws notFound for any other user
 */
export async function findDirectChat(context: Dependencies, otherId: number): Promise<ReadableConversation | null> {
  const { userId } = requirePerson(context.actor);
  const [found] = await context.read(sql<{ chatId: string | null }>`
    select c.id as "chatId" from users u left join private_chat c
      on c.low_id = least(u.id, ${userId}::bigint) and c.high_id = greatest(u.id, ${userId}::bigint)
    where u.id = ${otherId} and ${isReachable('u')} and ${connectedWith(userId, 'u.id')}`);
  if (!found) throw notFound();
  return found.chatId === null ? null : requirePrivateChat(context, found.chatId);
}

/** Moves the caller's read position forward, never back, and notifies the caller's subscribers if it moved. */
export async function markRead(
  db: Kysely<unknown>,
  viewer: number,
  conversation: Conversation,
  upTo: string,
): Promise<void> {
  const notify = sql`returning pg_notify(${chatNotifyChannel}, ${readTopic(conversation, viewer)})`;
  await (conversation.kind === 'chat'
    ? sql`update private_chat_reader set read_at = ${upTo}
        where chat_id = ${conversation.id} and user_id = ${viewer} and read_at < ${upTo} ${notify}`
    : sql`update chat_membership set read_at = ${upTo}
        where group_id = ${conversation.id} and user_id = ${viewer} and read_at < ${upTo} ${notify}`
  ).execute(db);
}
