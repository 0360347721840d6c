import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { ClientAuthorization, NarrowedInstallation } from '../../../schema/hosting/client-authorization.ts';
import { type PermissionMap, Permissions } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
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

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@ArgsType()
class ClientTokenArgs {
  @Field(() => String, { description: 'Client id of the calling app.' }) clientId!: string;
  @Field(() => String, { description: 'A token of the app for a user.' }) accessToken!: string;
}

@ArgsType()
class ScopeArgs extends ClientTokenArgs {
  @optionalField(() => String, 'Login of the account it shall be for.') target?: string | null;
  @optionalField(() => GraphQLSafeInt, 'Number of that account, in place of the login.') targetId?: number | null;
  @optionalField(() => [String], 'Names of the repositories it shall be for.') repositories?: string[] | null;
  @optionalField(() => [GraphQLSafeInt], 'Numbers of them, in place of the names.') repositoryIds?: number[] | null;
  @optionalField(() => Permissions, 'What it shall be good for.') permissions?: PermissionMap | null;
}

@Resolver()
export class ClientTokenRoots {
  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Looks at a token of the calling app. It changes nothing.' })
  checkClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<ClientAuthorizationRow> {
    return requireClientToken(context, args.clientId, args.accessToken);
  }

  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Puts a new secret in the place of the one of a token.' })
  resetClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<ClientAuthorizationRow> {
    return resetClientToken(context, args.clientId, args.accessToken);
  }

  @Access('oauth-app')
  @Mutation(() => Boolean, { description: 'Takes a token of the calling app back.' })
  async deleteClientToken(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteClientToken(context, args.clientId, args.accessToken);
    return true;
  }

  @Access('oauth-app')
  @Mutation(() => Boolean, { description: 'Takes every token of the calling app for the same user back.' })
  async deleteClientGrant(
    @Args(() => ClientTokenArgs) args: ClientTokenArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteClientGrant(context, args.clientId, args.accessToken);
    return true;
  }

  @Access('oauth-app')
  @Mutation(() => ClientAuthorization, { description: 'Makes a second token that is good for one account alone.' })
  scopeClientToken(@Args(() => ScopeArgs) args: ScopeArgs, @Ctx() context: Context): Promise<ClientAuthorizationRow> {
    return scopeClientToken(context, args);
  }
}

@Resolver(() => ClientAuthorization)
export class ClientAuthorizationFields {
  @FieldResolver(() => Account, { nullable: true })
  user(
    @Root() row: ClientAuthorizationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }

  @FieldResolver(() => NarrowedInstallation, { nullable: true })
  installation(@Root() { narrowed }: ClientAuthorizationRow): object | null {
    return (
      narrowed && {
        ownerId: narrowed.ownerId,
        permissions: narrowed.permissions,
        repositorySelection: narrowed.selection,
      }
    );
  }

  @FieldResolver(() => String, { description: 'Its address.' })
  url(@Root() row: ClientAuthorizationRow, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/authorizations/${row.databaseId}`;
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
