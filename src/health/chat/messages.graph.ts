import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { ChatMessage, ChatMessageConnection } from '../../../schema/health/chat.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { findDirectChat, requireGroupChat, requirePrivateChat } from './conversations.ts';
import { deleteMessage } from './delete-message.ts';
import { subscribeToMessages } from './message-subscription.ts';
import { emptyMessagePage, type MessageRow, messageOrdering, messagePage } from './messages.queries.ts';
import { sendMessage } from './send-message.ts';

@ArgsType()
class MessagesArgs extends ConnectionArgs {
  @searchField('the text')
  search?: string | null;

  @orderingField(messageOrdering)
  ordering?: string | null;
}

@ArgsType()
class PrivateMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'Id of the private chat.' })
  chatId!: string;
}

@ArgsType()
class GroupMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'Id of the group.' })
  groupId!: string;
}

@ArgsType()
class DirectMessagesArgs extends MessagesArgs {
  @Field(() => GraphQLSafeInt, { description: 'Id of the other user.' })
  userId!: number;
}

@ArgsType()
class NewMessageArgs {
  @Field(() => String, { description: 'Text, 1 to 4,000 characters.' })
  content!: string;

  @Field(() => UuidText, { nullable: true, description: 'Id of the destination private chat.' })
  chatId?: string | null;

  @Field(() => UuidText, { nullable: true, description: 'Id of the destination group.' })
  groupId?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Id of the receiving user.' })
  receiverId?: number | null;

  @Field(() => UuidText, {
    nullable: true,
    description: 'Idempotency key: a repeated message with the same key is stored once.',
  })
  clientId?: string | null;
}

@ArgsType()
class ConversationArgs {
  @Field(() => UuidText, {
    nullable: true,
    description: 'Id of the private chat. Either this or `groupId` is required.',
  })
  chatId?: string | null;

  @Field(() => UuidText, { nullable: true, description: 'Id of the group.' })
  groupId?: string | null;
}

@Resolver()
export class MessageRoots {
  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    description: 'Messages of a private chat. Marks the messages of the page as read.',
  })
  async privateMessages(
    @Args(() => PrivateMessagesArgs) args: PrivateMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    return new Connection(
      ChatMessageConnection,
      messagePage(context, await requirePrivateChat(context, args.chatId), args),
      args,
    );
  }

  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    description: 'Messages with a connected user. Marks the messages of the page as read.',
  })
  async directMessages(
    @Args(() => DirectMessagesArgs) args: DirectMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    const conversation = await findDirectChat(context, args.userId);
    return new Connection(
      ChatMessageConnection,
      conversation ? messagePage(context, conversation, args) : emptyMessagePage,
      args,
    );
  }

  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessageConnection, {
    description: "Messages of one of the caller's groups. Marks the messages of the page as read.",
  })
  async groupMessages(
    @Args(() => GroupMessagesArgs) args: GroupMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<MessageRow>> {
    return new Connection(
      ChatMessageConnection,
      messagePage(context, await requireGroupChat(context, args.groupId), args),
      args,
    );
  }

  @Access('verified')
  @Mutation(() => ChatMessage, {
    description: 'Sends a message to exactly one destination: a private chat, a group, or a connected user.',
  })
  sendMessage(@Args(() => NewMessageArgs) args: NewMessageArgs, @Ctx() context: Context): Promise<MessageRow> {
    return sendMessage(context, args);
  }

  @Access('verified')
  @Mutation(() => Boolean, {
    description: "Deletes the text of one of the caller's messages. The message stays as a placeholder.",
  })
  async deleteMessage(
    @Arg('id', () => UuidText, { description: 'Id of the message.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteMessage(context, id);
    return true;
  }

  @Access('verified')
  @Subscription(() => ChatMessage, {
    subscribe: ({ args, context }) => subscribeToMessages(context as Context, args as ConversationArgs),
    description:
      'New messages of a private chat or group, in order and complete. Ends when the caller loses read access.',
  })
  messageAdded(@Root() message: MessageRow, @Args(() => ConversationArgs) _room: ConversationArgs): MessageRow {
    return message;
  }
}
