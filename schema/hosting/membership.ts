import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

export const MemberRole = { MEMBER: 'member', ADMIN: 'admin' } as const;
export type MemberRole = (typeof MemberRole)[keyof typeof MemberRole];
registerEnumType(MemberRole, {
  name: 'MemberRole',
  description: 'A member has the base permission in every repository; an admin has all of the organization in hand.',
});

export const MembershipState = { ACTIVE: 'active', PENDING: 'pending' } as const;
export type MembershipState = (typeof MembershipState)[keyof typeof MembershipState];
registerEnumType(MembershipState, {
  name: 'MembershipState',
  description: 'Pending: the user is invited and has no rights in the organization until they accept.',
});

@Noun('membership', 'That a user belongs to an organization.')
@Index<Membership>('membership_by_account', ['accountId', 'organizationId'])
export class Membership {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organizationId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Choice(() => MemberRole, { about: 'What the user may do.' })
  role!: MemberRole;

  @Bool({ about: 'Whether everybody may know of it.', default: false })
  isPublic!: boolean;

  @Moment({ about: 'Since when.' })
  since!: string;

  @Computed(() => MembershipState, 'Whether the user has accepted.')
  state!: string;

  @Computed(() => Account, 'The user.')
  user!: unknown;
}

/** That a user was asked into an organization and has not accepted. It gives no rights. */
@Entity({ tableName: 'membership_invitation' })
@Index<MembershipInvitation>('membership_invitation_by_account', ['accountId', 'organizationId'])
@Index<MembershipInvitation>('membership_invitation_by_inviter', ['inviterId'], {
  where: c => `${c.inviterId} is not null`,
})
export class MembershipInvitation {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organizationId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  accountId!: number;

  @Choice(() => MemberRole, { hidden: true })
  role!: MemberRole;

  /** Null where an app invited. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  inviterId!: number | null;

  @Moment({ hidden: true })
  invitedAt!: string;
}
