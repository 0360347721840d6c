import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import {
  OrganizationInvitation,
  OrganizationInvitationConnection,
  OrganizationInvitationFilter,
  OrganizationInvitationRole,
} from '../../../schema/hosting/organization-invitation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { cancelInvitation, inviteMember } from './invite-member.ts';
import { organizationFor } from './organization-access.ts';
import { invitationsInto } from './organization-invitations.graph.ts';
import { type OrganizationInvitationRow, organizationInvitationsByIds } from './organization-invitations.queries.ts';

const organizationLogin = () => Field(() => String, { description: 'Login of the organization.' });

@ArgsType()
class InvitationListArgs extends ConnectionArgs {
  @organizationLogin() organization!: string;
  @Field(() => Boolean, { description: 'Whether the expired ones are listed, else the others.', defaultValue: false })
  isExpired!: boolean;
  @Field(() => OrganizationInvitationFilter, { description: 'Offered role.', defaultValue: 'all' })
  role!: OrganizationInvitationFilter;
}

@ArgsType()
class InvitationArgs {
  @organizationLogin() organization!: string;
  @Field(() => GraphQLSafeInt, { description: 'Number of the invitation.' }) id!: number;
}

@ArgsType()
class NewInvitationArgs {
  @organizationLogin() organization!: string;
  @optionalField(() => GraphQLSafeInt, 'Number of the user.') inviteeId?: number | null;
  @optionalField(() => String, 'E-mail address.') email?: string | null;
  @Field(() => OrganizationInvitationRole, { description: 'Role to offer.' }) role!: OrganizationInvitationRole;
}

/** Invitations to organizations by numbers, for the REST contract. */
@Resolver()
export class RestOrganizationInvitationRoots {
  @RestOnly()
  @Access('org-invitations:read')
  @Query(() => OrganizationInvitationConnection, { description: 'Invitations to an organization, oldest first.' })
  async invitationsToOrganization(
    @Args(() => InvitationListArgs) { organization, isExpired, role, ...args }: InvitationListArgs,
    @Ctx() context: Context,
  ): Promise<Connection<OrganizationInvitationRow>> {
    const found = await organizationFor(context, organization, 'org-invitations:read');
    if (!found) throw notFound();
    return invitationsInto(context, found.id, { state: isExpired ? 'expired' : 'open', role }, args);
  }

  @RestOnly()
  @Access('org-invitations:read')
  @Query(() => OrganizationInvitation, { nullable: true, description: 'Invitation to an organization.' })
  async invitationToOrganization(
    @Args(() => InvitationArgs) { organization, id }: InvitationArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationInvitationRow | null> {
    const administered = await organizationFor(context, organization, 'org-invitations:read');
    const [found = null] = await organizationInvitationsByIds(context, [id], selectionOf(info));
    return administered && found?.organizationId === administered.id ? found : null;
  }

  @RestOnly()
  @Access('members:write')
  @Mutation(() => OrganizationInvitation, {
    nullable: true,
    description: 'Invites a user or an e-mail address to an organization.',
  })
  async restInviteMember(
    @Args(() => NewInvitationArgs) { organization, inviteeId, email, role }: NewInvitationArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationInvitationRow | null> {
    const id = await inviteMember(context, organization, { accountId: inviteeId, email, role });
    const [found = null] = await organizationInvitationsByIds(context, [id], selectionOf(info));
    return found;
  }

  @RestOnly()
  @Access('members:write')
  @Mutation(() => Boolean, { description: 'Withdraws an invitation.' })
  async restCancelInvitation(
    @Args(() => InvitationArgs) { organization, id }: InvitationArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await cancelInvitation(context, organization, id);
    return true;
  }
}
