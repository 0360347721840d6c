import { Arg, Ctx, FieldResolver, ID, Int, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import { Actor } from '../../../schema/hosting/actor.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type AccountRow, type EmailRow, emailsOf } from './accounts.queries.ts';
import { avatarUrl, maxAvatarSize } from './avatar-size.ts';

/** Largest value of the GraphQL type Int. */
const maxInt = 2 ** 31 - 1;

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
  @FieldResolver(() => ID, { description: 'Global id.' })
  id(@Root() { databaseId, __typename }: AccountRow): string {
    return encodeGlobalId(__typename, databaseId);
  }

  @FieldResolver(() => Int)
  databaseId(@Root() { databaseId }: AccountRow): number | null {
    return databaseId > maxInt ? null : databaseId;
  }

  @FieldResolver(() => String)
  typeName(@Root() { __typename }: AccountRow): string {
    return __typename;
  }

  @FieldResolver(() => Uri, { description: 'URL of the page.' })
  url(@Root() { login }: AccountRow, @Ctx() { origin }: Context): string {
    return `${origin}/${login}`;
  }

  @FieldResolver(() => Uri, { description: 'Path of the page.' })
  resourcePath(@Root() { login }: AccountRow): string {
    return `/${login}`;
  }
}

@Resolver(() => User)
export class UserFields {
  @FieldResolver(() => Boolean, { description: 'Whether the user is you.' })
  isViewer(@Root() { databaseId }: AccountRow, @Ctx() { actor }: Context): boolean {
    return actor.kind === 'user' && actor.accountId === databaseId;
  }

  @FieldResolver(() => Boolean, { description: 'Whether you are another user, who can follow this one.' })
  viewerCanFollow(@Root() { databaseId }: AccountRow, @Ctx() { actor }: Context): boolean {
    return actor.kind === 'user' && actor.accountId !== databaseId;
  }

  @FieldResolver(() => [AccountEmail], {
    nullable: true,
    description: 'Email addresses, primary first; null unless the caller is this user.',
  })
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
