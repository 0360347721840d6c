import { type NodeKind, uuidNode } from '../../context/node-kind.ts';
import { findChatGroups, findPrivateChats } from './chats.queries.ts';
import { findMessages } from './messages.queries.ts';

/** Chats of the caller, groups that the caller can find, and messages that the caller can read. */
export const chatNodes: readonly NodeKind[] = [
  uuidNode({ type: 'PrivateChat', access: 'verified', load: findPrivateChats }),
  uuidNode({ type: 'ChatGroup', access: 'verified', load: findChatGroups }),
  uuidNode({ type: 'ChatMessage', access: 'verified', load: (context, ids) => findMessages(context, ids) }),
];
