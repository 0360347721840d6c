import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { OrganizationConnection } from '../../../schema/hosting/account-connections.ts';
import {
  MemberRole,
  Membership,
  MembershipConnection,
  MembershipState,
  OrganizationMemberConnection,
} from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { type AccountRow, accountsByIds, mayReadField } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import { invitationsOf } from './answer-invitation.ts';
import { type MemberRow, membersOf, organizationsOf } from './members.queries.ts';
import type { MembershipRow } from './membership-rows.ts';
import { areMembers, membershipsOf, ownMemberships } from './memberships.queries.ts';

@Resolver(() => Membership)
export class MembershipFields {
  @FieldResolver(() => User)
  user(
    @Root() row: MembershipRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }

  @FieldResolver(() => String, { description: 'Path in the API, such as `/orgs/harbor-lab/memberships/wren`.' })
  async apiPath(@Root() row: MembershipRow, @Ctx() context: Context): Promise<string> {
    const [organization, user] = await Promise.all(
      [row.organizationId, row.accountId].map(id => context.load(accountsByIds, noSelection).load(id)),
    );
    return `/orgs/${organization?.login ?? ''}/memberships/${user?.login ?? ''}`;
  }

  @FieldResolver(() => String, { description: 'Login of the organization.' })
  async organizationLogin(@Root() row: MembershipRow, @Ctx() context: Context): Promise<string> {
    const organization = await context.load(accountsByIds, noSelection).load(row.organizationId);
    return organization?.login ?? '';
  }

  @FieldResolver(() => Organization, { description: 'Organization of the membership.' })
  organization(
    @Root() row: MembershipRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.organizationId);
  }
}

@ArgsType()
class MembershipsArgs extends ConnectionArgs {
  @optionalField(() => MembershipState, 'State; all by default.') state?: MembershipState | null;
}

@Resolver(() => User)
export class UserMemberships {
  @FieldResolver(() => OrganizationConnection, {
    description: 'Organizations of the user by login: public memberships, and those in organizations that you are in.',
  })
  organizations(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    const list = batchedList(context, 'User.organizations', {}, databaseId, organizationsOf(context));
    return new Connection(OrganizationConnection, list, args);
  }

  @Access('profile:read')
  @FieldResolver(() => MembershipConnection, {
    nullable: true,
    description: 'Invitations to organizations, oldest first; null unless the user is you.',
  })
  invitations(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<MembershipRow> | null {
    if (!isCaller(context.actor, databaseId)) return null;
    const list = batchedList(context, 'User.invitations', {}, databaseId, invitationsOf(context));
    return new Connection(MembershipConnection, list, args);
  }

  @Access('user')
  @FieldResolver(() => MembershipConnection, {
    nullable: true,
    description: 'Memberships and invitations, by the number of the organization; null unless the user is you.',
  })
  memberships(
    @Root() { databaseId }: AccountRow,
    @Args(() => MembershipsArgs) { state, ...args }: MembershipsArgs,
    @Ctx() context: Context,
  ): Connection<MembershipRow> | null {
    if (!isCaller(context.actor, databaseId)) return null;
    return new Connection(MembershipConnection, ownMemberships(context, state), args);
  }

  @Access('user')
  @Cost(1)
  @FieldResolver(() => Membership, {
    nullable: true,
    description: 'Membership in an organization, or the invitation; null without one, and unless the user is you.',
  })
  async membership(
    @Root() { databaseId }: AccountRow,
    @Arg('organizationId', () => ID, { description: 'Global id of the organization.' }) id: string,
    @Ctx() context: Context,
  ): Promise<MembershipRow | null> {
    if (!isCaller(context.actor, databaseId)) return null;
    const organizationId = await accountNumber(context, 'Organization', id, 'organizationId');
    return context.load(membershipsOf, noSelection).load({ organizationId, accountId: databaseId });
  }
}

@ArgsType()
class MemberListArgs extends ConnectionArgs {
  @optionalField(() => MemberRole, 'Role of the members; all by default.') role?: MemberRole | null;
  @Field(() => Boolean, { defaultValue: false, description: 'Whether only public memberships are listed.' })
  publicOnly!: boolean;
}

@ArgsType()
class CheckedMemberArgs {
  @Field(() => ID, { description: 'User who is looked for, by the global id.' }) userId!: string;
  @Field(() => Boolean, { defaultValue: false, description: 'Whether only a public membership counts.' })
  publicOnly!: boolean;
}

@Resolver(() => Organization)
export class OrganizationMembers {
  @Access('org:read')
  @Cost(1)
  @FieldResolver(() => Membership, {
    nullable: true,
    description: 'Membership of a user, or the invitation; null without one, and unless you are a member.',
  })
  async membership(
    @Root() row: AccountRow,
    @Arg('userId', () => ID, { description: 'Member or invited user, by the global id.' }) userId: string,
    @Ctx() context: Context,
  ): Promise<MembershipRow | null> {
    if (!mayReadField(context, row, 'membership')) return null;
    const accountId = await accountNumber(context, 'User', userId, 'userId');
    return context.load(membershipsOf, noSelection).load({ organizationId: row.databaseId, accountId });
  }

  @Cost(1)
  @FieldResolver(() => Membership, {
    nullable: true,
    description: 'Your membership, or the invitation; null without one, and unless you are a user.',
  })
  viewerMembership(@Root() { databaseId }: AccountRow, @Ctx() context: Context): Promise<MembershipRow | null> | null {
    const { actor } = context;
    if (actor.kind !== 'user') return null;
    return context.load(membershipsOf, noSelection).load({ organizationId: databaseId, accountId: actor.accountId });
  }

  @Cost(1)
  @FieldResolver(() => Boolean, { description: 'Whether a user is a member, as far as you can see.' })
  async hasMember(
    @Root() { databaseId }: AccountRow,
    @Args(() => CheckedMemberArgs) { userId, publicOnly }: CheckedMemberArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const accountId = await accountNumber(context, 'User', userId, 'userId');
    return context.load(areMembers, noSelection).load({ organizationId: databaseId, accountId, publicOnly });
  }

  @FieldResolver(() => OrganizationMemberConnection, {
    description: 'Members by login: all where you are a member, else those whose membership is public.',
  })
  membersWithRole(
    @Root() { databaseId }: AccountRow,
    @Args(() => MemberListArgs) { role, publicOnly, ...args }: MemberListArgs,
    @Ctx() context: Context,
  ): Connection<MemberRow> {
    const filter = { role, publicOnly };
    const source = membersOf(context, filter);
    const list = batchedList(context, 'Organization.membersWithRole', filter, databaseId, source);
    return new Connection(OrganizationMemberConnection, list, args);
  }
}
