import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { MemberRole, Membership } from '../../../schema/hosting/membership.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requireAccount } from '../accounts/accounts.graph.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { renameAccount } from '../accounts/rename-account.ts';
import { acceptMembership, declineMembership, invitationsOf } from './answer-invitation.ts';
import { createOrganization } from './create-organization.ts';
import { enforceSso } from './enforce-sso.ts';
import { organizationFor } from './organization-access.ts';
import { type MembershipRow, removeMembership, setMembership } from './set-membership.ts';

const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const login = (description: string) => Arg('login', () => String, { description });

@Resolver()
export class OrganizationRoots {
  @Access('profile:write')
  @Mutation(() => Organization, { description: 'Creates an organization with the caller as its first administrator.' })
  async createOrganization(
    @login('Login of the new organization.') text: string,
    @Arg('name', () => String, { nullable: true, description: 'Display name.' }) name: string | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const id = await createOrganization(context, { login: text, name });
    return requireAccount(context, id, selectionOf(info));
  }

  @Access('org-administration:write')
  @Mutation(() => Organization, {
    description: 'Renames an organization. The old login redirects until another account takes it.',
  })
  async renameOrganization(
    @organization() before: string,
    @login('New login.') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const found = await organizationFor(context, before, 'org-administration:write');
    if (!found) throw notFound();
    await renameAccount(context, found.id, text);
    return requireAccount(context, found.id, selectionOf(info));
  }

  @Access('org-administration:write')
  @Mutation(() => Organization, {
    description: 'Sets whether classic tokens need single sign-on authorization for the organization.',
  })
  async enforceSso(
    @organization() text: string,
    @Arg('enforce', () => Boolean, { description: 'Whether authorization is required.' }) enforce: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    return requireAccount(context, await enforceSso(context, text, enforce), selectionOf(info));
  }

  @Access('members:write')
  @Mutation(() => Membership, {
    description: 'Changes the role of a member, or invites a user, who becomes a member by `acceptMembership`.',
  })
  setMembership(
    @organization() text: string,
    @login('Login of the user.') user: string,
    @Arg('role', () => MemberRole, { description: 'Role of the user.' }) role: 'member' | 'admin',
    @Ctx() context: Context,
  ): Promise<MembershipRow> {
    return setMembership(context, { organization: text, login: user, role });
  }

  @Access('members:write')
  @Mutation(() => Boolean, { description: 'Removes a member, or withdraws an invitation.' })
  async removeMembership(
    @organization() text: string,
    @login('Login of the user.') user: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeMembership(context, text, user);
    return true;
  }

  @Access('profile:read')
  @Query(() => [Membership], { description: 'Invitations of the caller, oldest first.' })
  viewerInvitations(@Ctx() context: Context): Promise<MembershipRow[]> {
    return invitationsOf(context);
  }

  @Access('profile:write')
  @Mutation(() => Membership, { description: 'Accepts the invitation of an organization.' })
  acceptMembership(@organization() text: string, @Ctx() context: Context): Promise<MembershipRow> {
    return acceptMembership(context, text);
  }

  @Access('profile:write')
  @Mutation(() => Boolean, { description: 'Declines the invitation of an organization.' })
  async declineMembership(@organization() text: string, @Ctx() context: Context): Promise<boolean> {
    await declineMembership(context, text);
    return true;
  }
}

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

  @FieldResolver(() => Organization, { description: 'Organization of the membership.' })
  organization(
    @Root() row: MembershipRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.organizationId);
  }
}
