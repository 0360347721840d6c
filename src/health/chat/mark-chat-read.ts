import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { markRead, requireReadable } from './conversations.ts';
import type { Conversation } from './notify-conversation.ts';

/**
 * Marks the messages of a chat as read, up to the newest one. Idempotent.
 * @throws notFound; forbidden `not_member`
 */
export async function markChatRead(
  context: Pick<Context, 'actor' | 'read' | 'transaction'>,
  conversation: Conversation,
): Promise<void> {
  const { lastMessageAt, readAt } = await requireReadable(context, conversation);
  if (lastMessageAt === null || lastMessageAt <= readAt) return;
  await context.transaction(db => markRead(db, requirePerson(context.actor).userId, conversation, lastMessageAt));
}
