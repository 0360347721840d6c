import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { CommunityGroup, CommunityStanding } from '../../../schema/health/community-group.ts';
import { MiniUser } from '../../../schema/health/mini-user.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import type { MiniUserRow } from '../people/mini-user.ts';
import { changeOwnMembership } from './change-membership.ts';
import { type CommunityGroupRow, communityGroupById, communityGroups, communityMembers } from './community.queries.ts';
import { createCommunityGroup } from './create-community-group.ts';

const groupId = { description: 'Number of the group.' };

@ArgsType()
class CommunityGroupsArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Words or "quoted phrases", each of which must occur in name, description or a condition; at most 20.',
  })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only groups about this condition, as it is written in the group.',
  })
  condition?: string | null;
}

@ArgsType()
class NewCommunityGroupArgs {
  @Field(() => String, { description: 'Name, 3 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Name for addresses; made from the name when absent.' })
  slug?: string | null;

  @Field(() => String, { nullable: true, description: 'What the group is for, at most 1,000 characters.' })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'Conditions the group is about: at most 10 of 50 characters.' })
  conditionTags?: string[] | null;
}

@Resolver()
export class CommunityRoots {
  @Access('verified')
  @Cost(10, { search: 10 })
  @Query(() => [CommunityGroup], { description: 'Community groups that can be joined, by name; at most 500.' })
  communityGroups(
    @Args(() => CommunityGroupsArgs) args: CommunityGroupsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow[]> {
    return communityGroups(context, args, selectionOf(info));
  }

  @Access('verified')
  @Query(() => CommunityGroup, { nullable: true, description: 'One community group; null when there is none to see.' })
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
    description: 'Founds a community group and its chat. The founder is its first member.',
  })
  async createCommunityGroup(
    @Args(() => NewCommunityGroupArgs) args: NewCommunityGroupArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommunityGroupRow | null> {
    return communityGroupById(context, await createCommunityGroup(context, args), selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => CommunityStanding, { description: 'Joins a community group. Repeating it is fine.' })
  joinCommunityGroup(
    @Arg('id', () => GraphQLSafeInt, groupId) id: number,
    @Ctx() context: Context,
  ): Promise<CommunityStanding> {
    return changeOwnMembership(context, 'join', id);
  }

  @Access('verified')
  @Mutation(() => CommunityStanding, { description: 'Leaves a community group. Repeating it is fine.' })
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
    description:
      'For members: the caller, and up to 20 in all of those who want to be found in the community. Empty for others.',
  })
  members(
    @Root() group: CommunityGroupRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<MiniUserRow[]> {
    return context.load(communityMembers, selectionOf(info)).load(group.id);
  }
}
