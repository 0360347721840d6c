import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound, wholeInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith } from '../community/blocks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { isReachable } from '../people/person-card.ts';
import { markRead, notConnectedError, notMemberError, otherParticipant } from './conversations.ts';
import { ensurePrivateChat } from './ensure-private-chat.ts';
import { getMessage, type MessageRow } from './messages.queries.ts';
import { type Conversation, notifyConversation } from './notify-conversation.ts';
import { uuidV7 } from './uuid-v7.ts';

/** A message and exactly one destination: a private chat, a group, or a user. */
export interface NewMessage {
  text: string;
  chatId?: string | undefined;
  groupId?: string | undefined;
  receiverId?: number | undefined;
  /** Chosen by the client. */
  idempotencyKey?: string | null;
}

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'rateLimiter' | 'transaction'>;

/**
 * Sends a message. The conversation row is locked, so that the timestamps of its messages grow in commit order and a
 * reader who has seen a message has seen all earlier ones.
 * @throws field errors; notFound; forbidden `not_participant`, `not_member` or `not_connected`
 */
export async function sendChatMessage(context: Dependencies, input: NewMessage): Promise<MessageRow> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const content = checks.text('text', input.text, { maxLength: 4000 });
  const { chatId, groupId, receiverId } = input;
  if ([chatId, groupId, receiverId].filter(one => one !== undefined).length !== 1) {
    checks.add(wholeInput, 'Provide exactly one of chat_id, group_id or receiver_id.');
  }
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'message', key: String(userId) }]);
  return context.transaction(async db => {
    const conversation = await lockConversation(db, userId, input, context.now());
    const id = uuidV7(context.now());
    const sent = await insertMessage(
      db,
      conversation,
      { id, author: userId, content, clientId: input.idempotencyKey ?? null },
      context.now(),
    );
    if (sent) {
      await markRead(db, userId, conversation, sent);
      await notifyConversation(db, conversation);
      return getMessage(db, context, id);
    }
    const earlier = await sql<{ id: string }>`
      select id from chat_message where author_id = ${userId} and client_id = ${input.idempotencyKey}`.execute(db);
    return getMessage(db, context, earlier.rows[0]?.id ?? id);
  });
}

async function lockConversation(
  db: Kysely<unknown>,
  userId: number,
  target: NewMessage,
  now: Date,
): Promise<Conversation> {
  if (target.groupId) return lockGroupChat(db, userId, target.groupId);
  if (target.chatId) return lockPrivateChat(db, userId, target.chatId);
  const other = target.receiverId ?? 0;
  const found = await sql<{ connected: boolean }>`select ${connectedWith(userId, 'u.id')} as connected from users u
    where u.id = ${other} and u.id <> ${userId} and ${isReachable('u')}`.execute(db);
  const [person] = found.rows;
  if (!person) throw notFound();
  if (!person.connected) throw notConnectedError();
  return lockPrivateChat(db, userId, await ensurePrivateChat(db, userId, other, now));
}

async function lockPrivateChat(db: Kysely<unknown>, userId: number, id: string): Promise<Conversation> {
  const found = await sql<{ mine: boolean; open: boolean }>`
    select ${userId} in (c.low_id, c.high_id) as mine, ${connectedWith(userId, 'u.id')} and ${isReachable('u')} as open
    from private_chat c join users u on u.id = ${otherParticipant(userId)} where c.id = ${id} for no key update of c`.execute(
    db,
  );
  const [chat] = found.rows;
  if (!chat) throw notFound();
  if (!chat.mine) throw forbidden({ reason: 'not_participant' }, 'You are not part of this chat.');
  if (!chat.open) throw notConnectedError();
  return { kind: 'chat', id };
}

async function lockGroupChat(db: Kysely<unknown>, userId: number, id: string): Promise<Conversation> {
  const found = await sql<{ id: string }>`select id from chat_group where id = ${id} for no key update`.execute(db);
  if (found.rows.length === 0) throw notFound();
  // Checked after the lock: the membership may have ended while waiting.
  const member = await sql`select 1 from chat_membership where group_id = ${id} and user_id = ${userId}`.execute(db);
  if (member.rows.length === 0) throw notMemberError();
  return { kind: 'group', id };
}

interface Draft {
  id: string;
  author: number;
  content: string;
  clientId: string | null;
}

/** Returns the time of the message, or undefined when its `client_id` was used before. */
async function insertMessage(
  db: Kysely<unknown>,
  conversation: Conversation,
  draft: Draft,
  now: Date,
): Promise<string | undefined> {
  const [table, column] = conversation.kind === 'chat' ? ['private_chat', 'chat_id'] : ['chat_group', 'group_id'];
  const sent = await sql<{ sentAt: string }>`
    with sent as (
      insert into chat_message (id, ${sql.ref(column)}, author_id, client_id, content, sent_at)
      select ${draft.id}, c.id, ${draft.author}, ${draft.clientId}, ${draft.content},
        greatest(${now.toISOString()}::timestamptz, c.last_message_at + interval '1 microsecond')
      from ${sql.table(table)} c where c.id = ${conversation.id}
      on conflict (author_id, client_id) where client_id is not null do nothing returning sent_at)
    update ${sql.table(table)} c set message_count = c.message_count + 1, last_message_at = sent.sent_at
    from sent where c.id = ${conversation.id} returning sent.sent_at as "sentAt"`.execute(db);
  return sent.rows[0]?.sentAt;
}
