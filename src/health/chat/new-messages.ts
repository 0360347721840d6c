import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { chatChannel, topicOf } from './announce.ts';
import { type MessageRow, newsOf } from './messages.queries.ts';
import { groupRoom, type OpenRoom, privateRoom } from './rooms.ts';

type Surroundings = Pick<Context, 'actor' | 'notices' | 'now' | 'origin' | 'read' | 'sql'>;

/**
 * The messages of one room from now on. Throws, before anything is sent, what reading the room would throw.
 * A notice says only that there is something new; what it is comes out of the table, after the last message that was
 * delivered and by the rules of that moment. So nothing is lost when notices were, and nothing shown that may not be.
 */
export async function newMessages(
  context: Surroundings,
  { chatId, groupId }: { chatId?: string | null; groupId?: string | null },
): Promise<AsyncIterableIterator<MessageRow>> {
  if ((chatId ? 1 : 0) + (groupId ? 1 : 0) !== 1) {
    throw invalidInput({ non_field_errors: ['Provide exactly one of chat_id or group_id.'] });
  }
  // Listening first: a message between the two would be in neither.
  const topic = topicOf(chatId ? { kind: 'chat', id: chatId } : { kind: 'group', id: groupId ?? '' });
  const stream = new MessageStream(context);
  const stop = await context.notices.watch(chatChannel, topic, () => stream.look());
  stream.onEnd = stop;
  try {
    stream.start(chatId ? await privateRoom(context, chatId) : await groupRoom(context, groupId ?? ''));
    return stream;
  } catch (error) {
    stop();
    throw error;
  }
}

/**
 * Pulled by whoever sends: a reader that is slow holds up its own next look and nothing else. Not a generator, since one
 * that waits for a notice could not be ended before the next one.
 */
class MessageStream implements AsyncIterableIterator<MessageRow> {
  onEnd: () => void = () => {};
  readonly #context: Surroundings;
  #room: OpenRoom | undefined;
  #after = '';
  #found: MessageRow[] = [];
  /** Whether there was a notice since the last look. */
  #stale = true;
  #ended = false;
  #wake = (): void => {};

  constructor(context: Surroundings) {
    this.#context = context;
  }

  start(room: OpenRoom): void {
    this.#room = room;
    this.#after = room.lastMessageAt ?? '-infinity';
  }

  look(): void {
    this.#stale = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<MessageRow>> {
    for (;;) {
      const [message] = this.#found.splice(0, 1);
      if (this.#ended || !this.#room) return { done: true, value: undefined };
      if (message) return { done: false, value: message };
      if (!this.#stale) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#stale = false;
      const news = await newsOf(this.#context, this.#room, this.#after);
      if (news === null) return this.return();
      this.#found = news;
      this.#after = news.at(-1)?.timestamp ?? this.#after;
      // There may be more than one look brings.
      if (news.length > 0) this.#stale = true;
    }
  }

  async return(): Promise<IteratorResult<MessageRow>> {
    this.#ended = true;
    this.onEnd();
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
