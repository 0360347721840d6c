import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { MemberRole } from './membership.ts';

export const OrganizationInvitationRole = { ADMIN: 'admin', DIRECT_MEMBER: 'direct_member' } as const;
export type OrganizationInvitationRole = (typeof OrganizationInvitationRole)[keyof typeof OrganizationInvitationRole];
registerEnumType(OrganizationInvitationRole, {
  name: 'OrganizationInvitationRole',
  description: 'Role that an invitation to an organization offers.',
});

/** There are no billing managers and no hiring managers. */
export const OrganizationInvitationFilter = {
  ALL: 'all',
  ADMIN: 'admin',
  DIRECT_MEMBER: 'direct_member',
  BILLING_MANAGER: 'billing_manager',
  HIRING_MANAGER: 'hiring_manager',
} as const;
export type OrganizationInvitationFilter =
  (typeof OrganizationInvitationFilter)[keyof typeof OrganizationInvitationFilter];
registerEnumType(OrganizationInvitationFilter, {
  name: 'OrganizationInvitationFilter',
  description: 'Filter of invitations by the role that they offer.',
  valuesConfig: {
    BILLING_MANAGER: { description: 'Role that nobody is offered: the list is empty.' },
    HIRING_MANAGER: { description: 'Role that nobody is offered: the list is empty.' },
  },
});

@Noun(
  'membership_invitation',
  'Invitation of a user or an e-mail address to an organization. It grants no rights until it is accepted.',
)
@Check<OrganizationInvitation>(
  'membership_invitation_invitee_check',
  c => `num_nonnulls(${c.accountId}, ${c.email}) = 1`,
)
@Index<OrganizationInvitation>('membership_invitation_by_account', ['accountId', 'organizationId'])
@Index<OrganizationInvitation>('membership_invitation_by_email', [c => `lower(${c.email})`, 'organizationId'], {
  unique: true,
  where: c => `${c.email} is not null`,
})
@Index<OrganizationInvitation>('membership_invitation_by_time', ['accountId', 'invitedAt', 'organizationId'])
@Index<OrganizationInvitation>('membership_invitation_by_inviter', ['inviterId'], {
  where: c => `${c.inviterId} is not null`,
})
@Index<OrganizationInvitation>('membership_invitation_in_order', ['organizationId', 'id'])
@Index<OrganizationInvitation>('membership_invitation_once', ['organizationId', 'accountId'], { unique: true })
@Retained<OrganizationInvitation>({
  rows: 'until the invitation is answered: one for each person or address of an organization',
})
export class OrganizationInvitation {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  organizationId!: number;

  /** The invited user; null where an address is invited. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  @Text({ about: 'Invited e-mail address; null where a user is invited.', null: true })
  email!: string | null;

  @Choice(() => MemberRole, { hidden: true, column: 'role' })
  memberRole!: MemberRole;

  /** Null for an invitation by an app. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  inviterId!: number | null;

  @Moment({ hidden: true })
  invitedAt!: string;

  @Computed(() => OrganizationInvitationRole, 'Role that the user gets by accepting.')
  role!: OrganizationInvitationRole;

  @Computed(() => DateTime, 'Time of the invitation; of the last one if it was repeated.')
  createdAt!: string;

  @Computed(() => DateTime, 'Time at which it expired, 7 days after `createdAt`; null until then.', { null: true })
  expiredAt!: string | null;

  @Computed(() => String, 'Login of the invited user; null where an address is invited.', { null: true })
  inviteeLogin!: string | null;

  @Computed(() => String, 'Path in the API, such as `/orgs/harbor-lab/invitations/1`.')
  apiPath!: string;
}

export const OrganizationInvitationConnection = connectionOf(
  'OrganizationInvitation',
  () => OrganizationInvitation,
  'invitations',
);
