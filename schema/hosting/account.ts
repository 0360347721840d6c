import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Key, Moment, Noun, Owner, PrimaryText, Text } from '../vocabulary/columns.ts';
import { Cost } from '../vocabulary/cost.ts';
import { Index } from '../vocabulary/table-constraints.ts';

export const AccountKind = { USER: 'user', ORGANIZATION: 'organization' } as const;
export type AccountKind = (typeof AccountKind)[keyof typeof AccountKind];
registerEnumType(AccountKind, { name: 'AccountKind', description: 'What an account stands for.' });

/** What members of an organization may do in all of its repositories. */
export const BasePermission = { NONE: 'none', READ: 'read', WRITE: 'write', ADMIN: 'admin' } as const;
export type BasePermission = (typeof BasePermission)[keyof typeof BasePermission];
registerEnumType(BasePermission, {
  name: 'BasePermission',
  description: 'What every member of an organization may do in each of its repositories.',
});

/** What an account is on. */
export const Plan = { FREE: 'free', ENTERPRISE: 'enterprise' } as const;
export type Plan = (typeof Plan)[keyof typeof Plan];
registerEnumType(Plan, { name: 'Plan', description: 'What an account is on: an enterprise has higher limits.' });

@Noun('account', 'A user or an organization of the code hosting product.')
@Index<Account>('account_login', [c => `lower(${c.login})`], { unique: true })
export class Account {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  databaseId!: number;

  @Computed(() => ID, 'Identifier of the account among all things there are.')
  nodeId!: string;

  @Choice(() => AccountKind, { about: 'A user or an organization.' })
  kind!: AccountKind;

  @Computed(() => String, '`User` or `Organization`, as the REST API says it.')
  typeName!: string;

  @Text({ about: 'The name in addresses: ASCII letters, digits and single hyphens. Capitals make no difference.' })
  login!: string;

  @Text({ about: 'The name for people.', null: true })
  name!: string | null;

  @Text({ about: 'The address that is shown to everybody; null for most.', null: true })
  publicEmail!: string | null;

  @Text({ about: 'Where somebody works, in their own words.', null: true })
  company!: string | null;

  @Text({ about: 'A page of their own.', null: true })
  blog!: string | null;

  @Text({ about: 'Where they are, in their own words.', null: true })
  location!: string | null;

  @Text({ about: 'About themselves; of an organization its description.', null: true })
  bio!: string | null;

  @Bool({ about: 'Whether this user looks after the installation.', default: false })
  isSiteAdmin!: boolean;

  @Bool({
    about:
      'Whether classic tokens have to be authorized for this organization before they open more than what is public.',
    default: false,
  })
  enforcesSso!: boolean;

  @Choice(() => BasePermission, { hidden: true, default: 'read' })
  basePermission!: BasePermission;

  /** Limits are by it. Set on the command line. */
  @Choice(() => Plan, { hidden: true, default: 'free' })
  plan!: Plan;

  @Moment({ about: 'When the account was made.' })
  createdAt!: string;

  @Moment({ about: 'When its profile last changed.' })
  updatedAt!: string;

  /** Set: no credential of the account is taken. */
  @Moment({ hidden: true, null: true })
  suspendedAt!: string | null;

  @Computed(() => Int, 'Public repositories it owns.')
  publicRepositories!: number;

  @Computed(() => Int, 'Private repositories it owns; null unless the caller is the user.', { null: true })
  privateRepositories!: number | null;

  @Cost(1)
  @Computed(() => Int, 'Users who follow it.')
  followers!: number;

  @Cost(1)
  @Computed(() => Int, 'Users it follows.')
  following!: number;
}

/** A login that an account had before. It leads to the account until somebody else takes it. */
@Entity({ tableName: 'former_login' })
@Index<FormerLogin>('former_login_by_account', ['accountId'])
export class FormerLogin {
  /** In lower case. */
  @PrimaryText()
  login!: string;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Moment({ hidden: true })
  leftAt!: string;
}
