/** A conversation: the private chat of two users, or a group chat. */
export interface Conversation {
  kind: 'chat' | 'group';
  id: string;
}

/** NOTIFY channel on which gateways learn of new messages and of read positions. */
export const chatNotifyChannel = 'portico_chat';

/** Payload of a notification: the conversation only, never its content. Each subscriber reads what it is allowed to. */
export const conversationTopic = ({ kind, id }: Conversation): string => `${kind}:${id}`;

/** Start of the payload of the notification that the read position of a person has moved; the number of the person follows. */
export const readTopicPrefix = ({ kind, id }: Conversation): string => `read:${kind}:${id}:`;

/** Payload of the notification that the read position of a person in a conversation has moved. */
export const readTopic = (conversation: Conversation, userId: number): string =>
  `${readTopicPrefix(conversation)}${userId}`;
