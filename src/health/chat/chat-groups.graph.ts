import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { ChatGroup, ChatStanding, PrivateChat } from '../../../schema/health/chat.ts';
import { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId, uuidOfId } from '../../context/global-ids.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { joinChatGroup, leaveChatGroup, liftChatBan, removeChatMember } from './chat-membership.ts';
import { type ChatGroupRow, findChatGroups, findPrivateChats, type PrivateChatRow } from './chats.queries.ts';
import { chatGroupLimits, createChatGroup } from './create-chat-group.ts';
import { startPrivateChat } from './start-private-chat.ts';

@InputType({ description: 'Input of `startPrivateChat`.' })
class StartPrivateChatInput {
  @Field(() => ID, { description: 'Global id of a person that you are connected with.' }) personId!: string;
}

@InputType({ description: 'Input of `createChatGroup`.' })
class CreateChatGroupInput {
  @Limits(chatGroupLimits.name)
  @Field(() => String, { description: 'Name, 1 to 100 characters.' })
  name!: string;
  @Limits(chatGroupLimits.description)
  @optionalField(() => String, 'Purpose of the group, at most 500 characters.')
  description?: string | null;
  @Limits(chatGroupLimits.participantIds)
  @optionalField(() => [ID], 'Global ids of the first members: at most 50, all connected with you.')
  participantIds?: string[] | null;
  @optionalField(
    () => GroupVisibility,
    'Who finds and joins the group: `OPEN` by default, `CLOSED` with first members.',
  )
  visibility?: GroupVisibility | null;
  @optionalField(() => Boolean, 'Whether those who join read what was written before; false by default.')
  sharesHistory?: boolean | null;
}

@InputType({ description: 'Input of `joinChatGroup`.' })
class JoinChatGroupInput {
  @Field(() => ID, { description: 'Group to join.' }) chatGroupId!: string;
}

@InputType({ description: 'Input of `leaveChatGroup`.' })
class LeaveChatGroupInput {
  @Field(() => ID, { description: 'Group to leave.' }) chatGroupId!: string;
}

@InputType({ description: 'Input of `removeChatMember`.' })
class RemoveChatMemberInput {
  @Field(() => ID, { description: 'Group that you are an admin of.' }) chatGroupId!: string;
  @Field(() => ID, { description: 'Global id of the member.' }) personId!: string;
}

@InputType({ description: 'Input of `liftChatBan`.' })
class LiftChatBanInput {
  @Field(() => ID, { description: 'Group that you are an admin of.' }) chatGroupId!: string;
  @Field(() => ID, { description: 'Global id of the banned person.' }) personId!: string;
}

const standing = [() => ChatStanding, 'Your membership and the outcome in words.'] as const;

const StartPrivateChatPayload = payloadOf('startPrivateChat', { chat: [() => PrivateChat, 'Chat with the person.'] });
const CreateChatGroupPayload = payloadOf('createChatGroup', {
  chatGroup: [() => ChatGroup, 'Chat group that was created.'],
});
const JoinChatGroupPayload = payloadOf('joinChatGroup', {
  chatGroup: [() => ChatGroup, 'Chat group that you have joined.'],
  standing,
});
const LeaveChatGroupPayload = payloadOf('leaveChatGroup', {
  chatGroup: [() => ChatGroup, 'Group left; null if it has ended.'],
  standing,
});
const RemoveChatMemberPayload = payloadOf('removeChatMember', {
  chatGroup: [() => ChatGroup, 'Group that the member was removed from.'],
});
const LiftChatBanPayload = payloadOf('liftChatBan', {
  chatGroup: [() => ChatGroup, 'Group that the person can join again.'],
});

interface GroupPayload {
  chatGroup: ChatGroupRow | null;
  standing?: ChatStanding;
}

@Resolver()
export class ChatGroupRoots {
  @Access('verified')
  @Mutation(() => StartPrivateChatPayload, {
    nullable: true,
    description: 'Private chat with a connected person, created if there is none.',
  })
  async startPrivateChat(
    @InputArg(() => StartPrivateChatInput) input: StartPrivateChatInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ chat: PrivateChatRow | null }> {
    const id = await startPrivateChat(context, personOf(input));
    const [chat = null] = await findPrivateChats(context, [id], selectionBelow(info, 'chat'));
    return { chat };
  }

  @Access('verified')
  @Mutation(() => CreateChatGroupPayload, { nullable: true, description: 'Creates a chat group with you as admin.' })
  async createChatGroup(
    @InputArg(() => CreateChatGroupInput) { participantIds, ...input }: CreateChatGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const members = participantIds?.map(id => numberOfId('Person', id, 'participantIds')) ?? null;
    return readChanged(context, await createChatGroup(context, { ...input, participantIds: members }), info);
  }

  @Access('verified')
  @Mutation(() => JoinChatGroupPayload, {
    nullable: true,
    description: 'Joins a chat group that is open or that you are invited to. Idempotent.',
  })
  async joinChatGroup(
    @InputArg(() => JoinChatGroupInput) input: JoinChatGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const id = groupOf(input);
    const result = await joinChatGroup(context, id);
    return { ...(await readChanged(context, id, info)), standing: result };
  }

  @Access('verified')
  @Mutation(() => LeaveChatGroupPayload, { nullable: true, description: 'Leaves a chat group. Idempotent.' })
  async leaveChatGroup(
    @InputArg(() => LeaveChatGroupInput) input: LeaveChatGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const id = groupOf(input);
    const result = await leaveChatGroup(context, id);
    return { ...(await readChanged(context, id, info)), standing: result };
  }

  @Access('verified')
  @Mutation(() => RemoveChatMemberPayload, {
    nullable: true,
    description: 'Removes and bans a member of a chat group. For admins of the group.',
  })
  async removeChatMember(
    @InputArg(() => RemoveChatMemberInput) input: RemoveChatMemberInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    await removeChatMember(context, groupOf(input), personOf(input));
    return readChanged(context, groupOf(input), info);
  }

  @Access('verified')
  @Mutation(() => LiftChatBanPayload, {
    nullable: true,
    description: 'Lifts the ban of a person from a chat group. For admins of the group.',
  })
  async liftChatBan(
    @InputArg(() => LiftChatBanInput) input: LiftChatBanInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    await liftChatBan(context, groupOf(input), personOf(input));
    return readChanged(context, groupOf(input), info);
  }
}

const groupOf = ({ chatGroupId }: { chatGroupId: string }): string => uuidOfId('ChatGroup', chatGroupId, 'chatGroupId');
const personOf = ({ personId }: { personId: string }): number => numberOfId('Person', personId, 'personId');

/** Reads the group only if it is selected: a client may select the result alone. */
async function readChanged(context: Context, id: string, info: GraphQLResolveInfo): Promise<GroupPayload> {
  const wanted = selectionOf(info).get('chatGroup');
  const [chatGroup = null] = wanted ? await findChatGroups(context, [id], wanted) : [];
  return { chatGroup };
}
