import { ID, Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';

@ObjectType({ description: 'Position up to which you have read a chat.', simpleResolvers: true })
export class ChatReadPosition {
  @Computed(() => ID, 'Global id of the chat.')
  chatId!: string;

  @Computed(() => DateTime, 'Time of sending of the newest message that you have read.')
  readAt!: string;

  @Computed(() => Int, 'Number of unread messages of others, at most 1,000.')
  unreadCount!: number;
}
