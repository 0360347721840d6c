import { sql } from 'kysely';
import type { ChatReadPosition } from '../../../schema/health/chat-read-position.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { openNotifiedStream, type ReadBatch } from '../../db/notified-stream.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { mayStillRead, type ReadableConversation, readableBy, requireReadable } from './conversations.ts';
import { unreadCount } from './message-columns.ts';
import { type MessageRow, messagesAfter } from './messages.queries.ts';
import { type Conversation, chatNotifyChannel, conversationTopic, readTopic } from './notify-conversation.ts';

type Dependencies = Pick<Context, 'actor' | 'notifications' | 'now' | 'origin' | 'read' | 'sql'>;

/**
 * Subscribes to the new messages of one conversation. A notification only says that there are new messages; they are read from
 * the table, after the last one delivered and with the permissions of that moment. So a lost notification loses no message, and
 * nothing is shown that may no longer be read.
 * @throws what reading the conversation throws, before the first message
 */
export function subscribeToMessages(
  context: Dependencies,
  conversation: Conversation,
): Promise<AsyncIterableIterator<MessageRow>> {
  return subscribe(context, conversation, conversationTopic(conversation), ({ lastMessageAt }) => {
    let after = lastMessageAt ?? '-infinity';
    return async () => {
      const messages = await messagesAfter(context, conversation, after);
      after = messages?.at(-1)?.sentAt ?? after;
      // The table may hold more than one batch.
      return messages && { events: messages, hasMore: messages.length > 0 };
    };
  });
}

/**
 * Subscribes to the caller's own read position in one conversation, which another device of the caller moves. Those of others are
 * shown nowhere.
 * @throws what reading the conversation throws, before the first event
 */
export function subscribeToReadPosition(
  context: Dependencies,
  conversation: Conversation,
): Promise<AsyncIterableIterator<ChatReadPosition>> {
  const topic = readTopic(conversation, requirePerson(context.actor).userId);
  return subscribe(context, conversation, topic, ({ readAt }) => {
    let last = readAt;
    return async () => {
      if (!(await mayStillRead(context, conversation))) return null;
      const position = await findReadPosition(context, conversation);
      // Timestamps in PostgreSQL's text format sort chronologically.
      if (!position) return null;
      const hasMoved = position.readAt > last;
      last = position.readAt;
      return { events: hasMoved ? [position] : [], hasMore: false };
    };
  });
}

async function findReadPosition(
  { actor, read }: Dependencies,
  conversation: Conversation,
): Promise<ChatReadPosition | null> {
  const { userId } = requirePerson(actor);
  const [type, column] =
    conversation.kind === 'chat' ? (['PrivateChat', 'chat_id'] as const) : (['ChatGroup', 'group_id'] as const);
  const [found] = await read(sql<Pick<ChatReadPosition, 'readAt' | 'unreadCount'>>`
    select reader.read_at as "readAt", ${unreadCount(userId, column, 'reader.read_at')} as "unreadCount"
    from ${readableBy(conversation, userId)}`);
  return found ? { chatId: encodeGlobalId(type, conversation.id), ...found } : null;
}

function subscribe<Event>(
  context: Dependencies,
  conversation: Conversation,
  topic: string,
  readFrom: (conversation: ReadableConversation) => ReadBatch<Event>,
): Promise<AsyncIterableIterator<Event>> {
  return openNotifiedStream(context.notifications, {
    channel: chatNotifyChannel,
    topic,
    prepare: async () => readFrom(await requireReadable(context, conversation)),
    readsAtOnce: true,
  });
}
