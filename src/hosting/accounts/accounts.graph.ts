import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { Account, AccountKind, Organization, User } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection, type Selection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountById, accountByLogin, coversSelection, type EmailRow } from './accounts.queries.ts';
import { addEmail } from './add-email.ts';
import { callingUser } from './caller.ts';
import { removeEmails, setEmailVisibility } from './change-emails.ts';
import { createUser } from './create-user.ts';
import { setFollowing } from './follow-account.ts';
import { renameAccount } from './rename-account.ts';
import { verifyEmail, verifyEmailByToken } from './verify-email.ts';

const login = () => Arg('login', () => String, { description: 'Login, case-insensitive.' });

@InputType({ description: 'Input of `createUser`.' })
class CreateUserInput {
  @Field(() => String, { description: 'Login of the new user.' }) login!: string;
  @optionalField(() => String, 'Display name.') name?: string | null;
  @optionalField(() => String, 'Primary e-mail address, stored as verified.') email?: string | null;
}

@InputType({ description: 'Input of `renameViewer`.' })
class RenameViewerInput {
  @Field(() => String, { description: 'New login.' }) login!: string;
}

@InputType({ description: 'Input of `followUser`.' })
class FollowUserInput {
  @Field(() => ID, { description: 'User to follow.' }) userId!: string;
}

@InputType({ description: 'Input of `unfollowUser`.' })
class UnfollowUserInput {
  @Field(() => ID, { description: 'User to unfollow.' }) userId!: string;
}

@InputType({ description: 'Input of `addEmail`.' })
class AddEmailInput {
  @Field(() => String, { description: 'E-mail address.' }) email!: string;
}

@InputType({ description: 'Input of `removeEmail`.' })
class RemoveEmailInput {
  @Field(() => String, { description: 'E-mail address of yours, case-insensitive; not the primary one.' })
  email!: string;
}

@InputType({ description: 'Input of `verifyEmail`.' })
class VerifyEmailInput {
  @Field(() => String, { description: 'Token of the link in the mail.' }) token!: string;
}

@InputType({ description: 'Input of `updateEmailVisibility`.' })
class UpdateEmailVisibilityInput {
  @Field(() => Boolean, { description: 'Whether your primary address is the public one of your profile.' })
  isPublic!: boolean;
}

@InputType({ description: 'Input of `verifyUserEmail`.' })
class VerifyUserEmailInput {
  @Field(() => ID, { description: 'User with the address.' }) userId!: string;
  @Field(() => String, { description: 'E-mail address, case-insensitive.' }) email!: string;
}

const CreateUserPayload = payloadOf('createUser', { user: [() => User, 'User created.'] });
const RenameViewerPayload = payloadOf('renameViewer', { user: [() => User, 'You, under the new login.'] });
const FollowUserPayload = payloadOf('followUser', { user: [() => User, 'User that you follow.'] });
const UnfollowUserPayload = payloadOf('unfollowUser', { user: [() => User, 'User that you no longer follow.'] });
const AddEmailPayload = payloadOf('addEmail', { email: [() => AccountEmail, 'E-mail address added.'] });
const RemoveEmailPayload = payloadOf('removeEmail', { user: [() => User, 'You.'] });
const VerifyEmailPayload = payloadOf('verifyEmail', { email: [() => AccountEmail, 'Verified address.'] });
const UpdateEmailVisibilityPayload = payloadOf('updateEmailVisibility', {
  email: [() => AccountEmail, 'Your primary address.'],
});
const VerifyUserEmailPayload = payloadOf('verifyUserEmail', {
  email: [
    () => AccountEmail,
    'Verified address; null where it is not one of the user, or another account has verified it.',
  ],
});

interface UserPayload {
  user: AccountRow;
}

