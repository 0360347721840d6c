import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { ChatParticipant } from './chat.ts';

@ObjectType({ description: 'Person whom the caller can write to.', simpleResolvers: true })
export class ChatUser extends ChatParticipant {
  @Computed(() => UuidText, 'Identifier of the private chat with the caller; null before the first message.', {
    null: true,
  })
  chatId!: string | null;

  @Computed(() => GraphQLSafeInt, 'Number of the connection with the caller.')
  connectionId!: number;
}
