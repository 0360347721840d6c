import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, InterfaceType, ObjectType, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Key, Moment, Owner, PrimaryText, Text } from '../vocabulary/columns.ts';
import { Cost } from '../vocabulary/cost.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Actor, UniformResourceLocatable } from './actor.ts';

/** A bot is the account as which an app acts: it cannot sign in, own anything or be found by a search. */
export const AccountKind = { USER: 'user', ORGANIZATION: 'organization', BOT: 'bot' } as const;
export type AccountKind = (typeof AccountKind)[keyof typeof AccountKind];
registerEnumType(AccountKind, {
  name: 'AccountKind',
  description: 'Kind of an account: a user, an organization, or the account as which an app acts.',
});

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

/** Row of the table, whichever its kind; in the graph, the interface of `User` and `Organization`. */
@Entity({ tableName: 'account' })
@InterfaceType('RepositoryOwner', {
  implements: [Actor, UniformResourceLocatable],
  description: 'User or organization: an account of the code hosting product, which can own repositories.',
})
@Index<Account>('account_login', [c => `lower(${c.login})`], { unique: true })
@Retained<Account>({ rows: 'until the account is deleted' })
export class Account {
  @Key()
  id!: number;

  @Computed(() => Int, 'Number, unique among objects of the type.')
  databaseId!: number;

  @Choice(() => AccountKind, { about: 'Kind of the account.' })
  kind!: AccountKind;

  @Text({ about: 'Login: ASCII letters, digits and single hyphens, unique without regard to case.' })
  login!: string;

  @Text({ about: 'Display name; null for none.', null: true })
  name!: string | null;

  @Text({ about: 'Public e-mail address; null for none.', null: true })
  publicEmail!: string | null;

  @Text({ about: 'Company as free text; null for none.', null: true })
  company!: string | null;

  @Text({ hidden: true, null: true })
  blog!: string | null;

  @Computed(() => Uri, 'URL of a website, as entered; null for none.', { null: true })
  websiteUrl!: string | null;

  @Text({ about: 'Location as free text; null for none.', null: true })
  location!: string | null;

  @Text({ about: 'Biography of a user, or description of an organization; null for none.', null: true })
  bio!: string | null;

  @Bool({ about: 'Whether the user is an administrator of the installation.', default: false })
  isSiteAdmin!: boolean;

  @Bool({ hidden: true, default: false })
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
  publicRepositoryCount!: number;

  @Computed(() => Int, 'Number of private repositories that it owns; null unless you are the user.', {
    null: true,
  })
  privateRepositoryCount!: number | null;

  @Cost(1)
  @Computed(() => Int, 'Size of the repositories that it owns in kilobytes; null unless you are the user.', {
    null: true,
  })
  ownedDiskUsage!: number | null;

  @Cost(1)
  @Computed(() => Int, 'Number of collaborators of its private repositories; null unless you are the user.', {
    null: true,
  })
  privateCollaboratorCount!: number | null;

  @Cost(1)
  @Computed(() => Int, 'Number of followers.')
  followerCount!: number;

  @Cost(1)
  @Computed(() => Int, 'Number of users that it follows.')
  followingCount!: number;
}

@ObjectType({
  implements: [Account, Actor, UniformResourceLocatable],
  description: 'User of the code hosting product, or the account as which an app acts.',
  simpleResolvers: true,
})
export class User {
  @Computed(() => String, 'Public e-mail address; empty for none.')
  email!: string;

  @Computed(() => String, 'Biography; null for none.', { null: true })
  bio!: string | null;

  @Computed(() => Boolean, 'Whether the user is an administrator of the installation.')
  isSiteAdmin!: boolean;

  @Computed(() => Boolean, 'Whether you follow the user.')
  viewerIsFollowing!: boolean;
}

@ObjectType({
  implements: [Account, Actor, UniformResourceLocatable],
  description: 'Organization of the code hosting product.',
  simpleResolvers: true,
})
export class Organization {
  @Computed(() => String, 'Public e-mail address; null for none.', { null: true })
  email!: string | null;

  @Computed(() => String, 'Description; null for none.', { null: true })
  description!: string | null;

  @Computed(() => Boolean, 'Whether classic tokens need single sign-on authorization for data that is not public.')
  isSsoEnforced!: boolean;
}

/** Former login of an account. It redirects to the account until another account takes it. */
@Entity({ tableName: 'former_login' })
@Index<FormerLogin>('former_login_by_account', ['accountId'])
@Retained<FormerLogin>({ days: 1095, since: 'leftAt' })
export class FormerLogin {
  /** Lower case. */
  @PrimaryText()
  login!: string;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Moment({ hidden: true })
  leftAt!: string;
}
