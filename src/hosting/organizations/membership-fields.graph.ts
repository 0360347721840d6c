import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { OrganizationConnection } from '../../../schema/hosting/account-connections.ts';
import {
  MemberRole,
  Membership,
  MembershipConnection,
  OrganizationMemberConnection,
} from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import { invitationsOf } from './answer-invitation.ts';
import { type MemberRow, membersOf, organizationsOf } from './members.queries.ts';
import type { MembershipRow } from './membership-rows.ts';

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

  @RestOnly()
  @FieldResolver(() => Uri, { description: 'Path of the membership in the REST API.' })
  async resourcePath(@Root() row: MembershipRow, @Ctx() context: Context): Promise<string> {
    const [organization, user] = await Promise.all(
      [row.organizationId, row.accountId].map(id => context.load(accountsByIds, noSelection).load(id)),
    );
    return `/orgs/${organization?.login ?? ''}/memberships/${user?.login ?? ''}`;
  }

  @RestOnly()
  @FieldResolver(() => Uri, { description: 'Path of the page of the organization.' })
  async organizationPath(@Root() row: MembershipRow, @Ctx() context: Context): Promise<string> {
    const organization = await context.load(accountsByIds, noSelection).load(row.organizationId);
    return `/${organization?.login ?? ''}`;
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
}

@ArgsType()
class MemberListArgs extends ConnectionArgs {
  @optionalField(() => MemberRole, 'Role of the members; all by default.') role?: MemberRole | null;
  @Field(() => Boolean, { defaultValue: false, description: 'Whether only public memberships are listed.' })
  publicOnly!: boolean;
}

@Resolver(() => Organization)
export class OrganizationMembers {
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
