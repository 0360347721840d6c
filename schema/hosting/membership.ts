import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { Account } from './account.ts';

export const MemberRole = { MEMBER: 'member', ADMIN: 'admin' } as const;
registerEnumType(MemberRole, {
  name: 'MemberRole',
  description: 'A member has the base permission in every repository; an admin has all of the organization in hand.',
});

export const MembershipState = { ACTIVE: 'active', PENDING: 'pending' } as const;
registerEnumType(MembershipState, {
  name: 'MembershipState',
  description: 'Pending: the user is invited and has no rights in the organization until they accept.',
});

@Noun('membership', 'That a user belongs to an organization.')
export class Membership {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organization!: Account;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  account!: Account;

  @Choice(() => MemberRole, { about: 'What the user may do.' })
  role!: string;

  @Bool({ about: 'Whether everybody may know of it.', default: false })
  isPublic!: boolean;

  @Moment({ about: 'Since when.' })
  since!: Date;

  @Computed(() => MembershipState, 'Whether the user has accepted.')
  state!: string;

  @Computed(() => Account, 'The user.')
  user!: unknown;
}

/** That a user was asked into an organization and has not accepted. It gives no rights. */
@Entity({ tableName: 'membership_invitation' })
export class MembershipInvitation {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organization!: Account;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  account!: Account;

  @Choice(() => MemberRole, { hidden: true })
  role!: string;

  /** Null where an app invited. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  inviter!: Account | null;

  @Moment({ hidden: true })
  invitedAt!: Date;
}
