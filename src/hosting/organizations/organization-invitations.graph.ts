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
  Resolver,
  Root,
} from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import {
  OrganizationInvitation,
  OrganizationInvitationConnection,
  OrganizationInvitationFilter,
  OrganizationInvitationRole,
} from '../../../schema/hosting/organization-invitation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationOfId } from '../accounts/account-ref.ts';
import { type AccountRow, accountsByIds, mayReadField } from '../accounts/accounts.queries.ts';
import { cancelInvitation, inviteMember } from './invite-member.ts';
import {
  type OrganizationInvitationList,
  type OrganizationInvitationRow,
  organizationInvitationsByIds,
  organizationInvitationsOf,
} from './organization-invitations.queries.ts';

@InputType({ description: 'Input of `inviteOrganizationMember`. Either `inviteeId` or `email`.' })
class InviteOrganizationMemberInput {
  @Field(() => ID, { description: 'Organization that invites.' }) organizationId!: string;
  @optionalField(() => ID, 'User to invite.') inviteeId?: string | null;
  @optionalField(() => String, 'E-mail address to invite; it gets a mail.') email?: string | null;
  @optionalField(() => OrganizationInvitationRole, 'Role to offer; `DIRECT_MEMBER` by default.')
  role?: OrganizationInvitationRole | null;
}

@InputType({ description: 'Input of `cancelOrganizationInvitation`.' })
class CancelOrganizationInvitationInput {
  @Field(() => ID, { description: 'Invitation to withdraw.' }) invitationId!: string;
  @optionalField(() => ID, 'Organization that the invitation has to be of.') organizationId?: string | null;
}

const InviteOrganizationMemberPayload = payloadOf('inviteOrganizationMember', {
  invitation: [() => OrganizationInvitation, 'Invitation that was created.'],
});
const CancelOrganizationInvitationPayload = payloadOf('cancelOrganizationInvitation', {
  deletedId: [() => ID, 'Global id of the deleted invitation.'],
});

@Resolver()
export class OrganizationInvitationMutations {
  @Access('members:write')
  @Mutation(() => InviteOrganizationMemberPayload, {
    nullable: true,
    description: 'Invites a user or an e-mail address to an organization.',
  })
  async inviteOrganizationMember(
    @InputArg(() => InviteOrganizationMemberInput) input: InviteOrganizationMemberInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ invitation: OrganizationInvitationRow | null }> {
    const { organizationId, inviteeId, email, role } = input;
    const id = await inviteMember(context, organizationOfId(organizationId), {
      accountId: inviteeId == null ? null : numberOfId('User', inviteeId, 'inviteeId'),
      email,
      role: role ?? 'direct_member',
    });
    const [invitation = null] = await organizationInvitationsByIds(context, [id], selectionBelow(info, 'invitation'));
    return { invitation };
  }

  @Access('members:write')
  @Mutation(() => CancelOrganizationInvitationPayload, {
    nullable: true,
    description: 'Withdraws an invitation to an organization.',
  })
  async cancelOrganizationInvitation(
    @InputArg(() => CancelOrganizationInvitationInput)
    { invitationId, organizationId }: CancelOrganizationInvitationInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const id = numberOfId('OrganizationInvitation', invitationId, 'invitationId');
    const organization = organizationId == null ? await organizationOf(context, id) : organizationOfId(organizationId);
    await cancelInvitation(context, organization, id);
    return { deletedId: invitationId };
  }
}

async function organizationOf(context: Context, id: number): Promise<number> {
  const [invitation] = await organizationInvitationsByIds(context, [id], noSelection);
  if (!invitation) throw notFound();
  return invitation.organizationId;
}

@Resolver(() => OrganizationInvitation)
export class OrganizationInvitationFields {
  @FieldResolver(() => User, { nullable: true, description: 'Invited user; null where an address is invited.' })
  async invitee(
    @Root() { accountId }: OrganizationInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountId === null ? null : context.load(accountsByIds, selectionOf(info)).load(accountId);
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'User who sent the invitation; null for an app that no user authorized.',
  })
  async inviter(
    @Root() { inviterId }: OrganizationInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return inviterId === null ? null : context.load(accountsByIds, selectionOf(info)).load(inviterId);
  }

  @FieldResolver(() => Organization, { nullable: true, description: 'Organization that invites.' })
  organization(
    @Root() { organizationId }: OrganizationInvitationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(organizationId);
  }
}

@ArgsType()
class InvitationListArgs extends ConnectionArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether the expired ones are listed, else the others.' })
  isExpired!: boolean;
  @Field(() => OrganizationInvitationFilter, {
    defaultValue: OrganizationInvitationFilter.ALL,
    description: 'Role that the listed invitations offer; any by default.',
  })
  role!: OrganizationInvitationFilter;
}

@Resolver(() => Organization)
export class OrganizationInvitationLists {
  @Access('org-invitations:read')
  @FieldResolver(() => OrganizationInvitationConnection, {
    nullable: true,
    description: 'Invitations to the organization, oldest first; null unless you administer it.',
  })
  invitations(
    @Root() row: AccountRow,
    @Args(() => InvitationListArgs) { isExpired, role, ...args }: InvitationListArgs,
    @Ctx() context: Context,
  ): Connection<OrganizationInvitationRow> | null {
    if (!mayReadField(context, row, 'invitations')) return null;
    const list: OrganizationInvitationList = { state: isExpired ? 'expired' : 'open', role };
    const source = organizationInvitationsOf(context, list);
    return new Connection(
      OrganizationInvitationConnection,
      batchedList(context, 'Organization.invitations', list, row.databaseId, source),
      args,
    );
  }

  @Access('org-invitations:read')
  @Cost(1)
  @FieldResolver(() => OrganizationInvitation, {
    nullable: true,
    description: 'Invitation with this global id; null if the organization has none, and unless you administer it.',
  })
  async invitation(
    @Root() row: AccountRow,
    @Arg('id', () => ID, { description: 'Global id of the invitation.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationInvitationRow | null> {
    const number = numberOfId('OrganizationInvitation', id, 'id');
    if (!mayReadField(context, row, 'invitation')) return null;
    const found = await context.load(organizationInvitationsByIds, selectionOf(info)).load(number);
    return found?.organizationId === row.databaseId ? found : null;
  }
}
