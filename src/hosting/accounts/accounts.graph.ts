import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { Account, AccountKind, Organization, User } from '../../../schema/hosting/account.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, type Selection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountNumber } from './account-ref.ts';
import { type AccountRow, accountById, accountByLogin, coversSelection } from './accounts.queries.ts';
import { callingUser } from './caller.ts';
import { createUser } from './create-user.ts';
import { setFollowing } from './follow-account.ts';

const login = (owner: string) => Arg('login', () => String, { description: `Login of ${owner}, case-insensitive.` });

@InputType({ description: 'Input of `createUser`.' })
class CreateUserInput {
  @Field(() => String, { description: 'Login of the new user.' }) login!: string;
  @optionalField(() => String, 'Display name, at most 255 characters; none by default.') name?: string | null;
  @optionalField(() => String, 'Primary e-mail address, stored as verified.') email?: string | null;
}

@InputType({ description: 'Input of `followUser`.' })
class FollowUserInput {
  @Field(() => ID, { description: 'User to follow.' }) userId!: string;
}

@InputType({ description: 'Input of `unfollowUser`.' })
class UnfollowUserInput {
  @Field(() => ID, { description: 'User to unfollow.' }) userId!: string;
}

const CreateUserPayload = payloadOf('createUser', { user: [() => User, 'User that was created.'] });
const FollowUserPayload = payloadOf('followUser', { user: [() => User, 'User that you follow.'] });
const UnfollowUserPayload = payloadOf('unfollowUser', { user: [() => User, 'User that you no longer follow.'] });
export interface UserPayload {
  user: AccountRow | null;
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
  user(
    @login('the user') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'user');
  }

  @RestCorner('The contract has the lists of a user for organizations too. Use `user`.')
  @Access('public')
  @Query(() => User, { nullable: true, description: 'Account with this login, an organization included.' })
  async accountAsUser(
    @login('the account') text: string,
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
    @login('the user or organization') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info));
  }

  @Access('public')
  @Query(() => Organization, { nullable: true, description: 'Organization with this login; null when there is none.' })
  organization(
    @login('the organization') text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return accountByLogin(context, text, selectionOf(info), 'organization');
  }

  @Access('followers:write')
  @Mutation(() => FollowUserPayload, { nullable: true, description: 'Follows a user.' })
  async followUser(
    @InputArg(() => FollowUserInput) input: FollowUserInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const userId = await accountNumber(context, 'User', input.userId, 'userId');
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
    const userId = await accountNumber(context, 'User', input.userId, 'userId');
    await setFollowing(context, userId, false);
    return userPayload(context, userId, info);
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
}

/** Reads the user only if the answer has it. */
export async function userPayload(context: Context, id: number, info: GraphQLResolveInfo): Promise<UserPayload> {
  const wanted = selectionOf(info).get('user');
  return { user: wanted ? await requireAccount(context, id, wanted) : null };
}
