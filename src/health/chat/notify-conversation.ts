import { type Kysely, sql } from 'kysely';
import type { Conversation } from './conversations.ts';

/** Where PostgreSQL tells every gateway that something is new in a room. */
export const chatNotifyChannel = 'portico_chat';

/** The text that is told: which room, and nothing of what is in it. Every reader then asks for what they may read. */
export const conversationTopic = ({ kind, id }: Conversation): string => `${kind}:${id}`;

/** Tells it when the transaction commits, and not when it is rolled back. */
export async function notifyConversation(db: Kysely<unknown>, conversation: Conversation): Promise<void> {
  await sql`select pg_notify(${chatNotifyChannel}, ${conversationTopic(conversation)})`.execute(db);
}
