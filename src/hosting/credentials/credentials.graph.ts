import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { HostCredential } from '../../../schema/hosting/credential.ts';
import { PermissionGrantInput } from '../../../schema/hosting/permission-map.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionBelow } from '../../db/selection.ts';
import { requireAccount } from '../accounts/accounts.graph.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { permissionsOf } from '../apps/permission-grants.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { authorizeForSso } from './authorize-for-sso.ts';
import { createClassicToken, createFineGrainedToken, type Issued } from './create-token.ts';
import { createWorkflowToken } from './create-workflow-token.ts';
import type { CredentialRow } from './insert-credential.ts';
import { revokeToken } from './revoke-token.ts';

@InputType({ description: 'Input of `createClassicToken`.' })
class CreateClassicTokenInput {
  @Field(() => String, { description: 'Note, 1 to 200 characters.' }) note!: string;
  @Field(() => [String], { description: 'Scopes of the token.' }) scopes!: string[];
  @optionalField(() => DateTime, 'Time of expiry; never by default.') expiresAt?: Date | null;
}

@InputType({ description: 'Input of `createFineGrainedToken`.' })
class CreateFineGrainedTokenInput {
  @Field(() => String, { description: 'Note, 1 to 200 characters.' }) note!: string;
  @Field(() => [PermissionGrantInput], { description: 'Permissions of the token.' })
  permissions!: PermissionGrantInput[];
  @optionalField(() => DateTime, 'Time of expiry; never by default.') expiresAt?: Date | null;
  @optionalField(() => ID, 'User or organization whose repositories the token covers; you by default.')
  resourceOwnerId?: string | null;
  @optionalField(() => [ID], 'Repositories of that owner; all, including later ones, by default.')
  repositoryIds?: string[] | null;
}

@InputType({ description: 'Input of `createWorkflowToken`.' })
class CreateWorkflowTokenInput {
  @Field(() => RepositoryRef, { description: 'Repository of the workflow.' }) repository!: RepositoryRef;
  @Field(() => [PermissionGrantInput], { description: 'Permissions of the token.' })
  permissions!: PermissionGrantInput[];
}

@InputType({ description: 'Input of `revokeToken`.' })
class RevokeTokenInput {
  @Field(() => ID, { description: 'Token to revoke, one of `User.tokens`.' }) tokenId!: string;
}

@InputType({ description: 'Input of `authorizeTokenForSso`: organization and token, or the request.' })
class AuthorizeTokenForSsoInput {
  @optionalField(() => ID, 'Organization; with `tokenId`.') organizationId?: string | null;
  @optionalField(() => ID, 'Classic token; with `organizationId`.') tokenId?: string | null;
  @optionalField(() => String, 'Parameter `authorization_request` of the link in the response header; replaces both.')
  request?: string | null;
}

/** Fields of the payload of a new token. */
export const issuedToken = (description: string) =>
  ({
    token: [() => HostCredential, description],
    secret: [() => String, 'Secret for the Authorization header, shown only here.'],
  }) as const;

const CreateClassicTokenPayload = payloadOf('createClassicToken', issuedToken('Classic token that was created.'));
const CreateFineGrainedTokenPayload = payloadOf(
  'createFineGrainedToken',
  issuedToken('Fine-grained token that was created.'),
);
const CreateWorkflowTokenPayload = payloadOf('createWorkflowToken', issuedToken('Workflow token that was created.'));
const RevokeTokenPayload = payloadOf('revokeToken', { deletedId: [() => ID, 'Global id of the revoked token.'] });
const AuthorizeTokenForSsoPayload = payloadOf('authorizeTokenForSso', {
  organization: [() => Organization, 'Organization that the token is authorized for.'],
});

export interface IssuedPayload {
  token: CredentialRow;
  secret: string;
}

export const issuedPayload = ({ token, credential }: Issued): IssuedPayload => ({ token: credential, secret: token });

@Resolver()
export class CredentialRoots {
  @Access('tokens:write')
  @Mutation(() => CreateClassicTokenPayload, { nullable: true, description: 'Creates a classic token of yours.' })
  async createClassicToken(
    @InputArg(() => CreateClassicTokenInput) input: CreateClassicTokenInput,
    @Ctx() context: Context,
  ): Promise<IssuedPayload> {
    return issuedPayload(await createClassicToken(context, input));
  }

  @Access('tokens:write')
  @Mutation(() => CreateFineGrainedTokenPayload, {
    nullable: true,
    description: 'Creates a fine-grained token of yours.',
  })
  async createFineGrainedToken(
    @InputArg(() => CreateFineGrainedTokenInput) input: CreateFineGrainedTokenInput,
    @Ctx() context: Context,
  ): Promise<IssuedPayload> {
    const { note, permissions, expiresAt, resourceOwnerId } = input;
    const issued = await createFineGrainedToken(context, {
      note,
      permissions: permissionsOf(permissions),
      expiresAt,
      resourceOwnerId: optionalNumber(['User', 'Organization'], resourceOwnerId, 'resourceOwnerId'),
      repositoryIds: input.repositoryIds?.map(id => numberOfId('Repository', id, 'repositoryIds')),
    });
    return issuedPayload(issued);
  }

  @Access('tokens:write')
  @Mutation(() => RevokeTokenPayload, {
    nullable: true,
    description: 'Revokes a token that `User.tokens` lists, and those created with it.',
  })
  async revokeToken(
    @InputArg(() => RevokeTokenInput) { tokenId }: RevokeTokenInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await revokeToken(context, numberOfId('Token', tokenId, 'tokenId'));
    return { deletedId: tokenId };
  }

  @Access('user')
  @Mutation(() => AuthorizeTokenForSsoPayload, {
    nullable: true,
    description: 'Authorizes a classic token for an organization that enforces single sign-on.',
  })
  async authorizeTokenForSso(
    @InputArg(() => AuthorizeTokenForSsoInput) input: AuthorizeTokenForSsoInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ organization: AccountRow }> {
    const id = await authorizeForSso(context, {
      organizationId: optionalNumber('Organization', input.organizationId, 'organizationId'),
      tokenId: optionalNumber('Token', input.tokenId, 'tokenId'),
      request: input.request,
    });
    return { organization: await requireAccount(context, id, selectionBelow(info, 'organization')) };
  }

  @Access('administration:write')
  @Mutation(() => CreateWorkflowTokenPayload, {
    nullable: true,
    description: 'Creates the token of a workflow run, valid for 24 hours.',
  })
  async createWorkflowToken(
    @InputArg(() => CreateWorkflowTokenInput) { repository, permissions }: CreateWorkflowTokenInput,
    @Ctx() context: Context,
  ): Promise<IssuedPayload> {
    return issuedPayload(await createWorkflowToken(context, addressOfRef(repository), permissionsOf(permissions)));
  }
}

function optionalNumber(
  types: string | readonly string[],
  id: string | null | undefined,
  field: string,
): number | undefined {
  return id == null ? undefined : numberOfId(types, id, field);
}
