import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
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
@Retained<Membership>({ rows: 'until the member leaves' })
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

  @Computed(() => User, 'User of the membership.')
  user!: unknown;
}

export const MembershipConnection = connectionOf('Membership', () => Membership, 'memberships');

export const OrganizationMemberConnection = connectionOf('OrganizationMember', () => User, 'members', {
  edgeFields: { role: [() => MemberRole, 'Role of the member.'] },
});
