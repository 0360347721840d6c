import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { CommunityGroup, CommunityGroupConnection, CommunityStanding } from '../../../schema/health/community-group.ts';
import { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import { PersonCardConnection } from '../../../schema/health/person-card.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs, LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { searchField } from '../lists/argument-fields.ts';
import type { PersonCardRow } from '../people/person-card.ts';
import { joinCommunityGroup, leaveCommunityGroup } from './change-membership.ts';
import { type CommunityGroupRow, communityGroups, communityMembers, findCommunityGroups } from './community.queries.ts';
import { communityGroupLimits, createCommunityGroup } from './create-community-group.ts';

const condition = 'Condition tag that the groups have.';

@ArgsType()
class CommunityGroupsArgs extends LongPageArgs {
  @searchField('name, description or a condition') search?: string | null;
  @optionalField(() => String, condition) condition?: string | null;
}

@InputType({ description: 'Input of `createCommunityGroup`.' })
class CreateCommunityGroupInput {
  @Limits(communityGroupLimits.name)
  @Field(() => String, { description: 'Name, 3 to 100 characters, unique without regard to case.' })
  name!: string;
  @Limits(communityGroupLimits.slug)
  @optionalField(() => String, 'Slug for URLs, at most 110 characters; derived from the name by default.')
  slug?: string | null;
  @Limits(communityGroupLimits.description)
  @optionalField(() => String, 'Purpose of the group, at most 1,000 characters.')
  description?: string | null;
  @Limits(communityGroupLimits.conditionTags)
  @optionalField(() => [String], 'Condition tags: at most 10, each at most 50 characters.')
  conditionTags?: string[] | null;
  @optionalField(() => GroupVisibility, 'Who finds and joins the group; `OPEN` by default.')
  visibility?: GroupVisibility | null;
  @optionalField(() => Boolean, 'Whether those who join the chat read what was written before; false by default.')
  sharesHistory?: boolean | null;
}

@InputType({ description: 'Input of `joinCommunityGroup`.' })
class JoinCommunityGroupInput {
  @Field(() => ID, { description: 'Group to join.' }) communityGroupId!: string;
}

@InputType({ description: 'Input of `leaveCommunityGroup`.' })
class LeaveCommunityGroupInput {
  @Field(() => ID, { description: 'Group to leave.' }) communityGroupId!: string;
}

const standing = [() => CommunityStanding, 'Your membership and the outcome in words.'] as const;

const CreateCommunityGroupPayload = payloadOf('createCommunityGroup', {
  communityGroup: [() => CommunityGroup, 'Community group that was created.'],
});
const JoinCommunityGroupPayload = payloadOf('joinCommunityGroup', {
  communityGroup: [() => CommunityGroup, 'Community group that you have joined.'],
  standing,
});
const LeaveCommunityGroupPayload = payloadOf('leaveCommunityGroup', {
  communityGroup: [() => CommunityGroup, 'Group left; null if you can no longer see it.'],
  standing,
});

interface GroupPayload {
  communityGroup: CommunityGroupRow | null;
  standing?: CommunityStanding;
}

@Resolver()
export class CommunityRoots {
  @Access('verified')
  @Cost(10, { search: 10 })
  @Query(() => CommunityGroupConnection, {
    nullable: true,
    description: 'Active community groups, by name; of secret ones those that you are in.',
  })
  communityGroups(
    @Args(() => CommunityGroupsArgs) args: CommunityGroupsArgs,
    @Ctx() context: Context,
  ): Connection<CommunityGroupRow> {
    return new Connection(CommunityGroupConnection, communityGroups(context, args), args);
  }

  @Access('verified')
  @Query(() => CommunityGroup, {
    nullable: true,
    description: 'Community group with this global id; null if there is none, and for inactive ones you are not in.',
  })
  async communityGroup(
    @Arg('id', () => ID, { description: 'Global id of the group.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> {
    const [group = null] = await findCommunityGroups(context, [groupNumber(id, 'id')], selectionOf(info));
    return group;
  }

  @Access('verified')
  @Mutation(() => CreateCommunityGroupPayload, {
    nullable: true,
    description: 'Creates a community group with its chat. You become its owner and first member.',
  })
  async createCommunityGroup(
    @InputArg(() => CreateCommunityGroupInput) input: CreateCommunityGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    return readChanged(context, await createCommunityGroup(context, input), info);
  }

  @Access('verified')
  @Mutation(() => JoinCommunityGroupPayload, {
    nullable: true,
    description: 'Joins a community group that is open or that you are invited to. Idempotent.',
  })
  joinCommunityGroup(
    @InputArg(() => JoinCommunityGroupInput) { communityGroupId }: JoinCommunityGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    return changeMembership(context, joinCommunityGroup, communityGroupId, info);
  }

  @Access('verified')
  @Mutation(() => LeaveCommunityGroupPayload, { nullable: true, description: 'Leaves a community group. Idempotent.' })
  leaveCommunityGroup(
    @InputArg(() => LeaveCommunityGroupInput) { communityGroupId }: LeaveCommunityGroupInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GroupPayload> {
    return changeMembership(context, leaveCommunityGroup, communityGroupId, info);
  }
}

const groupNumber = (id: string, field = 'communityGroupId'): number => numberOfId('CommunityGroup', id, field);

async function changeMembership(
  context: Context,
  change: typeof joinCommunityGroup,
  id: string,
  info: GraphQLResolveInfo,
): Promise<GroupPayload> {
  const number = groupNumber(id);
  const standing = await change(context, number);
  return { ...(await readChanged(context, number, info)), standing };
}

/** Reads the group only if it is selected: a client may select the result alone. */
async function readChanged(context: Context, id: number, info: GraphQLResolveInfo): Promise<GroupPayload> {
  if (!selectionOf(info).has('communityGroup')) return { communityGroup: null };
  const [communityGroup = null] = await findCommunityGroups(context, [id], selectionBelow(info, 'communityGroup'));
  return { communityGroup };
}

const membersOf = (context: Context, id: number): ListSource<PersonCardRow> =>
  batchedList(context, 'CommunityGroup.members', {}, id, communityMembers(context));

@Resolver(() => CommunityGroup)
export class CommunityGroupFields {
  @FieldResolver(() => PersonCardConnection, {
    description: 'You and the members who opted in to the community, first joined first; empty for non-members.',
  })
  members(
    @Root() { id }: CommunityGroupRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<PersonCardRow> {
    return new Connection(PersonCardConnection, membersOf(context, id), args);
  }
}
