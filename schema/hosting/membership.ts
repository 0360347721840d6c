import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account, User } from './account.ts';

export const MemberRole = { MEMBER: 'member', ADMIN: 'admin' } as const;
export type MemberRole = (typeof MemberRole)[keyof typeof MemberRole];
registerEnumType(MemberRole, {
  name: 'OrganizationMemberRole',
  description: 'Role in an organization: a member has the base permission in every repository, an admin all rights.',
});

export const MembershipState = { ACTIVE: 'active', PENDING: 'pending' } as const;
export type MembershipState = (typeof MembershipState)[keyof typeof MembershipState];
registerEnumType(MembershipState, {
  name: 'MembershipState',
  description: 'State of a membership: a pending invitation gives no rights until the user accepts.',
});

@Noun('membership', 'Membership of a user in an organization, or the invitation to it.')
@Index<Membership>('membership_by_account', ['accountId', 'organizationId'])
export class Membership {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organizationId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Choice(() => MemberRole, { about: 'Role of the user.' })
  role!: MemberRole;

  @Bool({ about: 'Whether the membership is public.', default: false })
  isPublic!: boolean;

  @Moment({ hidden: true })
  since!: string;

  @Computed(() => DateTime, 'Time of joining; of the invitation while it is pending.')
  startedAt!: string;

  @Computed(() => MembershipState, 'State: active or pending.')
  state!: string;

  @Computed(() => User, 'User.')
  user!: unknown;
}

/** Invitation of a user or an e-mail address to an organization that is not accepted yet. It grants no rights. */
@Entity({ tableName: 'membership_invitation' })
@Check<MembershipInvitation>('membership_invitation_invitee_check', c => `num_nonnulls(${c.accountId}, ${c.email}) = 1`)
@Index<MembershipInvitation>('membership_invitation_by_account', ['accountId', 'organizationId'])
@Index<MembershipInvitation>('membership_invitation_by_email', [c => `lower(${c.email})`, 'organizationId'], {
  unique: true,
  where: c => `${c.email} is not null`,
})
@Index<MembershipInvitation>('membership_invitation_by_time', ['accountId', 'invitedAt', 'organizationId'])
@Index<MembershipInvitation>('membership_invitation_by_inviter', ['inviterId'], {
  where: c => `${c.inviterId} is not null`,
})
@Index<MembershipInvitation>('membership_invitation_in_order', ['organizationId', 'id'])
@Index<MembershipInvitation>('membership_invitation_once', ['organizationId', 'accountId'], { unique: true })
export class MembershipInvitation {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  organizationId!: number;

  /** The invited user; null where an address is invited. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  /** The invited address; null where a user is invited. */
  @Text({ hidden: true, null: true })
  email!: string | null;

  @Choice(() => MemberRole, { hidden: true })
  role!: MemberRole;

  /** Null for an invitation by an app. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  inviterId!: number | null;

  @Moment({ hidden: true })
  invitedAt!: string;
}

export const MembershipConnection = connectionOf('Membership', () => Membership, 'memberships');

export const OrganizationMemberConnection = connectionOf('OrganizationMember', () => User, 'members', {
  edgeFields: { role: [() => MemberRole, 'Role of the member.'] },
});
