import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { ChatGroup, ChatStanding, PrivateChat } from '../../../schema/health/chat.ts';
import { ChatUser } from '../../../schema/health/chat-user.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { joinChatGroup, leaveChatGroup, liftChatBan, removeChatMember } from './chat-membership.ts';
import {
  type ChatGroupRow,
  type ChatUserRow,
  chatUsers,
  openChatGroups,
  ownChatGroups,
  type PrivateChatRow,
  privateChats,
} from './chats.queries.ts';
import { createChatGroup } from './create-chat-group.ts';
import { startPrivateChat } from './start-private-chat.ts';

const groupId = { description: 'Id of the group.' };

@ArgsType()
class NewChatGroupArgs {
  @Field(() => String, { description: 'Name, 1 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Purpose of the group, at most 500 characters.' })
  description?: string | null;

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description: 'Ids of initial participants: at most 50, all connected with the caller.',
  })
  participantIds?: number[] | null;
}

@ArgsType()
class MemberArgs {
  @Field(() => UuidText, groupId)
  groupId!: string;

  @Field(() => GraphQLSafeInt, { description: 'Id of the user.' })
  userId!: number;
}

@Resolver()
export class ChatRoots {
  @Access('verified')
  @Cost(50)
  @Query(() => [PrivateChat], {
    description: "The caller's private chats, the most recently active first; at most 500.",
  })
  privateChats(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<PrivateChatRow[]> {
    return privateChats(context, selectionOf(info));
  }

  @Access('verified')
  @Cost(20)
  @Query(() => [ChatGroup], {
    description: "The caller's chat groups, the most recently active first; at most 500.",
  })
  chatGroups(
    @Arg('discover', () => Boolean, {
      defaultValue: false,
      description: 'Whether to return all groups that can be joined instead, the newest first.',
    })
    discover: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChatGroupRow[]> {
    return discover ? openChatGroups(context, selectionOf(info)) : ownChatGroups(context, selectionOf(info));
  }

  @Access('verified')
  @Cost(5)
  @Query(() => [ChatUser], { description: 'Users connected with the caller, by name; at most 500.' })
  chatUsers(
    @Arg('search', () => String, { nullable: true, description: 'Words that must all occur in the name; at most 20.' })
    search: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<ChatUserRow[]> {
    return chatUsers(context, search);
  }

  @Access('verified')
  @Mutation(() => PrivateChat, {
    nullable: true,
    description: 'The private chat with a connected user, created if missing.',
  })
  async startPrivateChat(
    @Arg('userId', () => GraphQLSafeInt, { description: 'Id of the user.' }) userId: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PrivateChatRow | null> {
    const id = await startPrivateChat(context, userId);
    const [chat] = await privateChats(context, selectionOf(info), id);
    return chat ?? null;
  }

  @Access('verified')
  @Mutation(() => ChatGroup, { nullable: true, description: 'Creates a chat group with the caller as admin.' })
  async createChatGroup(
    @Args(() => NewChatGroupArgs) args: NewChatGroupArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChatGroupRow | null> {
    const [group] = await ownChatGroups(context, selectionOf(info), await createChatGroup(context, args));
    return group ?? null;
  }

  @Access('verified')
  @Mutation(() => ChatStanding, { description: 'Joins a chat group. Idempotent.' })
  joinChatGroup(@Arg('id', () => UuidText, groupId) id: string, @Ctx() context: Context): Promise<ChatStanding> {
    return joinChatGroup(context, id);
  }

  @Access('verified')
  @Mutation(() => ChatStanding, { description: 'Leaves a chat group. Idempotent.' })
  leaveChatGroup(@Arg('id', () => UuidText, groupId) id: string, @Ctx() context: Context): Promise<ChatStanding> {
    return leaveChatGroup(context, id);
  }

  @Access('verified')
  @Mutation(() => ChatStanding, {
    description: 'Removes and bans a member of a chat group. Admins only.',
  })
  removeChatMember(@Args(() => MemberArgs) args: MemberArgs, @Ctx() context: Context): Promise<ChatStanding> {
    return removeChatMember(context, args.groupId, args.userId);
  }

  @Access('verified')
  @Mutation(() => ChatStanding, {
    description: 'Lifts the ban of a user from a chat group. Admins only.',
  })
  liftChatBan(@Args(() => MemberArgs) args: MemberArgs, @Ctx() context: Context): Promise<ChatStanding> {
    return liftChatBan(context, args.groupId, args.userId);
  }
}
