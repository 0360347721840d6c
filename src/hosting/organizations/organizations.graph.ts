import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { MemberRole, Membership } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountNumber, organizationOfId } from '../accounts/account-ref.ts';
import { requireAccount } from '../accounts/accounts.graph.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { renameAccount } from '../accounts/rename-account.ts';
import { acceptMembership, declineMembership } from './answer-invitation.ts';
import { createOrganization } from './create-organization.ts';
import { enforceSso } from './enforce-sso.ts';
import type { MembershipRow } from './membership-rows.ts';
import { organizationFor } from './organization-access.ts';
import { removeMembership, setMembership } from './set-membership.ts';

@InputType({ description: 'Input of `createOrganization`.' })
class CreateOrganizationInput {
  @Field(() => String, { description: 'Login of the new organization.' }) login!: string;
  @optionalField(() => String, 'Display name, at most 255 characters; none by default.') name?: string | null;
}

@InputType({ description: 'Input of `renameOrganization`.' })
class RenameOrganizationInput {
  @Field(() => ID, { description: 'Organization to rename.' }) organizationId!: string;
  @Field(() => String, { description: 'New login of the organization, at most 39 characters.' }) login!: string;
}

@InputType({ description: 'Input of `updateOrganizationSso`.' })
class UpdateOrganizationSsoInput {
  @Field(() => ID, { description: 'Organization to change.' }) organizationId!: string;
  @Field(() => Boolean, { description: 'Whether classic tokens need single sign-on authorization.' })
  isEnforced!: boolean;
}

@InputType({ description: 'Input of `setOrganizationMember`.' })
class SetOrganizationMemberInput {
  @Field(() => ID, { description: 'Organization of the member, by its global id.' }) organizationId!: string;
  @Field(() => ID, { description: 'Member, or user to invite.' }) userId!: string;
  @Field(() => MemberRole, { description: 'Role of the user.' }) role!: MemberRole;
}

@InputType({ description: 'Input of `removeOrganizationMember`.' })
class RemoveOrganizationMemberInput {
  @Field(() => ID, { description: 'Organization to remove the user from, by its global id.' }) organizationId!: string;
  @Field(() => ID, { description: 'Member, or invited user.' }) userId!: string;
}

@InputType({ description: 'Input of `acceptOrganizationInvitation`.' })
class AcceptOrganizationInvitationInput {
  @Field(() => ID, { description: 'Organization that invited you.' }) organizationId!: string;
}

@InputType({ description: 'Input of `declineOrganizationInvitation`.' })
class DeclineOrganizationInvitationInput {
  @Field(() => ID, { description: 'Organization that invited you.' }) organizationId!: string;
}

export const organizationField = (description: string) =>
  ({ organization: [() => Organization, description] }) as const;
const membershipField = (description: string) => ({ membership: [() => Membership, description] }) as const;

const CreateOrganizationPayload = payloadOf('createOrganization', organizationField('Organization that was created.'));
const RenameOrganizationPayload = payloadOf(
  'renameOrganization',
  organizationField('Organization under the new login.'),
);
const UpdateOrganizationSsoPayload = payloadOf(
  'updateOrganizationSso',
  organizationField('Organization with the changed setting.'),
);
const SetOrganizationMemberPayload = payloadOf(
  'setOrganizationMember',
  membershipField('Changed membership, or the invitation.'),
);
const RemoveOrganizationMemberPayload = payloadOf(
  'removeOrganizationMember',
  organizationField('Organization that the user left.'),
);
const AcceptOrganizationInvitationPayload = payloadOf(
  'acceptOrganizationInvitation',
  membershipField('Your membership, which is active now.'),
);
const DeclineOrganizationInvitationPayload = payloadOf(
  'declineOrganizationInvitation',
  organizationField('Organization that had invited you.'),
);

export interface OrganizationPayload {
  organization: AccountRow | null;
}

interface MembershipPayload {
  membership: MembershipRow;
}

