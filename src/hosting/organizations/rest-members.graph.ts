import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Membership } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { acceptMembership } from './answer-invitation.ts';
import type { MembershipRow } from './membership-rows.ts';
import { ownMembership } from './memberships.queries.ts';

/** Memberships by logins, for the REST contract. */
@Resolver()
export class RestMemberRoots {
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
