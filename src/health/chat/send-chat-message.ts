import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { busyTimeout, KeyedBatchQueue, type Outcome, runAlone, runTogether } from '../../db/keyed-batch-queue.ts';
import { perDatabase } from '../../db/per-database.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, wholeInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { connectedWith } from '../community/blocks.ts';
import { explainByAge, recordRefusedContact } from '../community/refuse-contact.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { isReachable } from '../people/person-card.ts';
import { notConnectedError } from './conversations.ts';
import { ensurePrivateChat } from './ensure-private-chat.ts';
import type { MessageRow } from './messages.queries.ts';
import { type Conversation, conversationTopic } from './notify-conversation.ts';
import { type MessageDraft, storeMessages } from './store-messages.ts';
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

type Dependencies = Pick<
  Context,
  | 'actor'
  | 'deadline'
  | 'hasCheck'
  | 'now'
  | 'origin'
  | 'pipeline'
  | 'rateLimiter'
  | 'read'
  | 'recordGroupCommit'
  | 'transaction'
>;

interface QueuedMessage {
  context: Pick<Context, 'deadline' | 'now' | 'origin' | 'pipeline'>;
  conversation: Conversation;
  draft: MessageDraft;
}

export const messageTextLimits = filledText(4000);

/** Messages of one transaction: at most 1 MB of text. */
const maxMessagesPerBatch = 64;

/** Group commit of the messages of one conversation. Those of one origin, because the answers contain links. */
const queueFor = perDatabase(
  () =>
    new KeyedBatchQueue<QueuedMessage, MessageRow>({
      maxItems: maxMessagesPerBatch,
      timeout: busyTimeout,
      deadlineOf: ({ context }) => context.deadline,
      runBatch: jobs => runTogether(jobs, storeQueued),
    }),
);

async function storeQueued(messages: readonly QueuedMessage[]): Promise<Outcome<MessageRow>[]> {
  const [first] = messages;
  if (!first) return [];
  const drafts = messages.map(({ draft }) => draft);
  try {
    return await storeMessages(first.context, first.conversation, drafts);
  } catch (error) {
    if (!isUniqueViolation(error, 'chat_message_once')) throw error;
    return storeMessages(first.context, first.conversation, drafts);
  }
}

/**
 * Sends a message. Concurrent messages to one conversation are stored by one transaction; each still succeeds or fails alone.
 * @throws field errors; notFound; forbidden `not_participant`, `not_member`, `not_connected` or `date_of_birth_needed`
 */
export async function sendChatMessage(context: Dependencies, input: NewMessage): Promise<MessageRow> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const content = checks.text('text', input.text, messageTextLimits);
  const { chatId, groupId, receiverId } = input;
  if ([chatId, groupId, receiverId].filter(one => one !== undefined).length !== 1) {
    checks.add(wholeInput, 'Provide exactly one of chat_id, group_id or receiver_id.');
  }
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'message', key: String(userId) }]);
  const draft = { id: uuidV7(context.now()), authorId: userId, content, clientId: input.idempotencyKey ?? null };
  const send = async (): Promise<MessageRow> => {
    const conversation: Conversation = groupId
      ? { kind: 'group', id: groupId }
      : { kind: 'chat', id: chatId ?? (await chatWith(context, userId, receiverId ?? 0)) };
    const key = `${context.origin} ${conversationTopic(conversation)}`;
    const queued: QueuedMessage = { context, conversation, draft };
    return context.hasCheck ? runAlone(queued, storeQueued) : queueFor(context.read).run(key, queued);
  };
  const message = await send().catch(async (error: unknown) => {
    throw await explainByAge(context, userId, error);
  });
  await context.recordGroupCommit();
  return message;
}

/** The private chat with a connected person, created if there is none. @throws notFound; forbidden `not_connected` */
async function chatWith(context: Dependencies, userId: number, otherId: number): Promise<string> {
  const [person] = await context.read(sql<{ connected: boolean; chatId: string | null }>`
    select ${connectedWith(userId, 'u.id')} as connected, c.id as "chatId"
    from users u left join private_chat c
      on c.low_id = least(u.id, ${userId}::bigint) and c.high_id = greatest(u.id, ${userId}::bigint)
    where u.id = ${otherId} and u.id <> ${userId} and ${isReachable('u')}`);
  if (!person?.connected) {
    await recordRefusedContact(context, { personId: userId, otherId, kind: 'message' });
    throw person ? notConnectedError() : notFound();
  }
  return person.chatId ?? context.transaction(db => ensurePrivateChat(db, userId, otherId, context.now()));
}