const organizationNumber = (context: Context, { organizationId }: { organizationId: string }): Promise<number> =>
  accountNumber(context, 'Organization', organizationId, 'organizationId');

/** Reads the organization only if the answer has it. */
export async function organizationPayload(
  context: Context,
  id: number,
  info: GraphQLResolveInfo,
): Promise<OrganizationPayload> {
  const wanted = selectionOf(info).get('organization');
  return { organization: wanted ? await requireAccount(context, id, wanted) : null };
}

@Resolver()
export class OrganizationRoots {
  @Access('profile:write')
  @Mutation(() => CreateOrganizationPayload, {
    nullable: true,
    description: 'Creates an organization with you as its first administrator.',
  })
  async createOrganization(
    @InputArg(() => CreateOrganizationInput) input: CreateOrganizationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    return organizationPayload(context, await createOrganization(context, input), info);
  }

  @Access('org-administration:write')
  @Mutation(() => RenameOrganizationPayload, {
    nullable: true,
    description: 'Renames an organization. The old login redirects until another account takes it.',
  })
  async renameOrganization(
    @InputArg(() => RenameOrganizationInput) input: RenameOrganizationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    const found = await organizationFor(context, organizationOfId(input.organizationId), 'org-administration:write');
    if (!found) throw notFound();
    await renameAccount(context, found.id, input.login);
    return organizationPayload(context, found.id, info);
  }

  @Access('org-administration:write')
  @Mutation(() => UpdateOrganizationSsoPayload, {
    nullable: true,
    description: 'Sets whether classic tokens need single sign-on authorization for the organization.',
  })
  async updateOrganizationSso(
    @InputArg(() => UpdateOrganizationSsoInput) input: UpdateOrganizationSsoInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    const id = await enforceSso(context, await organizationNumber(context, input), input.isEnforced);
    return organizationPayload(context, id, info);
  }

  @Access('members:write')
  @Mutation(() => SetOrganizationMemberPayload, {
    nullable: true,
    description:
      'Changes the role of a member, or invites a user. The user becomes a member by `acceptOrganizationInvitation`.',
  })
  async setOrganizationMember(
    @InputArg(() => SetOrganizationMemberInput) input: SetOrganizationMemberInput,
    @Ctx() context: Context,
  ): Promise<MembershipPayload> {
    const organizationId = await organizationNumber(context, input);
    const accountId = await accountNumber(context, 'User', input.userId, 'userId');
    return { membership: await setMembership(context, { organizationId, accountId, role: input.role }) };
  }

  @Access('members:write')
  @Mutation(() => RemoveOrganizationMemberPayload, {
    nullable: true,
    description: 'Removes a member, or withdraws an invitation.',
  })
  async removeOrganizationMember(
    @InputArg(() => RemoveOrganizationMemberInput) input: RemoveOrganizationMemberInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    const organizationId = await organizationNumber(context, input);
    await removeMembership(context, organizationId, await accountNumber(context, 'User', input.userId, 'userId'));
    return organizationPayload(context, organizationId, info);
  }

  @Access('profile:write')
  @Mutation(() => AcceptOrganizationInvitationPayload, {
    nullable: true,
    description: 'Accepts the invitation of an organization.',
  })
  async acceptOrganizationInvitation(
    @InputArg(() => AcceptOrganizationInvitationInput) input: AcceptOrganizationInvitationInput,
    @Ctx() context: Context,
  ): Promise<MembershipPayload> {
    return { membership: await acceptMembership(context, await organizationNumber(context, input)) };
  }

  @Access('profile:write')
  @Mutation(() => DeclineOrganizationInvitationPayload, {
    nullable: true,
    description: 'Declines the invitation of an organization.',
  })
  async declineOrganizationInvitation(
    @InputArg(() => DeclineOrganizationInvitationInput) input: DeclineOrganizationInvitationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    const organizationId = await organizationNumber(context, input);
    await declineMembership(context, organizationId);
    return organizationPayload(context, organizationId, info);
  }
}
