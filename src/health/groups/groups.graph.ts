import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { ChatGroup } from '../../../schema/health/chat.ts';
import { CommunityGroup } from '../../../schema/health/community-group.ts';
import {
  GroupEntry,
  GroupEntryAnswer,
  GroupEntryConnection,
  GroupEntryTurn,
} from '../../../schema/health/group-entry.ts';
import { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type ChatGroupRow, findChatGroups } from '../chat/chats.queries.ts';
import { type CommunityGroupRow, findCommunityGroups } from '../community/community.queries.ts';
import { answerGroupEntry } from './answer-group-entry.ts';
import { inviteToGroup, requestGroupEntry } from './ask-to-join.ts';
import { changeGroupAccess } from './change-group-access.ts';
import { type GroupEntryRow, groupEntries } from './group-entries.queries.ts';
import { type GroupReference, groupOfId } from './group-reference.ts';
import { handOverGroup } from './hand-over-group.ts';

@ArgsType()
class GroupEntriesArgs extends ConnectionArgs {
  @Field(() => GroupEntryTurn, { defaultValue: GroupEntryTurn.YOURS, description: 'Whose answer they wait for.' })
  turn!: GroupEntryTurn;
}

@InputType({ description: 'Input of `requestGroupEntry`.' })
class RequestGroupEntryInput {
  @Field(() => ID, { description: 'Closed chat group or community group.' }) groupId!: string;
}

@InputType({ description: 'Input of `inviteToGroup`.' })
class InviteToGroupInput {
  @Field(() => ID, { description: 'Chat group or community group that you own.' }) groupId!: string;
  @Field(() => ID, { description: 'Global id of a person that you are connected with.' }) personId!: string;
}

@InputType({ description: 'Input of `answerGroupEntry`.' })
class AnswerGroupEntryInput {
  @Field(() => ID, { description: 'Request or invitation.' }) groupEntryId!: string;
  @Field(() => GroupEntryAnswer, { description: 'Answer; declining one of your own withdraws it.' })
  answer!: GroupEntryAnswer;
}

@InputType({ description: 'Input of `handOverGroup`.' })
class HandOverGroupInput {
  @Field(() => ID, { description: 'Chat group or community group that you own.' }) groupId!: string;
  @Field(() => ID, { description: 'Global id of the member who owns it from now on.' }) personId!: string;
}

@InputType({ description: 'Input of `changeGroupAccess`. An absent field stays unchanged.' })
class ChangeGroupAccessInput {
  @Field(() => ID, { description: 'Chat group or community group that you own.' }) groupId!: string;
  @optionalField(() => GroupVisibility, 'Who finds and joins the group.') visibility?: GroupVisibility | null;
  @optionalField(() => Boolean, 'Whether those who join from now on read what was written before.')
  sharesHistory?: boolean | null;
}

const group = (about: string) =>
  ({
    chatGroup: [() => ChatGroup, `Chat group ${about}; null for a community group.`],
    communityGroup: [() => CommunityGroup, `Community group ${about}; null for a chat group.`],
  }) as const;

const RequestGroupEntryPayload = payloadOf('requestGroupEntry', {
  groupEntry: [() => GroupEntry, 'Request, which waits for the owner.'],
});
const InviteToGroupPayload = payloadOf('inviteToGroup', {
  groupEntry: [() => GroupEntry, 'Invitation; null for a person who had asked to join, and is a member now.'],
});
const AnswerGroupEntryPayload = payloadOf('answerGroupEntry', group('that it was about, if you can see it'));
const HandOverGroupPayload = payloadOf('handOverGroup', group('handed over'));
const ChangeGroupAccessPayload = payloadOf('changeGroupAccess', group('changed'));

interface GroupPayload {
  chatGroup: ChatGroupRow | null;
  communityGroup: CommunityGroupRow | null;
}

@Resolver(() => Person)
export class PersonGroupEntries {
  @Access('verified')
  // 5,200 buffers for 3,200 requests to own groups, and 23,700 to 43,900 where the planner looks each of them up by its id: it decides
  // by the sample of the last ANALYZE.
  @Cost(50)
  @FieldResolver(() => GroupEntryConnection, {
    nullable: true,
    description: 'Requests to join groups, and invitations, that wait for an answer, newest first.',
  })
  groupEntries(
    @Args(() => GroupEntriesArgs) { turn, ...args }: GroupEntriesArgs,
    @Ctx() context: Context,
  ): KeysetConnection<GroupEntryRow> {
    const slice = keysetSliceOf(args, GroupEntryConnection);
    const source = groupEntries(context, turn, slice);
    return new KeysetConnection(GroupEntryConnection, source, slice, ({ databaseId }) => databaseId);
  }
}

