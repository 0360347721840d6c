import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import { RepositoryPage } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { hasPermission, hasTokenScope } from '../../auth/hosting-scopes.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { nodeIdOf } from '../node-id.ts';
import { PathSuffixArg } from '../path-suffix-arg.ts';
import { type OwnedRow, repositoriesOf } from '../repositories/repositories.queries.ts';
import { type AccountRow, accountById, accountByLogin, type EmailRow, emailsOf } from './accounts.queries.ts';
import { addEmail, verifyEmail } from './add-email.ts';
import { callingUser } from './caller.ts';
import { createUser } from './create-user.ts';
import { setFollowing } from './follow-account.ts';
import { renameAccount } from './rename-account.ts';

const login = (description = 'The login, in whatever case.') => Arg('login', () => String, { description });

@ArgsType()
class NewUserArgs {
  @Field(() => String, { description: 'The login it shall have.' }) login!: string;
  @Field(() => String, { nullable: true, description: 'Name for people.' }) name?: string | null;
  @Field(() => String, { nullable: true, description: 'Primary address, taken as verified.' }) email?: string | null;
}

/** What a write has changed, as a read of the caller's shows it. */
export async function requireAccount(context: Context, id: number, wanted: Selection): Promise<AccountRow> {
  const found = await accountById(context, id, wanted);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class HostingAccountRoots {
  @Access('profile:read')
  @Query(() => Account, { nullable: true, description: 'The user that the credential acts for.' })
  viewer(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return accountById(context, callingUser(context.actor).accountId, selectionOf(info));
  }

  @Access('public')
  @Query(() => Account, { nullable: true, description: 'The user or organization with this login.' })
  account(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info));
  }

  @Access('public')
  @Query(() => Account, { nullable: true, description: 'The organization with this login.' })
  organization(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'organization');
  }

  @Access('profile:write')
  @Mutation(() => Account, {
    description: 'Gives the caller another login. The old one leads to it until it is taken.',
  })
  async renameViewer(
    @login('The new login.') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const { accountId } = callingUser(context.actor);
    await renameAccount(context, accountId, text);
    return requireAccount(context, accountId, selectionOf(info));
  }

  @Access('followers:write')
  @Mutation(() => Account, { description: 'Follows a user.' })
  async followUser(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    return requireAccount(context, await setFollowing(context, text, true), selectionOf(info));
  }

  @Access('followers:write')
  @Mutation(() => Account, { description: 'Stops to follow a user.' })
  async unfollowUser(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    return requireAccount(context, await setFollowing(context, text, false), selectionOf(info));
  }

  @Access('emails:write')
  @Mutation(() => AccountEmail, { description: 'Adds an address to the caller. It counts once it is verified.' })
  addEmail(
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<EmailRow> {
    return addEmail(context, email);
  }

  @Access('site-admin')
  @Mutation(() => Account, { description: 'Makes a user.' })
  async createUser(
    @Args(() => NewUserArgs) args: NewUserArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const id = await context.transaction(db => createUser(db, args, context.now()));
    return requireAccount(context, id, selectionOf(info));
  }

  @Access('site-admin')
  @Mutation(() => Boolean, {
    description: 'Takes an address of a user as proved to be theirs; false when it was, or is not.',
  })
  async verifyEmail(
    @login() text: string,
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const user = await accountByLogin(context, text, new Map(), 'user');
    if (!user) throw notFound();
    return verifyEmail(context, user.databaseId, email);
  }
}

@Resolver(() => Account)
export class AccountFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId, kind }: AccountRow): string {
    return nodeIdOf(kind === 'organization' ? 'Organization' : 'User', databaseId);
  }

  @FieldResolver(() => String)
  typeName(@Root() { kind }: AccountRow): string {
    return kind === 'organization' ? 'Organization' : 'User';
  }

  @FieldResolver(() => String, { description: 'Its page.' })
  webUrl(@Root() row: AccountRow, @PathSuffixArg() behind: string, @Ctx() { origin }: Context): string {
    return `${origin}/${row.login}${behind}`;
  }

  @FieldResolver(() => String, { description: 'Its address in the REST API, as of a user.' })
  userUrl(@Root() row: AccountRow, @PathSuffixArg() behind: string, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/users/${row.login}${behind}`;
  }

  @FieldResolver(() => String, { description: 'Its address in the REST API, as of an organization.' })
  organizationUrl(@Root() row: AccountRow, @PathSuffixArg() behind: string, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/orgs/${row.login}${behind}`;
  }

  @FieldResolver(() => String, { description: 'Address of its picture.' })
  avatarUrl(@Root() row: AccountRow, @Ctx() { origin }: Context): string {
    return `${origin}/avatars/${row.databaseId}.svg`;
  }

  @FieldResolver(() => String, { description: 'Empty: pictures are kept by no third party.' })
  gravatarId(): string {
    return '';
  }

  @FieldResolver(() => Int, { description: 'Public snippets: there are none.' })
  gists(): number {
    return 0;
  }

  @FieldResolver(() => RepositoryPage, { description: 'The repositories it owns that the caller may see, by name.' })
  repositories(@Root() row: AccountRow, @Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Page<OwnedRow> {
    return new Page(repositoriesOf(context, row.databaseId), args);
  }

  @FieldResolver(() => [AccountEmail], { nullable: true, description: 'Its addresses; null for everybody else.' })
  emails(@Root() row: AccountRow, @Ctx() context: Context): Promise<EmailRow[]> | null {
    const { actor } = context;
    if (actor.kind !== 'user' || actor.accountId !== row.databaseId || !mayReadEmails(actor.credential)) return null;
    return emailsOf(context, row.databaseId);
  }
}

function mayReadEmails(credential: Extract<Context['actor'], { kind: 'user' }>['credential']): boolean {
  if ('scopes' in credential) return hasTokenScope(credential.scopes, ['user:email']);
  return hasPermission(credential.permissions, 'emails', 'read');
}
