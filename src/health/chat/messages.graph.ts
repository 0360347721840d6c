import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { Chat, ChatMessage, ChatMessageConnection, ChatMessageOrder } from '../../../schema/health/chat.ts';
import { ChatReadPosition } from '../../../schema/health/chat-read-position.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId, uuidOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { asOfField, orderByField, searchField } from '../lists/argument-fields.ts';
import { noticeOfText } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { type ChatRow, findChats } from './all-chats.queries.ts';
import { subscribeToMessages, subscribeToReadPosition } from './chat-subscriptions.ts';
import { conversationOfId } from './conversation-id.ts';
import { findDirectChat, requireGroupChat, requirePrivateChat } from './conversations.ts';
import { deleteChatMessage } from './delete-chat-message.ts';
import { markChatRead } from './mark-chat-read.ts';
import { emptyMessagePage, findMessages, type MessageRow, messagePage } from './messages.queries.ts';
import { messageTextLimits, type NewMessage, sendChatMessage } from './send-chat-message.ts';

@ArgsType()
class MessagesArgs extends ConnectionArgs {
  @searchField('the text')
  search?: string | null;

  @orderByField(() => ChatMessageOrder)
  orderBy?: string[] | null;

  @asOfField()
  asOf?: string | null;
}

@ArgsType()
class PrivateMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'UUID of the private chat.' })
  chatId!: string;
}

@ArgsType()
class GroupMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'UUID of the group.' })
  groupId!: string;
}

@ArgsType()
class DirectMessagesArgs extends MessagesArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the other person.' })
  userId!: number;
}

@InputType({ description: 'Input of `sendChatMessage`. Give exactly one of `chatId`, `chatGroupId` and `personId`.' })
class SendChatMessageInput {
  @Limits(messageTextLimits)
  @Field(() => String, { description: 'Text, 1 to 4,000 characters.' })
  text!: string;
  @optionalField(() => ID, 'Private chat or chat group to write to.') chatId?: string | null;
  @optionalField(() => ID, 'Chat group to write to; as `chatId`, which takes both.')
  chatGroupId?: string | null;
  @optionalField(() => ID, 'Global id of a connected person to write to; creates the private chat if there is none.')
  personId?: string | null;
  @optionalField(() => UuidText, 'UUID that you choose: a repeated message with the same key is stored once.')
  idempotencyKey?: string | null;
}

@InputType({ description: 'Input of `deleteChatMessage`.' })
class DeleteChatMessageInput {
  @Field(() => ID, { description: 'Message of yours to delete.' }) messageId!: string;
}

@InputType({ description: 'Input of `markChatRead`.' })
class MarkChatReadInput {
  @Field(() => ID, { description: 'Chat to mark.' }) chatId!: string;
}

const SendChatMessagePayload = payloadOf('sendChatMessage', { message: [() => ChatMessage, 'Message that was sent.'] });
export const messageSafety = safetyResolvers(ChatMessage, SendChatMessagePayload);
const DeleteChatMessagePayload = payloadOf('deleteChatMessage', {
  message: [() => ChatMessage, 'Message without its text; null if you can no longer read its chat.'],
});
const MarkChatReadPayload = payloadOf('markChatRead', { chat: [() => Chat, 'Chat marked as read.'] });

/** Lists of the REST contract, which marks what it returns as read. `Chat.messages` does not. */
@Resolver()
export class MessageListRoots {
  @RestCorner('A GET marks the page as read there. Use `Chat.messages`, and `markChatRead` to mark.')
  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    nullable: true,
    description: 'Messages of a private chat. Marks the messages of the page as read.',
  })
  async privateMessages(
    @Args(() => PrivateMessagesArgs) args: PrivateMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    const conversation = await requirePrivateChat(context, args.chatId);
    return new Connection(ChatMessageConnection, messagePage(context, conversation, args), args);
  }

  @RestCorner('A GET marks the page as read there. Use `Chat.messages`, and `markChatRead` to mark.')
  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    nullable: true,
    description: 'Messages with a connected person. Marks the messages of the page as read.',
  })
  async directMessages(
    @Args(() => DirectMessagesArgs) args: DirectMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    const conversation = await findDirectChat(context, args.userId);
    const list = conversation ? messagePage(context, conversation, args) : emptyMessagePage;
    return new Connection(ChatMessageConnection, list, args);
  }

  @RestCorner('A GET marks the page as read there. Use `Chat.messages`, and `markChatRead` to mark.')
  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    nullable: true,
    description: 'Messages of one of your groups. Marks the messages of the page as read.',
  })
  async groupMessages(
    @Args(() => GroupMessagesArgs) args: GroupMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    const conversation = await requireGroupChat(context, args.groupId);
    return new Connection(ChatMessageConnection, messagePage(context, conversation, args), args);
  }
}

