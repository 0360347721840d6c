import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { HostCredential, TokenConnection } from '../../../schema/hosting/credential.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import { PermissionGrant } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { callingUser, isCaller } from '../accounts/caller.ts';
import type { InstallationRow } from '../apps/apps.queries.ts';
import { installationsByIds } from '../apps/managed-apps.queries.ts';
import { grantsOf } from '../apps/permission-grants.ts';
import { credentialsByIds, credentialsOf, lastUsesByTokens } from './credentials.queries.ts';
import type { CredentialRow } from './insert-credential.ts';

@Resolver(() => User)
export class UserTokens {
  @Access('tokens:write')
  @FieldResolver(() => TokenConnection, {
    nullable: true,
    description:
      'Valid tokens, newest first; null unless the user is you. Those that act for you, were created with those, or work in what you own or administer.',
  })
  tokens(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<CredentialRow> | null {
    if (!isCaller(context.actor, databaseId)) return null;
    const source = credentialsOf(context, callingUser(context.actor));
    return new Connection(TokenConnection, batchedList(context, 'User.tokens', {}, databaseId, source), args);
  }
}

@Resolver(() => HostCredential)
export class TokenFields {
  @FieldResolver(() => [PermissionGrant])
  permissions(@Root() { permissions }: CredentialRow): PermissionGrant[] {
    return grantsOf(permissions);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'Time of the last use; null for never. At most one use per hour is recorded.',
  })
  lastUsedAt(@Root() { databaseId }: CredentialRow, @Ctx() context: Context): Promise<string | null> {
    return context.load(lastUsesByTokens, noSelection).load(databaseId);
  }

  @FieldResolver(() => HostCredential, {
    nullable: true,
    description: 'Token that it was created with and ends with; null for none, and for one that you do not manage.',
  })
  parent(
    @Root() { parentId }: CredentialRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CredentialRow | null> | null {
    return parentId === null ? null : context.load(credentialsByIds, selectionOf(info)).load(parentId);
  }

  @FieldResolver(() => Installation, {
    nullable: true,
    description: 'Installation of an installation token; null for other kinds.',
  })
  installation(
    @Root() { installationId }: CredentialRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<InstallationRow | null> | null {
    return installationId === null ? null : context.load(installationsByIds, selectionOf(info)).load(installationId);
  }
}
