import { type Kysely, sql } from 'kysely';

/** A conversation: the private chat of two users, or a group chat. */
export interface Conversation {
  kind: 'chat' | 'group';
  id: string;
}

/** NOTIFY channel on which gateways learn of new messages and of read positions. */
export const chatNotifyChannel = 'portico_chat';

/** Payload of a notification: the conversation only, never its content. Each subscriber reads what it is allowed to. */
export const conversationTopic = ({ kind, id }: Conversation): string => `${kind}:${id}`;

/** Payload of the notification that the read position of a person in a conversation has moved. */
export const readTopic = ({ kind, id }: Conversation, userId: number): string => `read:${kind}:${id}:${userId}`;

/** Notifies on commit; a rollback discards the notification. */
export async function notifyConversation(db: Kysely<unknown>, conversation: Conversation): Promise<void> {
  await sql`select pg_notify(${chatNotifyChannel}, ${conversationTopic(conversation)})`.execute(db);
}
