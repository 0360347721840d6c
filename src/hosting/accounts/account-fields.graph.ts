import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { FollowerConnection, FollowingConnection } from '../../../schema/hosting/account-connections.ts';
import { AccountEmail, AccountEmailConnection, EmailVisibility } from '../../../schema/hosting/account-email.ts';
import { Actor } from '../../../schema/hosting/actor.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { type AccountRow, type EmailRow, emailsOf, mayReadEmails } from './accounts.queries.ts';
import { avatarUrl, maxAvatarSize } from './avatar-size.ts';
import { slugOfBot } from './bot-login.ts';
import { isCaller } from './caller.ts';
import { followedBy, followersOf } from './followers.queries.ts';

@ArgsType()
class EmailArgs extends ConnectionArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether only the public address is listed.' })
  publicOnly!: boolean;
}

@Resolver(() => Actor)
export class ActorFields {
  @FieldResolver(() => Uri, { description: 'URL of the avatar, a square image.' })
  avatarUrl(
    @Root() { databaseId }: AccountRow,
    @Arg('size', () => Int, { nullable: true, description: `Edge of the image in pixels, 1 to ${maxAvatarSize}.` })
    size: number | null | undefined,
    @Ctx() { origin }: Context,
  ): string {
    return avatarUrl({ origin }, databaseId, size);
  }
}

@Resolver(() => Account)
export class AccountFields {
  @FieldResolver(() => ID, { description: 'Global id of the account.' })
  id(@Root() { databaseId, __typename }: AccountRow): string {
    return encodeGlobalId(__typename, databaseId);
  }

  @FieldResolver(() => Uri, { description: 'URL of the page.' })
  url(@Root() { login, kind }: AccountRow, @Ctx() { origin }: Context): string {
    return kind === 'bot' ? `${origin}/apps/${slugOfBot(login)}` : `${origin}/${login}`;
  }

  @FieldResolver(() => Uri, { description: 'Path of the page.' })
  resourcePath(@Root() { login }: AccountRow): string {
    // The brackets of `[bot]` are not valid in a path.
    return `/${encodeURIComponent(login)}`;
  }

  @FieldResolver(() => FollowerConnection, { description: 'Followers of the account, newest first.' })
  followers(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    const list = batchedList(context, 'RepositoryOwner.followers', {}, databaseId, followersOf(context));
    return new Connection(FollowerConnection, list, args);
  }

  @FieldResolver(() => FollowingConnection, { description: 'Users that the account follows, newest first.' })
  following(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    const list = batchedList(context, 'RepositoryOwner.following', {}, databaseId, followedBy(context));
    return new Connection(FollowingConnection, list, args);
  }
}

@Resolver(() => AccountEmail)
export class EmailFields {
  @FieldResolver(() => Boolean, { description: 'Whether the address is verified.' })
  isVerified(@Root() { verifiedAt }: EmailRow): boolean {
    return verifiedAt !== null;
  }

  @FieldResolver(() => EmailVisibility, {
    nullable: true,
    description: 'Visibility: `PUBLIC` for that of the profile, else `PRIVATE` for the primary one; null for others.',
  })
  visibility(@Root() { isPrimary, isPublic }: EmailRow): EmailVisibility | null {
    if (isPublic) return EmailVisibility.PUBLIC;
    return isPrimary ? EmailVisibility.PRIVATE : null;
  }
}

@Resolver(() => User)
export class UserFields {
  @FieldResolver(() => Boolean, { description: 'Whether the user is you.' })
  isViewer(@Root() { databaseId }: AccountRow, @Ctx() { actor }: Context): boolean {
    return isCaller(actor, databaseId);
  }

  @FieldResolver(() => Boolean, { description: 'Whether you are another user, who can follow this one.' })
  viewerCanFollow(@Root() { databaseId, kind }: AccountRow, @Ctx() { actor }: Context): boolean {
    return kind === 'user' && actor.kind === 'user' && actor.accountId !== databaseId;
  }

  @FieldResolver(() => AccountEmailConnection, {
    nullable: true,
    description: 'E-mail addresses, primary first; null unless the user is you.',
  })
  emails(
    @Root() { databaseId }: AccountRow,
    @Args(() => EmailArgs) { publicOnly, ...args }: EmailArgs,
    @Ctx() context: Context,
  ): Connection<EmailRow> | null {
    const { actor } = context;
    if (!isCaller(actor, databaseId) || !mayReadEmails(actor)) return null;
    const filter = { publicOnly };
    return new Connection(
      AccountEmailConnection,
      batchedList(context, 'User.emails', filter, databaseId, emailsOf(context, filter)),
      args,
    );
  }
}
