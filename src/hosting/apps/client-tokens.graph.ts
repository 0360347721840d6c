import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { ClientAuthorization, NarrowedInstallation } from '../../../schema/hosting/client-authorization.ts';
import { PermissionGrant, PermissionGrantInput, type PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import {
  type ClientAuthorizationRow,
  deleteClientGrant,
  deleteClientToken,
  requireClientToken,
  resetClientToken,
} from './client-tokens.ts';
import { grantsOf, permissionsOf } from './permission-grants.ts';
import { scopeClientToken } from './scope-client-token.ts';

@InputType()
class ClientTokenFields {
  @Field(() => String, { description: 'Client id of the calling app.' }) clientId!: string;
  @Field(() => String, { description: 'User token of the app.' }) secret!: string;
}

@InputType({ description: 'Input of `checkClientToken`.' })
class CheckClientTokenInput extends ClientTokenFields {}

@InputType({ description: 'Input of `resetClientToken`.' })
class ResetClientTokenInput extends ClientTokenFields {}

@InputType({ description: 'Input of `deleteClientToken`.' })
class DeleteClientTokenInput extends ClientTokenFields {}

@InputType({ description: 'Input of `deleteClientGrant`.' })
class DeleteClientGrantInput extends ClientTokenFields {}

@InputType({ description: 'Input of `scopeClientToken`.' })
class ScopeClientTokenInput extends ClientTokenFields {
  @optionalField(() => ID, 'User or organization that the token is restricted to.') targetId?: string | null;
  @optionalField(() => String, 'Login of the account that the token is restricted to; exclusive with its number.')
  targetLogin?: string | null;
  @optionalField(() => GraphQLSafeInt, 'Number of that account.')
  targetDatabaseId?: number | null;
  @optionalField(() => [ID], 'Repositories that the token is restricted to, at most 500; all by default.')
  repositoryIds?: string[] | null;
  @optionalField(() => [String], 'Names of repositories that the token is restricted to; exclusive with the numbers.')
  repositoryNames?: string[] | null;
  @optionalField(() => [GraphQLSafeInt], 'Numbers of repositories that the token is restricted to.')
  repositoryDatabaseIds?: number[] | null;
  @optionalField(
    () => [PermissionGrantInput],
    'Permissions of the token: those of the installation, or fewer; all by default.',
  )
  permissions?: PermissionGrantInput[] | null;
}

const authorization = (description: string) => ({ authorization: [() => ClientAuthorization, description] }) as const;
const CheckClientTokenPayload = payloadOf('checkClientToken', authorization('Token with this secret, which is valid.'));
const ResetClientTokenPayload = payloadOf('resetClientToken', authorization('Token with its new secret.'));
const ScopeClientTokenPayload = payloadOf(
  'scopeClientToken',
  authorization('New token with the narrower scope, and its secret.'),
);
const DeleteClientTokenPayload = payloadOf('deleteClientToken', {
  deletedId: [() => ID, 'Global id of the revoked token.'],
});
const DeleteClientGrantPayload = payloadOf('deleteClientGrant', {
  user: [() => User, 'User whose tokens of the app were revoked.'],
});

interface AuthorizationPayload {
  authorization: ClientAuthorizationRow;
}

@Resolver()
export class ClientTokenRoots {
  @Access('oauth-app')
  @Mutation(() => CheckClientTokenPayload, {
    nullable: true,
    description: 'Checks a token of the calling app. Changes nothing.',
  })
  async checkClientToken(
    @InputArg(() => CheckClientTokenInput) { clientId, secret }: CheckClientTokenInput,
    @Ctx() context: Context,
  ): Promise<AuthorizationPayload> {
    return { authorization: await requireClientToken(context, clientId, secret) };
  }

  @Access('oauth-app')
  @Mutation(() => ResetClientTokenPayload, {
    nullable: true,
    description: 'Replaces the secret of a token of the calling app.',
  })
  async resetClientToken(
    @InputArg(() => ResetClientTokenInput) { clientId, secret }: ResetClientTokenInput,
    @Ctx() context: Context,
  ): Promise<AuthorizationPayload> {
    return { authorization: await resetClientToken(context, clientId, secret) };
  }

  @Access('oauth-app')
  @Mutation(() => DeleteClientTokenPayload, { nullable: true, description: 'Revokes a token of the calling app.' })
  async deleteClientToken(
    @InputArg(() => DeleteClientTokenInput) { clientId, secret }: DeleteClientTokenInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    return { deletedId: encodeGlobalId('Token', await deleteClientToken(context, clientId, secret)) };
  }

  @Access('oauth-app')
  @Mutation(() => DeleteClientGrantPayload, {
    nullable: true,
    description: "Revokes all tokens of the calling app for the token's user.",
  })
  async deleteClientGrant(
    @InputArg(() => DeleteClientGrantInput) { clientId, secret }: DeleteClientGrantInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ user: AccountRow | null }> {
    const userId = await deleteClientGrant(context, clientId, secret);
    const wanted = selectionOf(info).get('user');
    return { user: wanted ? await context.load(accountsByIds, wanted).load(userId) : null };
  }

  @Access('oauth-app')
  @Mutation(() => ScopeClientTokenPayload, {
    nullable: true,
    description: 'Creates a second token that is restricted to one account.',
  })
  async scopeClientToken(
    @InputArg(() => ScopeClientTokenInput) input: ScopeClientTokenInput,
    @Ctx() context: Context,
  ): Promise<AuthorizationPayload> {
    const { targetId, repositoryIds, targetDatabaseId, repositoryDatabaseIds, permissions, ...given } = input;
    const authorization = await scopeClientToken(context, {
      ...given,
      permissions: permissions && permissionsOf(permissions),
      targetId: targetId == null ? targetDatabaseId : numberOfId(['User', 'Organization'], targetId, 'targetId'),
      repositoryIds: repositoryIds?.map(id => numberOfId('Repository', id, 'repositoryIds')) ?? repositoryDatabaseIds,
    });
    return { authorization };
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
  @FieldResolver(() => [PermissionGrant])
  permissions(@Root() { permissions }: { permissions: PermissionMap }): PermissionGrant[] {
    return grantsOf(permissions);
  }

  @FieldResolver(() => Account)
  account(
    @Root() row: { ownerId: number },
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }
}
