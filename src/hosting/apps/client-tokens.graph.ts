import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { ClientAuthorization, NarrowedInstallation } from '../../../schema/hosting/client-authorization.ts';
import { type PermissionMap, Permissions } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import {
  type ClientAuthorizationRow,
  deleteClientGrant,
  deleteClientToken,
  requireClientToken,
  resetClientToken,
} from './client-tokens.ts';
import { scopeClientToken } from './scope-client-token.ts';

@ArgsType()
class ClientTokenArgs {
  @Field(() => String, { description: 'Client id of the calling app.' }) clientId!: string;
  @Field(() => String, { description: 'User token of the app.' }) accessToken!: string;
}

@ArgsType()
class ScopeArgs extends ClientTokenArgs {
  @optionalField(() => String, 'Login of the account that the token is restricted to; exclusive with `targetId`.')
  target?: string | null;
  @optionalField(() => GraphQLSafeInt, 'Database id of that account.') targetId?: number | null;
  @optionalField(
    () => [String],
    'Names of repositories that the token is restricted to, at most 500; exclusive with `repositoryIds`.',
  )
  repositories?: string[] | null;
  @optionalField(() => [GraphQLSafeInt], 'Database ids of repositories that the token is restricted to, at most 500.')
  repositoryIds?: number[] | null;
  @optionalField(
    () => Permissions,
    'Permissions of the token, at most those of the installation; all of them when null.',
  )
  permissions?: PermissionMap | null;
}

@Resolver()
export class ClientTokenRoots {
  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Checks a token of the calling app. Changes nothing.' })
  checkClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<ClientAuthorizationRow> {
    return requireClientToken(context, args.clientId, args.accessToken);
  }

  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Replaces the text of a token of the calling app.' })
  resetClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<ClientAuthorizationRow> {
    return resetClientToken(context, args.clientId, args.accessToken);
  }

  @Access('oauth-app')
  @Mutation(() => Boolean, { description: 'Revokes a token of the calling app.' })
  async deleteClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteClientToken(context, args.clientId, args.accessToken);
    return true;
  }

  @Access('oauth-app')
  @Mutation(() => Boolean, { description: "Revokes all tokens of the calling app for the token's user." })
  async deleteClientGrant(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteClientGrant(context, args.clientId, args.accessToken);
    return true;
  }

  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Creates a second token that is restricted to one account.' })
  scopeClientToken(@Args(() => ScopeArgs) args: ScopeArgs, @Ctx() context: Context): Promise<ClientAuthorizationRow> {
    return scopeClientToken(context, args);
  }
}

@Resolver(() => ClientAuthorization)
export class ClientAuthorizationFields {
  @FieldResolver(() => User, { nullable: true })
  user(
    @Root() row: ClientAuthorizationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }

  @FieldResolver(() => NarrowedInstallation, { nullable: true })
  installation(@Root() { narrowed }: ClientAuthorizationRow): ClientAuthorizationRow['narrowed'] {
    return narrowed;
  }
}

@Resolver(() => NarrowedInstallation)
export class NarrowedInstallationFields {
  @FieldResolver(() => Account)
  account(
    @Root() row: { ownerId: number },
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }
}
