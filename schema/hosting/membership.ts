import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { Account } from './account.ts';

export const MemberRole = { MEMBER: 'member', ADMIN: 'admin' } as const;
registerEnumType(MemberRole, {
  name: 'MemberRole',
  description: 'A member has the base permission in every repository; an admin has all of the organization in hand.',
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

  @Computed(() => Account, 'The user.')
  user!: unknown;
}
