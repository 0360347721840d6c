import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Account, Organization, User } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountById, accountByLogin, type EmailRow } from './accounts.queries.ts';
import { addEmail, verifyEmail } from './add-email.ts';
import { callingUser } from './caller.ts';
import { createUser } from './create-user.ts';
import { setFollowing } from './follow-account.ts';
import { renameAccount } from './rename-account.ts';

const login = (description = 'Login, case-insensitive.') => Arg('login', () => String, { description });

@ArgsType()
class NewUserArgs {
  @Field(() => String, { description: 'Login of the new user.' }) login!: string;
  @Field(() => String, { nullable: true, description: 'Display name.' }) name?: string | null;
  @Field(() => String, { nullable: true, description: 'Primary email address, stored as verified.' }) email?:
    | string
    | null;
}

/** Loads an account after a write, as the caller sees it. */
export async function requireAccount(context: Context, id: number, wanted: Selection): Promise<AccountRow> {
  const found = await accountById(context, id, wanted);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class HostingAccountRoots {
  @Access('profile:read')
  @Query(() => User, { nullable: true, description: 'User that the credential acts for.' })
  viewer(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return accountById(context, callingUser(context.actor).accountId, selectionOf(info));
  }

  @Access('public')
  @Query(() => User, { nullable: true, description: 'User with this login; null when there is none.' })
  user(@login() text: string, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'user');
  }

  @Access('public')
  @Query(() => Account, {
    nullable: true,
    description: 'User or organization with this login; null when there is none.',
  })
  repositoryOwner(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info));
  }

  @Access('public')
  @Query(() => Organization, { nullable: true, description: 'Organization with this login; null when there is none.' })
  organization(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'organization');
  }

  @Access('profile:write')
  @Mutation(() => User, {
    description: 'Renames the caller. The old login redirects until another account takes it.',
  })
  async renameViewer(
    @login('New login.') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const { accountId } = callingUser(context.actor);
    await renameAccount(context, accountId, text);
    return requireAccount(context, accountId, selectionOf(info));
  }

  @Access('followers:write')
  @Mutation(() => User, { description: 'Follows a user.' })
  async followUser(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    return requireAccount(context, await setFollowing(context, text, true), selectionOf(info));
  }

  @Access('followers:write')
  @Mutation(() => User, { description: 'Unfollows a user.' })
  async unfollowUser(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    return requireAccount(context, await setFollowing(context, text, false), selectionOf(info));
  }

  @Access('emails:write')
  @Mutation(() => AccountEmail, {
    description: 'Adds an email address to the caller. It has no effect until it is verified.',
  })
  addEmail(
    @Arg('email', () => String, { description: 'Email address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<EmailRow> {
    return addEmail(context, email);
  }

  @Access('site-admin')
  @Mutation(() => User, { description: 'Creates a user.' })
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
    description: "Marks an email address of a user as verified; false when it was already, or is not the user's.",
  })
  async verifyEmail(
    @login() text: string,
    @Arg('email', () => String, { description: 'Email address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const user = await accountByLogin(context, text, new Map(), 'user');
    if (!user) throw notFound();
    return verifyEmail(context, user.databaseId, email);
  }
}
