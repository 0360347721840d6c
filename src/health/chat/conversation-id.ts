import { decodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { uuidOfId } from '../../context/global-ids.ts';
import type { Conversation } from './notify-conversation.ts';

/**
 * The conversation that a global id of an input names.
 * @throws GraphQLError BAD_USER_INPUT, status 400, if it is the id of no chat
 */
export function conversationOfId(id: string, field: string): Conversation {
  const uuid = uuidOfId(['PrivateChat', 'ChatGroup'], id, field);
  return { kind: decodeGlobalId(id)?.type === 'PrivateChat' ? 'chat' : 'group', id: uuid };
}
