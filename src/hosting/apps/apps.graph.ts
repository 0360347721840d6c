import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { App } from '../../../schema/hosting/app.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { type IssuedPayload, issuedPayload } from '../credentials/credentials.graph.ts';
import { revokeInstallationToken } from '../credentials/revoke-token.ts';
import { type AppKeyRow, addAppKey, removeAppKey } from './add-app-key.ts';
import {
  AddAppKeyInput,
  AddAppKeyPayload,
  AuthorizeAppInput,
  AuthorizeAppPayload,
  CreateAppInput,
  CreateAppPayload,
  CreateInstallationTokenInput,
  CreateInstallationTokenPayload,
  CreateOauthAppInput,
  CreateOauthAppPayload,
  RemoveAppKeyInput,
  RemoveAppKeyPayload,
  ResetClientSecretInput,
  ResetClientSecretPayload,
  RevokeInstallationTokenInput,
  RevokeInstallationTokenPayload,
} from './app-inputs.ts';
import { type AppRow, appBySlug, appsByIds } from './apps.queries.ts';
import { authorizeApp } from './authorize-app.ts';
import { createApp } from './create-app.ts';
import { callingApp, createInstallationToken, type InstallationTokenRow } from './create-installation-token.ts';
import { createOauthApp } from './create-oauth-app.ts';
import { permissionsOf } from './permission-grants.ts';
import { resetClientSecret } from './reset-client-secret.ts';

interface ClientSecret {
  clientId: string;
  clientSecret: string;
}

/** Fields of an app that are resolved from its number alone. */
const fieldsOfNumber = new Set(['__typename', 'id', 'databaseId', 'webhook', 'installation', 'installations']);

const appNumber = (id: string): number => numberOfId('App', id, 'appId');
const ownerNumber = (id: string | null | undefined): number | undefined =>
  id == null ? undefined : numberOfId(['User', 'Organization'], id, 'ownerId');

@Resolver()
export class AppRoots {
  @Access('app')
  @Query(() => App, {
    nullable: true,
    description: "App that signed the request's token; null when it no longer exists.",
  })
  viewerApp(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AppRow | null> | Pick<AppRow, 'databaseId'> {
    const databaseId = callingApp(context.actor);
    const wanted = selectionOf(info);
    // Its webhook and its installations are read without a statement for the app.
    if ([...wanted.keys()].every(name => fieldsOfNumber.has(name))) return { databaseId };
    return context.load(appsByIds, wanted).load(databaseId);
  }

  @Access('public')
  @Query(() => App, { nullable: true, description: 'App by its slug; null when there is none.' })
  appBySlug(
    @Arg('slug', () => String, { description: 'Slug of the app, case-insensitive.' }) slug: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AppRow | null> {
    return appBySlug(context, slug, selectionOf(info));
  }

  @Access('app')
  @Mutation(() => CreateInstallationTokenPayload, {
    nullable: true,
    description: 'Creates a token for an installation of the calling app, valid for one hour.',
  })
  async createInstallationToken(
    @InputArg(() => CreateInstallationTokenInput) input: CreateInstallationTokenInput,
    @Ctx() context: Context,
  ): Promise<{ installationToken: InstallationTokenRow }> {
    const ids = input.repositoryIds?.map(id => numberOfId('Repository', id, 'repositoryIds'));
    const installationToken = await createInstallationToken(context, {
      installationId: numberOfId('Installation', input.installationId, 'installationId'),
      repositoryNames: input.repositoryNames,
      repositoryIds: ids ?? input.repositoryDatabaseIds,
      permissions: input.permissions && permissionsOf(input.permissions),
    });
    return { installationToken };
  }

  @Access('installation')
  @Mutation(() => RevokeInstallationTokenPayload, {
    nullable: true,
    description: 'Revokes the installation token of the request.',
  })
  async revokeInstallationToken(
    @InputArg(() => RevokeInstallationTokenInput) _input: RevokeInstallationTokenInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    return { deletedId: encodeGlobalId('Token', await revokeInstallationToken(context)) };
  }

  @Access('tokens:write')
  @Mutation(() => CreateAppPayload, { nullable: true, description: 'Creates an app.' })
  async createApp(
    @InputArg(() => CreateAppInput) input: CreateAppInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ app: AppRow | null; clientSecret: string }> {
    const { id, clientSecret } = await createApp(context, {
      ...input,
      permissions: permissionsOf(input.permissions),
      ownerId: ownerNumber(input.ownerId),
    });
    return { app: await context.load(appsByIds, selectionBelow(info, 'app')).load(id), clientSecret };
  }

  @Access('tokens:write')
  @Mutation(() => AddAppKeyPayload, {
    nullable: true,
    description: 'Adds a key to an app: the given public key, or a generated pair.',
  })
  async addAppKey(
    @InputArg(() => AddAppKeyInput) { appId, publicKey }: AddAppKeyInput,
    @Ctx() context: Context,
  ): Promise<{ appKey: AppKeyRow; privateKey: string | null }> {
    const { key, privateKey } = await addAppKey(context, { appId: appNumber(appId), publicKey });
    return { appKey: key, privateKey };
  }

  @Access('tokens:write')
  @Mutation(() => RemoveAppKeyPayload, { nullable: true, description: 'Deletes a key of an app.' })
  async removeAppKey(
    @InputArg(() => RemoveAppKeyInput) { appKeyId }: RemoveAppKeyInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await removeAppKey(context, numberOfId('AppKey', appKeyId, 'appKeyId'));
    return { deletedId: appKeyId };
  }

  @Access('tokens:write')
  @Mutation(() => CreateOauthAppPayload, { nullable: true, description: 'Creates an OAuth app.' })
  createOauthApp(
    @InputArg(() => CreateOauthAppInput) input: CreateOauthAppInput,
    @Ctx() context: Context,
  ): ReturnType<typeof createOauthApp> {
    return createOauthApp(context, { ...input, ownerId: ownerNumber(input.ownerId) });
  }

  @Access('tokens:write')
  @Mutation(() => ResetClientSecretPayload, {
    nullable: true,
    description: 'Replaces the client secret of an app or OAuth app.',
  })
  resetClientSecret(
    @InputArg(() => ResetClientSecretInput) { clientId }: ResetClientSecretInput,
    @Ctx() context: Context,
  ): Promise<ClientSecret> {
    return resetClientSecret(context, clientId);
  }

  @Access('tokens:write')
  @Mutation(() => AuthorizeAppPayload, {
    nullable: true,
    description: 'Authorizes an app to act for you, and returns its token.',
  })
  async authorizeApp(
    @InputArg(() => AuthorizeAppInput) { clientId, scopes }: AuthorizeAppInput,
    @Ctx() context: Context,
  ): Promise<IssuedPayload> {
    return issuedPayload(await authorizeApp(context, clientId, scopes ?? []));
  }
}
