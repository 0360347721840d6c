import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { MemberRole, Membership, MembershipConnection, MembershipState } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { acceptMembership } from './answer-invitation.ts';
import type { MembershipRow } from './membership-rows.ts';
import { membershipIn, ownMembership, ownMemberships, requireMember } from './rest-members.queries.ts';
import { removeMembership, setMembership } from './set-membership.ts';
import { setPublicity } from './set-publicity.ts';

@ArgsType()
class MemberArgs {
  @Field(() => String, { description: 'Login of the organization.' }) organization!: string;
  @Field(() => String, { description: 'Login of the user.' }) login!: string;
}

@ArgsType()
class CheckedMemberArgs extends MemberArgs {
  @Field(() => Boolean, { description: 'Whether only a public membership counts.', defaultValue: false })
  publicOnly!: boolean;
}

@ArgsType()
class OwnMembershipsArgs extends ConnectionArgs {
  @optionalField(() => MembershipState, 'State; all by default.') state?: MembershipState | null;
}

/** Ids of an organization and a user. @throws 404 for unknown ones */
async function idsOf(context: Context, { organization, login }: MemberArgs) {
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  const user = found && (await accountByLogin(context, login, noSelection, 'user'));
  if (!user) throw notFound();
  return { organizationId: found.databaseId, accountId: user.databaseId };
}

/** Members and memberships by logins, for the REST contract. */
@Resolver()
export class RestMemberRoots {
  @RestCorner('The contract has an error for no. Use `Organization.membersWithRole`.')
  @Access('public')
  @Query(() => Boolean, {
    nullable: true,
    description: 'True; an error when the user is no member that you can see.',
  })
  isOrganizationMember(
    @Args(() => CheckedMemberArgs) args: CheckedMemberArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return requireMember(context, args);
  }

  @RestOnly()
  @Access('org:read')
  @Query(() => Membership, { description: 'Membership of a user; an error when there is none.' })
  organizationMembership(
    @Args(() => MemberArgs) { organization, login }: MemberArgs,
    @Ctx() context: Context,
  ): Promise<MembershipRow> {
    return membershipIn(context, organization, login);
  }

  @RestOnly()
  @Access('user')
  @Query(() => Membership, { nullable: true, description: 'Membership or invitation of the caller; null without one.' })
  viewerMembership(
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Ctx() context: Context,
  ): Promise<MembershipRow | null> {
    return ownMembership(context, organization);
  }

  @RestOnly()
  @Access('public')
  @Query(() => Membership, {
    nullable: true,
    description:
      'Membership or invitation of the visitor of a page; null without one, and for a visitor who is no user.',
  })
  async membershipOfVisitor(
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Ctx() context: Context,
  ): Promise<MembershipRow | null> {
    return context.actor.kind === 'user' ? ownMembership(context, organization) : null;
  }

  @RestOnly()
  @Access('user')
  @Query(() => MembershipConnection, { description: 'Memberships and invitations of the caller.' })
  viewerMemberships(
    @Args(() => OwnMembershipsArgs) { state, ...page }: OwnMembershipsArgs,
    @Ctx() context: Context,
  ): Connection<MembershipRow> {
    return new Connection(MembershipConnection, ownMemberships(context, state), page);
  }

  @RestOnly()
  @Access('members:write')
  @Mutation(() => Membership, { description: 'Changes the role of a member, or invites a user.' })
  async restSetMembership(
    @Args(() => MemberArgs) member: MemberArgs,
    @Arg('role', () => MemberRole, { description: 'Role of the user.' }) role: MemberRole,
    @Ctx() context: Context,
  ): Promise<MembershipRow> {
    return setMembership(context, { ...(await idsOf(context, member)), role });
  }

  @RestOnly()
  @Access('members:write')
  @Mutation(() => Boolean, { description: 'Removes a member, or withdraws an invitation.' })
  async restRemoveMembership(@Args(() => MemberArgs) member: MemberArgs, @Ctx() context: Context): Promise<boolean> {
    const { organizationId, accountId } = await idsOf(context, member);
    await removeMembership(context, organizationId, accountId);
    return true;
  }

  @RestOnly()
  @Access('profile:write')
  @Mutation(() => Membership, { description: 'Accepts the invitation of an organization.' })
  async restAcceptMembership(
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Arg('state', () => String, { description: 'Must be `active`.' }) state: string,
    @Ctx() context: Context,
  ): Promise<MembershipRow> {
    if (state !== 'active') {
      const message = 'state must be active.';
      throw validationFailed([{ resource: 'Membership', field: 'state', code: 'custom', message }]);
    }
    const own = await ownMembership(context, organization);
    if (!own) throw notFound();
    return own.state === 'active' ? own : acceptMembership(context, own.organizationId);
  }

  @RestOnly()
  @Access('profile:write')
  @Mutation(() => Boolean, { description: "Publishes or hides the caller's membership." })
  async restSetPublicity(
    @Args(() => MemberArgs) member: MemberArgs,
    @Arg('isPublic', () => Boolean, { description: 'Whether everybody sees the membership.' }) isPublic: boolean,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await setPublicity(context, { ...member, isPublic });
    return true;
  }
}