@Resolver()
export class MessageRoots {
  @Access('verified')
  @Mutation(() => SendChatMessagePayload, {
    nullable: true,
    description: 'Sends a message to a private chat, a group or a connected person.',
  })
  async sendChatMessage(
    @InputArg(() => SendChatMessageInput) input: SendChatMessageInput,
    @Ctx() context: Context,
  ): Promise<{ message: MessageRow } & Heard> {
    const { text, idempotencyKey = null } = input;
    const message = await sendChatMessage(context, { text, idempotencyKey, ...targetsOf(input) });
    return withSafety('message', message, () => noticeOfText(context, [text]));
  }

  @Access('verified')
  @Mutation(() => DeleteChatMessagePayload, {
    nullable: true,
    description: 'Deletes the text of one of your messages, which stays as a placeholder. Idempotent.',
  })
  async deleteChatMessage(
    @InputArg(() => DeleteChatMessageInput) { messageId }: DeleteChatMessageInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ message: MessageRow | null }> {
    const id = uuidOfId('ChatMessage', messageId, 'messageId');
    await deleteChatMessage(context, id);
    const [message = null] = selectionOf(info).has('message') ? await findMessages(context, [id]) : [];
    return { message };
  }

  @Access('verified')
  @Mutation(() => MarkChatReadPayload, {
    nullable: true,
    description: 'Marks all messages of a chat as read. Idempotent.',
  })
  async markChatRead(
    @InputArg(() => MarkChatReadInput) { chatId }: MarkChatReadInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ chat: ChatRow | null }> {
    const conversation = conversationOfId(chatId, 'chatId');
    await markChatRead(context, conversation);
    const [chat = null] = await findChats(context, [conversation], selectionBelow(info, 'chat'));
    return { chat };
  }

  @Access('verified')
  @Subscription(() => ChatMessage, {
    subscribe: ({ args, context }) =>
      subscribeToMessages(context as Context, conversationOfId((args as { chatId: string }).chatId, 'chatId')),
    description: 'New messages of a chat, in order and complete. Ends when you lose read access.',
  })
  chatMessageAdded(
    @Root() message: MessageRow,
    @Arg('chatId', () => ID, { description: 'Private chat or chat group.' }) _chatId: string,
  ): MessageRow {
    return message;
  }

  @Access('verified')
  @Subscription(() => ChatReadPosition, {
    subscribe: ({ args, context }) =>
      subscribeToReadPosition(context as Context, conversationOfId((args as { chatId: string }).chatId, 'chatId')),
    description:
      'Your read position in a chat, each time that one of your devices moves it. Ends when you lose read access.',
  })
  chatRead(
    @Root() position: ChatReadPosition,
    @Arg('chatId', () => ID, { description: 'Private chat or chat group.' }) _chatId: string,
  ): ChatReadPosition {
    return position;
  }
}

/** `chatId` is of either kind of chat. */
function targetsOf({ chatId, chatGroupId, personId }: SendChatMessageInput): Omit<NewMessage, 'text'> {
  const chat = chatId ? conversationOfId(chatId, 'chatId') : undefined;
  const groupId = chatGroupId ? uuidOfId('ChatGroup', chatGroupId, 'chatGroupId') : undefined;
  return {
    chatId: chat?.kind === 'chat' ? chat.id : undefined,
    groupId: chat?.kind === 'group' ? chat.id : groupId,
    receiverId: personId ? numberOfId('Person', personId, 'personId') : undefined,
  };
}
