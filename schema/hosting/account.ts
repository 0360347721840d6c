import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Key, Moment, Noun, Owner, PrimaryText, Text } from '../vocabulary/columns.ts';
import { Cost } from '../vocabulary/cost.ts';
import { Index } from '../vocabulary/table-constraints.ts';

export const AccountKind = { USER: 'user', ORGANIZATION: 'organization' } as const;
export type AccountKind = (typeof AccountKind)[keyof typeof AccountKind];
registerEnumType(AccountKind, { name: 'AccountKind', description: 'Kind of an account.' });

/** Permission of the members of an organization in all of its repositories. */
export const BasePermission = { NONE: 'none', READ: 'read', WRITE: 'write', ADMIN: 'admin' } as const;
export type BasePermission = (typeof BasePermission)[keyof typeof BasePermission];
registerEnumType(BasePermission, {
  name: 'BasePermission',
  description: 'Permission of every member of an organization in each of its repositories.',
});

/** Plan of an account. */
export const Plan = { FREE: 'free', ENTERPRISE: 'enterprise' } as const;
export type Plan = (typeof Plan)[keyof typeof Plan];
registerEnumType(Plan, { name: 'Plan', description: 'Plan of an account: `ENTERPRISE` has higher limits.' });

@Noun('account', 'User or organization of the code hosting product.')
@Index<Account>('account_login', [c => `lower(${c.login})`], { unique: true })
export class Account {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  databaseId!: number;

  @Computed(() => ID, 'Global identifier.')
  nodeId!: string;

  @Choice(() => AccountKind, { about: 'Kind: user or organization.' })
  kind!: AccountKind;

  @Computed(() => String, 'Kind as the REST API spells it: `User` or `Organization`.')
  typeName!: string;

  @Text({ about: 'Login: ASCII letters, digits and single hyphens, unique without regard to case.' })
  login!: string;

  @Text({ about: 'Display name; null for none.', null: true })
  name!: string | null;

  @Text({ about: 'Public e-mail address; null for none.', null: true })
  publicEmail!: string | null;

  @Text({ about: 'Company as free text; null for none.', null: true })
  company!: string | null;

  @Text({ about: 'URL of a website; null for none.', null: true })
  blog!: string | null;

  @Text({ about: 'Location as free text; null for none.', null: true })
  location!: string | null;

  @Text({ about: 'Biography of a user, or description of an organization; null for none.', null: true })
  bio!: string | null;

  @Bool({ about: 'Whether the user is an administrator of the installation.', default: false })
  isSiteAdmin!: boolean;

  @Bool({
    about: "Whether classic tokens need authorization for this organization's non-public data.",
    default: false,
  })
  enforcesSso!: boolean;

  @Choice(() => BasePermission, { hidden: true, default: 'read' })
  basePermission!: BasePermission;

  /** Determines the rate limits. Set on the command line. */
  @Choice(() => Plan, { hidden: true, default: 'free' })
  plan!: Plan;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change of the profile.' })
  updatedAt!: string;

  /** Suspended accounts: no credential of the account is accepted. */
  @Moment({ hidden: true, null: true })
  suspendedAt!: string | null;

  @Computed(() => Int, 'Number of public repositories that it owns.')
  publicRepositories!: number;

  @Computed(() => Int, 'Number of private repositories that it owns; null unless the caller is the user.', {
    null: true,
  })
  privateRepositories!: number | null;

  @Cost(1)
  @Computed(() => Int, 'Number of followers.')
  followers!: number;

  @Cost(1)
  @Computed(() => Int, 'Number of users that it follows.')
  following!: number;
}

/** Former login of an account. It redirects to the account until another account takes it. */
@Entity({ tableName: 'former_login' })
@Index<FormerLogin>('former_login_by_account', ['accountId'])
export class FormerLogin {
  /** Lower case. */
  @PrimaryText()
  login!: string;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Moment({ hidden: true })
  leftAt!: string;
}
