import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { ChatMessage, ChatMessagePage } from '../../../schema/health/chat.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { findDirectChat, requireGroupChat, requirePrivateChat } from './conversations.ts';
import { deleteMessage } from './delete-message.ts';
import { subscribeToMessages } from './message-subscription.ts';
import { emptyMessagePage, type MessageRow, messagePage } from './messages.queries.ts';
import { sendMessage } from './send-message.ts';

@ArgsType()
class MessagesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Words or "quoted phrases", each of which must occur in the text; at most 20.',
  })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Comma separated: timestamp, id; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  })
  ordering?: string | null;
}

@ArgsType()
class PrivateMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'Identifier of the private chat.' })
  chatId!: string;
}

@ArgsType()
class GroupMessagesArgs extends MessagesArgs {
  @Field(() => UuidText, { description: 'Identifier of the group.' })
  groupId!: string;
}

@ArgsType()
class DirectMessagesArgs extends MessagesArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the account of the other one.' })
  userId!: number;
}

@ArgsType()
class NewMessageArgs {
  @Field(() => String, { description: 'The text, 1 to 4,000 characters.' })
  content!: string;

  @Field(() => UuidText, { nullable: true, description: 'The private chat to send it to.' })
  chatId?: string | null;

  @Field(() => UuidText, { nullable: true, description: 'The group to send it to.' })
  groupId?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'The person to send it to.' })
  receiverId?: number | null;

  @Field(() => UuidText, {
    nullable: true,
    description: "An identifier of the client's own: what is sent again under it is the same message.",
  })
  clientId?: string | null;
}

@ArgsType()
class ConversationArgs {
  @Field(() => UuidText, { nullable: true, description: 'The private chat. Either this or `groupId`.' })
  chatId?: string | null;

  @Field(() => UuidText, { nullable: true, description: 'The group.' })
  groupId?: string | null;
}

@Resolver()
export class MessageRoots {
  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessagePage, { description: 'Messages of a private chat. What is on the page counts as read then.' })
  async privateMessages(
    @Args(() => PrivateMessagesArgs) args: PrivateMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Page<MessageRow>> {
    return new Page(messagePage(context, await requirePrivateChat(context, args.chatId), args), args);
  }

  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessagePage, {
    description: 'Messages with somebody the caller is connected with. What is on the page counts as read then.',
  })
  async directMessages(
    @Args(() => DirectMessagesArgs) args: DirectMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Page<MessageRow>> {
    const conversation = await findDirectChat(context, args.userId);
    return new Page(conversation ? messagePage(context, conversation, args) : emptyMessagePage, args);
  }

  @Access('verified')
  @Cost(2, { search: 100 })
  @Query(() => ChatMessagePage, {
    description: 'Messages of a group the caller is in. What is on the page counts as read then.',
  })
  async groupMessages(
    @Args(() => GroupMessagesArgs) args: GroupMessagesArgs,
    @Ctx() context: Context,
  ): Promise<Page<MessageRow>> {
    return new Page(messagePage(context, await requireGroupChat(context, args.groupId), args), args);
  }

  @Access('verified')
  @Mutation(() => ChatMessage, {
    description:
      'Sends a message to exactly one place: a private chat, a group, or a person the caller is connected with.',
  })
  sendMessage(@Args(() => NewMessageArgs) args: NewMessageArgs, @Ctx() context: Context): Promise<MessageRow> {
    return sendMessage(context, args);
  }

  @Access('verified')
  @Mutation(() => Boolean, {
    description: "Takes back a message of the caller's own. Its place stays, its text does not.",
  })
  async deleteMessage(
    @Arg('id', () => UuidText, { description: 'Identifier of the message.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteMessage(context, id);
    return true;
  }

  @Access('verified')
  @Subscription(() => ChatMessage, {
    subscribe: ({ args, context }) => subscribeToMessages(context as Context, args as ConversationArgs),
    description:
      'Every message from now on in one private chat or group, in order and none left out. It ends when the caller may not read there any more.',
  })
  messageAdded(@Root() message: MessageRow, @Args(() => ConversationArgs) _room: ConversationArgs): MessageRow {
    return message;
  }
}
