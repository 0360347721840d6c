import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { CommunityGroup, CommunityStanding } from '../../../schema/health/community-group.ts';
import { MiniUser } from '../../../schema/health/mini-user.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { searchField } from '../lists/argument-fields.ts';
import type { MiniUserRow } from '../people/mini-user.ts';
import { changeOwnMembership } from './change-membership.ts';
import { type CommunityGroupRow, communityGroupById, communityGroups, communityMembers } from './community.queries.ts';
import { createCommunityGroup } from './create-community-group.ts';

const groupId = { description: 'Id of the group.' };

@ArgsType()
class CommunityGroupsArgs {
  @searchField('name, description or a condition')
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Condition tag of the groups.',
  })
  condition?: string | null;
}

@ArgsType()
class NewCommunityGroupArgs {
  @Field(() => String, { description: 'Name, 3 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'URL slug; derived from the name when absent.' })
  slug?: string | null;

  @Field(() => String, { nullable: true, description: 'Purpose of the group, at most 1,000 characters.' })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'Condition tags: at most 10, each at most 50 characters.' })
  conditionTags?: string[] | null;
}

@Resolver()
export class CommunityRoots {
  @Access('verified')
  @Cost(10, { search: 10 })
  @Query(() => [CommunityGroup], { description: 'Active community groups, by name; at most 500.' })
  communityGroups(
    @Args(() => CommunityGroupsArgs) args: CommunityGroupsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow[]> {
    return communityGroups(context, args, selectionOf(info));
  }

  @Access('verified')
  @Query(() => CommunityGroup, {
    nullable: true,
    description: 'A community group; null when it does not exist or is not visible.',
  })
  communityGroup(
    @Arg('id', () => GraphQLSafeInt, groupId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> {
    return communityGroupById(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => CommunityGroup, {
    nullable: true,
    description: 'Creates a community group with its chat. The caller becomes its first member.',
  })
  async createCommunityGroup(
    @Args(() => NewCommunityGroupArgs) args: NewCommunityGroupArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> {
    return communityGroupById(context, await createCommunityGroup(context, args), selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => CommunityStanding, { description: 'Joins a community group. Idempotent.' })
  joinCommunityGroup(
    @Arg('id', () => GraphQLSafeInt, groupId) id: number,
    @Ctx() context: Context,
  ): Promise<CommunityStanding> {
    return changeOwnMembership(context, 'join', id);
  }

  @Access('verified')
  @Mutation(() => CommunityStanding, { description: 'Leaves a community group. Idempotent.' })
  leaveCommunityGroup(
    @Arg('id', () => GraphQLSafeInt, groupId) id: number,
    @Ctx() context: Context,
  ): Promise<CommunityStanding> {
    return changeOwnMembership(context, 'leave', id);
  }
}

@Resolver(() => CommunityGroup)
export class CommunityGroupFields {
  @FieldResolver(() => [MiniUser], {
    description: 'Up to 20 members: the caller and users who opted in to the community. Empty for non-members.',
  })
  members(
    @Root() group: CommunityGroupRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<MiniUserRow[]> {
    return context.load(communityMembers, selectionOf(info)).load(group.id);
  }
}