interface EmailPayload {
  email: EmailRow | null;
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
    const { accountId, login } = callingUser(context.actor);
    const wanted = selectionOf(info);
    // What every row carries is known of the caller.
    if (coversSelection(noSelection, wanted)) {
      const known = { __typename: 'User', databaseId: accountId, login, kind: AccountKind.USER } as const;
      return Promise.resolve(known as AccountRow);
    }
    return accountById(context, accountId, wanted);
  }

  @Access('public')
  @Query(() => User, { nullable: true, description: 'User with this login; null when there is none.' })
  user(@login() text: string, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'user');
  }

  @RestCorner('The contract has the lists of a user for organizations too. Use `user`.')
  @Access('public')
  @Query(() => User, { nullable: true, description: 'Account with this login, an organization included.' })
  async accountAsUser(
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    const account = await accountByLogin(context, text, selectionOf(info));
    // An organization may have none, and that of a user is not null.
    return account && { ...account, email: account.email ?? '' };
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
  @Mutation(() => RenameViewerPayload, {
    nullable: true,
    description: 'Renames you. The old login redirects until another account takes it.',
  })
  async renameViewer(
    @InputArg(() => RenameViewerInput) input: RenameViewerInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const { accountId } = callingUser(context.actor);
    await renameAccount(context, accountId, input.login);
    return userPayload(context, accountId, info);
  }

  @Access('followers:write')
  @Mutation(() => FollowUserPayload, { nullable: true, description: 'Follows a user.' })
  async followUser(
    @InputArg(() => FollowUserInput) input: FollowUserInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const userId = numberOfId('User', input.userId, 'userId');
    await setFollowing(context, userId, true);
    return userPayload(context, userId, info);
  }

  @Access('followers:write')
  @Mutation(() => UnfollowUserPayload, { nullable: true, description: 'Unfollows a user.' })
  async unfollowUser(
    @InputArg(() => UnfollowUserInput) input: UnfollowUserInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const userId = numberOfId('User', input.userId, 'userId');
    await setFollowing(context, userId, false);
    return userPayload(context, userId, info);
  }

  @Access('emails:write')
  @Mutation(() => AddEmailPayload, {
    nullable: true,
    description: 'Adds an e-mail address of yours. It has no effect until the link of the mail that it gets is used.',
  })
  async addEmail(@InputArg(() => AddEmailInput) input: AddEmailInput, @Ctx() context: Context): Promise<EmailPayload> {
    return { email: await addEmail(context, input.email) };
  }

  @Access('emails:write')
  @Mutation(() => RemoveEmailPayload, { nullable: true, description: 'Deletes an e-mail address of yours.' })
  async removeEmail(
    @InputArg(() => RemoveEmailInput) { email }: RemoveEmailInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    await removeEmails(context, [email]);
    return userPayload(context, callingUser(context.actor).accountId, info);
  }

  @Access('public')
  @Mutation(() => VerifyEmailPayload, {
    nullable: true,
    description: 'Verifies the e-mail address that the token was mailed to.',
  })
  async verifyEmail(
    @InputArg(() => VerifyEmailInput) { token }: VerifyEmailInput,
    @Ctx() context: Context,
  ): Promise<EmailPayload> {
    return { email: await verifyEmailByToken(context, token) };
  }

  @Access('emails:write')
  @Mutation(() => UpdateEmailVisibilityPayload, {
    nullable: true,
    description: 'Makes your primary e-mail address public in your profile, or makes no address public.',
  })
  async updateEmailVisibility(
    @InputArg(() => UpdateEmailVisibilityInput) { isPublic }: UpdateEmailVisibilityInput,
    @Ctx() context: Context,
  ): Promise<EmailPayload> {
    return { email: await setEmailVisibility(context, isPublic) };
  }

  @Access('site-admin')
  @Mutation(() => CreateUserPayload, { nullable: true, description: 'Creates a user.' })
  async createUser(
    @InputArg(() => CreateUserInput) input: CreateUserInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const id = await context.transaction(db => createUser(db, input, context.now()));
    return userPayload(context, id, info);
  }

  @Access('site-admin')
  @Mutation(() => VerifyUserEmailPayload, {
    nullable: true,
    description: 'Marks an e-mail address of a user as verified.',
  })
  async verifyUserEmail(
    @InputArg(() => VerifyUserEmailInput) { userId, email }: VerifyUserEmailInput,
    @Ctx() context: Context,
  ): Promise<EmailPayload> {
    return { email: await verifyEmail(context, numberOfId('User', userId, 'userId'), email) };
  }
}

async function userPayload(context: Context, id: number, info: GraphQLResolveInfo): Promise<UserPayload> {
  return { user: await requireAccount(context, id, selectionBelow(info, 'user')) };
}
