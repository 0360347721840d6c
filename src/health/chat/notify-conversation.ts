import { type Kysely, sql } from 'kysely';
import type { Conversation } from './conversations.ts';

/** NOTIFY channel on which gateways learn that a conversation has a new message. */
export const chatNotifyChannel = 'portico_chat';

/** Payload of a notification: the conversation only, never its content. Each subscriber reads what it is allowed to. */
export const conversationTopic = ({ kind, id }: Conversation): string => `${kind}:${id}`;

/** Notifies on commit; a rollback discards the notification. */
export async function notifyConversation(db: Kysely<unknown>, conversation: Conversation): Promise<void> {
  await sql`select pg_notify(${chatNotifyChannel}, ${conversationTopic(conversation)})`.execute(db);
}
