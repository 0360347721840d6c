import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { Membership } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { acceptMembership } from './answer-invitation.ts';
import type { MembershipRow } from './membership-rows.ts';
import { ownMembership, requireMember } from './memberships.queries.ts';

@ArgsType()
class CheckedMemberArgs {
  @Field(() => String, { description: 'Login of the organization.' }) organization!: string;
  @Field(() => String, { description: 'Login of the user.' }) login!: string;
  @Field(() => Boolean, { description: 'Whether only a public membership counts.', defaultValue: false })
  publicOnly!: boolean;
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
}