@Resolver(() => GroupEntry)
export class GroupEntryFields {
  @FieldResolver(() => ChatGroup, { nullable: true, description: 'Chat group; null for a community group.' })
  chatGroup(
    @Root() { chatGroupId }: GroupEntryRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChatGroupRow | null> | null {
    return chatGroupId === null ? null : context.load(findChatGroups, selectionOf(info)).load(chatGroupId);
  }

  @FieldResolver(() => CommunityGroup, { nullable: true, description: 'Community group; null for a chat group.' })
  communityGroup(
    @Root() { communityGroupId }: GroupEntryRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> | null {
    return communityGroupId === null
      ? null
      : context.load(findCommunityGroups, selectionOf(info)).load(communityGroupId);
  }
}

@Resolver()
export class GroupRoots {
  @Access('verified')
  @Mutation(() => RequestGroupEntryPayload, {
    nullable: true,
    description: 'Asks the owner of a closed group to let you in. Idempotent while the request waits.',
  })
  async requestGroupEntry(
    @InputArg(() => RequestGroupEntryInput) { groupId }: RequestGroupEntryInput,
    @Ctx() context: Context,
  ): Promise<{ groupEntry: GroupEntryRow | null }> {
    return { groupEntry: await requestGroupEntry(context, groupOfId(groupId, 'groupId')) };
  }

  @Access('verified')
  @Mutation(() => InviteToGroupPayload, {
    nullable: true,
    description: 'Invites a person to a group that you own. The person accepts by joining.',
  })
  async inviteToGroup(
    @InputArg(() => InviteToGroupInput) { groupId, personId }: InviteToGroupInput,
    @Ctx() context: Context,
  ): Promise<{ groupEntry: GroupEntryRow | null }> {
    const person = numberOfId('Person', personId, 'personId');
    return { groupEntry: await inviteToGroup(context, groupOfId(groupId, 'groupId'), person) };
  }

  @Access('verified')
  @Mutation(() => AnswerGroupEntryPayload, {
    nullable: true,
    description: 'Accepts or declines a request to a group that you own, or an invitation to you.',
  })
  async answerGroupEntry(
    @InputArg(() => AnswerGroupEntryInput) { groupEntryId, answer }: AnswerGroupEntryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const id = numberOfId('GroupEntry', groupEntryId, 'groupEntryId');
    return readGroup(context, await answerGroupEntry(context, id, answer), info);
  }

  @Access('verified')
  @Mutation(() => HandOverGroupPayload, {
    nullable: true,
    description: 'Makes another member the owner of a group that you own. You stay a member.',
  })
  async handOverGroup(
    @InputArg(() => HandOverGroupInput) { groupId, personId }: HandOverGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const reference = groupOfId(groupId, 'groupId');
    await handOverGroup(context, reference, numberOfId('Person', personId, 'personId'));
    return readGroup(context, reference, info);
  }

  @Access('verified')
  @Mutation(() => ChangeGroupAccessPayload, {
    nullable: true,
    description: 'Changes who finds and joins a group that you own. Members stay, and keep what they can read.',
  })
  async changeGroupAccess(
    @InputArg(() => ChangeGroupAccessInput) { groupId, ...access }: ChangeGroupAccessInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    const reference = groupOfId(groupId, 'groupId');
    await changeGroupAccess(context, reference, access);
    return readGroup(context, reference, info);
  }
}

async function readGroup(context: Context, group: GroupReference, info: GraphQLResolveInfo): Promise<GroupPayload> {
  const wanted = selectionOf(info);
  const [chat, community] = [wanted.get('chatGroup'), wanted.get('communityGroup')];
  const [chatGroup = null] = group.kind === 'chat' && chat ? await findChatGroups(context, [group.id], chat) : [];
  const [communityGroup = null] =
    group.kind === 'community' && community ? await findCommunityGroups(context, [group.id], community) : [];
  return { chatGroup, communityGroup };
}
