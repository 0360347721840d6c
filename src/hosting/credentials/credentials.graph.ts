import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { HostCredential, IssuedToken } from '../../../schema/hosting/credential.ts';
import { type PermissionMap, Permissions } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { authorizeForSso } from './authorize-for-sso.ts';
import { createClassicToken, createFineGrainedToken, type Issued } from './create-token.ts';
import { createWorkflowToken } from './create-workflow-token.ts';
import { credentialsOf } from './credentials.queries.ts';
import type { CredentialRow } from './insert-credential.ts';
import { revokeToken } from './revoke-token.ts';

@ArgsType()
class TokenArgs {
  @Field(() => String, { description: 'Display name, 1 to 200 characters.' }) note!: string;
  @Field(() => DateTime, { nullable: true, description: 'Expiry; never when null.' })
  expiresAt?: Date | null;
}

@ArgsType()
class ClassicTokenArgs extends TokenArgs {
  @Field(() => [String], { description: 'Scopes of the token.' }) scopes!: string[];
}

@ArgsType()
class FineGrainedTokenArgs extends TokenArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Login of the account whose repositories the token covers; the caller when null.',
  })
  resourceOwner?: string | null;

  @Field(() => Permissions, { description: 'Permissions of the token.' }) permissions!: PermissionMap;

  @Field(() => [String], {
    nullable: true,
    description: 'Names of repositories of that account; all, including later ones, when null.',
  })
  repositories?: string[] | null;
}

@ArgsType()
class SsoArgs {
  @Field(() => String, { nullable: true, description: 'Login of the organization; with `tokenId`.' })
  organization?: string | null;
  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Database id of the token; with `organization`.' })
  tokenId?: number | null;
  @Field(() => String, {
    nullable: true,
    description: 'Parameter `authorization_request` of the link in the response header; replaces both.',
  })
  request?: string | null;
}

@Resolver()
export class CredentialRoots {
  @Access('tokens:write')
  @Query(() => [HostCredential], {
    description:
      'Credentials that act for the caller, were created with those, or work in what the caller owns or administers; newest first, at most 1,000.',
  })
  viewerTokens(
    @Arg('before', () => GraphQLSafeInt, {
      nullable: true,
      description: 'Database id of a credential; only older ones are listed. The newest when null.',
    })
    before: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<CredentialRow[]> {
    return credentialsOf(context, callingUser(context.actor), before);
  }

  @Access('tokens:write')
  @Mutation(() => IssuedToken, { description: 'Creates a classic token for the caller.' })
  createClassicToken(@Args(() => ClassicTokenArgs) args: ClassicTokenArgs, @Ctx() context: Context): Promise<Issued> {
    return createClassicToken(context, args);
  }

  @Access('tokens:write')
  @Mutation(() => IssuedToken, { description: 'Creates a fine-grained token for the caller.' })
  createFineGrainedToken(
    @Args(() => FineGrainedTokenArgs) args: FineGrainedTokenArgs,
    @Ctx() context: Context,
  ): Promise<Issued> {
    return createFineGrainedToken(context, args);
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, {
    description: 'Revokes a token that `viewerTokens` lists, and those created with it.',
  })
  async revokeToken(
    @Arg('id', () => GraphQLSafeInt, { description: 'Database id of the token.' }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await revokeToken(context, id);
    return true;
  }

  @Access('user')
  @Mutation(() => Boolean, {
    description: 'Authorizes a classic token for an organization that enforces single sign-on.',
  })
  async authorizeTokenForSso(@Args(() => SsoArgs) args: SsoArgs, @Ctx() context: Context): Promise<boolean> {
    await authorizeForSso(context, args);
    return true;
  }

  @Access('administration:write')
  @Mutation(() => IssuedToken, { description: 'Creates the token of a workflow run, valid for 24 hours.' })
  createWorkflowToken(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('permissions', () => Permissions, { description: 'Permissions of the token.' }) permissions: PermissionMap,
    @Ctx() context: Context,
  ): Promise<Issued> {
    return createWorkflowToken(context, repository, permissions);
  }
}
