import { Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';
import { Membership } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { callingUser } from '../accounts/caller.ts';
import { acceptMembership } from './answer-invitation.ts';
import type { MembershipRow } from './membership-rows.ts';
import { membershipsOf } from './memberships.queries.ts';

@InputType({ description: 'Input of `activateMembership`.' })
class ActivateMembershipInput {
  @Field(() => ID, { description: 'Organization that invited you, or that you are a member of.' })
  organizationId!: string;
  @Field(() => String, { description: 'Must be `active`.' }) state!: string;
}

const ActivateMembershipPayload = payloadOf('activateMembership', {
  membership: [() => Membership, 'Your membership, whether it is new or not.'],
});

@Resolver()
export class ActivateMembershipMutation {
  @RestCorner(
    'The contract has a state that must be active, and answers members too. Use `acceptOrganizationInvitation`.',
  )
  @Access('profile:write')
  @Mutation(() => ActivateMembershipPayload, {
    nullable: true,
    description: 'Accepts the invitation of an organization, or returns the membership that you have.',
  })
  async activateMembership(
    @InputArg(() => ActivateMembershipInput) { organizationId, state }: ActivateMembershipInput,
    @Ctx() context: Context,
  ): Promise<{ membership: MembershipRow }> {
    if (state !== 'active') {
      const message = 'state must be active.';
      throw validationFailed([{ resource: 'Membership', field: 'state', code: 'custom', message }]);
    }
    const id = await accountNumber(context, 'Organization', organizationId, 'organizationId');
    const own = await context
      .load(membershipsOf, noSelection)
      .load({ organizationId: id, accountId: callingUser(context.actor).accountId });
    if (!own) throw notFound();
    return { membership: own.state === 'active' ? own : await acceptMembership(context, id) };
  }
}
