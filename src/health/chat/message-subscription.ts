import type { Context } from '../../context/context.ts';
import { invalidInput, wholeInput } from '../../errors/errors.ts';
import { type ReadableConversation, requireGroupChat, requirePrivateChat } from './conversations.ts';
import { type MessageRow, messagesAfter } from './messages.queries.ts';
import { chatNotifyChannel, conversationTopic } from './notify-conversation.ts';

type Dependencies = Pick<Context, 'actor' | 'notifications' | 'now' | 'origin' | 'read' | 'sql'>;

/**
 * Subscribes to the messages of one conversation. Throws what reading the conversation throws, before the first
 * message. A notification only says that there are new messages; they are read from the table, after the last one
 * delivered and with the permissions of that moment. So a lost notification loses no message, and nothing is shown that
 * may no longer be read.
 */
export async function subscribeToMessages(
  context: Dependencies,
  { chatId, groupId }: { chatId?: string | null; groupId?: string | null },
): Promise<AsyncIterableIterator<MessageRow>> {
  if ((chatId ? 1 : 0) + (groupId ? 1 : 0) !== 1) {
    throw invalidInput({ [wholeInput]: ['Provide exactly one of chat_id or group_id.'] });
  }
  // LISTEN before reading the position: a message in between would be missed otherwise.
  const topic = conversationTopic(chatId ? { kind: 'chat', id: chatId } : { kind: 'group', id: groupId ?? '' });
  const stream = new MessageStream(context);
  const unsubscribe = await context.notifications.subscribe(chatNotifyChannel, topic, () => stream.notify());
  stream.onClose = unsubscribe;
  try {
    stream.start(chatId ? await requirePrivateChat(context, chatId) : await requireGroupChat(context, groupId ?? ''));
    return stream;
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/**
 * Pull-based: a slow reader delays only its own next read. Not a generator, because a generator that awaits a
 * notification cannot be closed before it arrives.
 */
class MessageStream implements AsyncIterableIterator<MessageRow> {
  onClose: () => void = () => {};
  readonly #context: Dependencies;
  #conversation: ReadableConversation | undefined;
  #after = '';
  #buffer: MessageRow[] = [];
  /** A notification arrived since the last read. */
  #mayHaveNews = true;
  #closed = false;
  #wake = (): void => {};

  constructor(context: Dependencies) {
    this.#context = context;
  }

  start(conversation: ReadableConversation): void {
    this.#conversation = conversation;
    this.#after = conversation.lastMessageAt ?? '-infinity';
  }

  notify(): void {
    this.#mayHaveNews = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<MessageRow>> {
    for (;;) {
      const [message] = this.#buffer.splice(0, 1);
      if (this.#closed || !this.#conversation) return { done: true, value: undefined };
      if (message) return { done: false, value: message };
      if (!this.#mayHaveNews) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#mayHaveNews = false;
      const messages = await messagesAfter(this.#context, this.#conversation, this.#after);
      if (messages === null) return this.return();
      this.#buffer = messages;
      this.#after = messages.at(-1)?.timestamp ?? this.#after;
      // The table may hold more than one batch.
      if (messages.length > 0) this.#mayHaveNews = true;
    }
  }

  async return(): Promise<IteratorResult<MessageRow>> {
    this.#closed = true;
    this.onClose();
    this.#wake();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<MessageRow>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
