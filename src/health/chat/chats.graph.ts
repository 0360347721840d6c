import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import {
  Chat,
  ChatConnection,
  ChatGroup,
  ChatGroupConnection,
  ChatMessageConnection,
  PrivateChatConnection,
} from '../../../schema/health/chat.ts';
import { CommunityGroup } from '../../../schema/health/community-group.ts';
import { Person } from '../../../schema/health/person.ts';
import { PersonCardConnection } from '../../../schema/health/person-card.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs, LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type CommunityGroupRow, findCommunityGroups } from '../community/community.queries.ts';
import { searchField } from '../lists/argument-fields.ts';
import type { PersonCardRow } from '../people/person-card.ts';
import { allChats, type ChatRow } from './all-chats.queries.ts';
import { chatMembers } from './chat-members.queries.ts';
import {
  type ChatGroupRow,
  chatGroupsOfCommunities,
  listedChatGroups,
  ownChatGroups,
  type PrivateChatRow,
  privateChats,
} from './chats.queries.ts';
import { type MessageRow, messagesOf } from './messages.queries.ts';

const discoverArgument = {
  defaultValue: false,
  description: 'Whether to list all groups that can be found instead, newest first: open and closed ones.',
};

@ArgsType()
class ChatsArgs extends ConnectionArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether to list only chats with unread messages.' })
  unreadOnly!: boolean;
}

@ArgsType()
class ChatGroupsArgs extends LongPageArgs {
  @Field(() => Boolean, discoverArgument)
  discover!: boolean;
}

@ArgsType()
class ChatMessagesArgs extends ConnectionArgs {
  @searchField('the text')
  search?: string | null;
}

@Resolver(() => Person)
export class PersonChats {
  @Access('verified')
  @Cost(10, { unreadOnly: 10 })
  @FieldResolver(() => ChatConnection, {
    nullable: true,
    description: 'Private chats and chat groups, most recently active first. Reading them marks nothing as read.',
  })
  chats(@Args(() => ChatsArgs) args: ChatsArgs, @Ctx() context: Context): Connection<ChatRow> {
    return new Connection(ChatConnection, allChats(context, args.unreadOnly), args);
  }

  @Access('verified')
  @Cost(10)
  @FieldResolver(() => PrivateChatConnection, {
    nullable: true,
    description: 'Private chats, most recently active first, without those that a block hides.',
  })
  privateChats(@Args(() => LongPageArgs) args: LongPageArgs, @Ctx() context: Context): Connection<PrivateChatRow> {
    return new Connection(PrivateChatConnection, privateChats(context), args);
  }

  @Access('verified')
  @Cost(10)
  @FieldResolver(() => ChatGroupConnection, {
    nullable: true,
    description: 'Chat groups, most recently active first.',
  })
  chatGroups(@Args(() => ChatGroupsArgs) args: ChatGroupsArgs, @Ctx() context: Context): Connection<ChatGroupRow> {
    const groups = args.discover ? listedChatGroups(context) : ownChatGroups(context);
    return new Connection(ChatGroupConnection, groups, args);
  }
}

@Resolver(() => Chat)
export class ChatFields {
  @Cost(2, { search: 100 })
  @FieldResolver(() => ChatMessageConnection, {
    nullable: true,
    description: 'Messages, newest first; null unless you are in the chat. Reading them marks nothing as read.',
  })
  messages(
    @Root() chat: PrivateChatRow | ChatGroupRow,
    @Args(() => ChatMessagesArgs) args: ChatMessagesArgs,
    @Ctx() context: Context,
  ): KeysetConnection<MessageRow> | null {
    const isGroup = 'isMember' in chat;
    if (isGroup && !chat.isMember) return null;
    const kind = isGroup ? 'group' : 'chat';
    const { search } = args;
    const slice = keysetSliceOf(args, ChatMessageConnection);
    const source = messagesOf(context, kind, search, slice);
    const list = batchedList(context, `Chat.messages ${kind}`, { search, ...slice }, chat.id, source);
    return new KeysetConnection(ChatMessageConnection, list, slice, ({ ordinal }) => ordinal);
  }
}

@Resolver(() => ChatGroup)
export class ChatGroupFields {
  @FieldResolver(() => PersonCardConnection, {
    nullable: true,
    description: 'Members, first joined first, without blocked ones; null unless you are a member.',
  })
  members(
    @Root() { id, isMember }: ChatGroupRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<PersonCardRow> | null {
    if (!isMember) return null;
    const list = batchedList(context, 'ChatGroup.members', {}, id, chatMembers(context));
    return new Connection(PersonCardConnection, list, args);
  }

  @FieldResolver(() => CommunityGroup, {
    nullable: true,
    description: 'Community group that the chat belongs to; null for none.',
  })
  communityGroup(
    @Root() { communityId }: ChatGroupRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> | null {
    return communityId === null ? null : context.load(findCommunityGroups, selectionOf(info)).load(communityId);
  }
}

@Resolver(() => CommunityGroup)
export class CommunityGroupChat {
  @FieldResolver(() => ChatGroup, {
    nullable: true,
    description: 'Chat of the group; null where you cannot find it. Members of the group join it apart.',
  })
  chatGroup(
    @Root() { id }: CommunityGroupRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChatGroupRow | null> {
    return context.load(chatGroupsOfCommunities, selectionOf(info)).load(id);
  }
}
