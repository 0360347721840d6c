import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { App } from '../../../schema/hosting/app.ts';
import { IssuedToken } from '../../../schema/hosting/credential.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import {
  AddedAppKey,
  InstallationToken,
  RegisteredApp,
  RegisteredOauthApp,
} from '../../../schema/hosting/installation-token.ts';
import { type PermissionMap, Permissions } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import type { Issued } from '../credentials/create-token.ts';
import { revokeInstallationToken } from '../credentials/revoke-token.ts';
import { type AppKeyRow, addAppKey, removeAppKey } from './add-app-key.ts';
import { type AppRow, appById, type InstallationRow, installationOf } from './apps.queries.ts';
import { authorizeApp } from './authorize-app.ts';
import { createApp, type NewApp } from './create-app.ts';
import { callingApp, createInstallationToken, type InstallationTokenRow } from './create-installation-token.ts';
import { createOauthApp } from './create-oauth-app.ts';
import { installApp, setSuspended, uninstallApp } from './install-app.ts';
import { resetClientSecret } from './reset-client-secret.ts';

const id = (description: string) => Arg('id', () => GraphQLSafeInt, { description });
@ArgsType()
class NewAppArgs {
  @optionalField(() => String, 'Login of the organization that owns the app; the caller when null.')
  organization?: string | null;
  @Field(() => String, { description: 'Display name, 1 to 100 characters.' }) name!: string;
  @Field(() => String, { description: "URL of the app's website." }) externalUrl!: string;
  @optionalField(() => String, 'Description, at most 1,000 characters.') description?: string | null;
  @Field(() => Permissions, { description: 'Permissions that the app requests.' }) permissions!: PermissionMap;
  @optionalField(() => [String], 'Names of webhook events that the app subscribes to, at most 200; none when null.')
  events?: string[] | null;
}

@ArgsType()
class NewOauthAppArgs {
  @optionalField(() => String, 'Login of the organization that owns the app; the caller when null.')
  organization?: string | null;
  @Field(() => String, { description: 'Display name, at most 255 characters.' }) name!: string;
  @Field(() => String, { description: "URL of the app's website." }) url!: string;
  @Field(() => String, { description: 'URL that users return to after authorization.' }) callbackUrl!: string;
}

@ArgsType()
class InstallArgs {
  @Field(() => String, { description: 'Slug of the app.' }) slug!: string;
  @optionalField(() => String, 'Login of the account; the caller when null.') account?: string | null;
  @optionalField(() => [String], 'Names of repositories; all, including later ones, when null.') repositories?:
    | string[]
    | null;
}

@ArgsType()
class InstallationTokenArgs {
  @Field(() => GraphQLSafeInt, { description: 'Database id of the installation.' }) installationId!: number;
  @optionalField(
    () => [String],
    'Names of repositories that the token is restricted to, at most 500 with `repositoryIds`; all of the installation when null.',
  )
  repositories?: string[] | null;
  @optionalField(() => [GraphQLSafeInt], 'Database ids of repositories that the token is restricted to.')
  repositoryIds?: number[] | null;
  @optionalField(
    () => Permissions,
    'Permissions of the token, at most those of the installation; all of them when null.',
  )
  permissions?: PermissionMap | null;
}

/** All fields of an app: a new app is returned in full. */
const wholeApp = new Map(
  ['description', 'externalUrl', 'permissions', 'events', 'createdAt', 'updatedAt', 'installationsCount'].map(name => [
    name,
    new Map(),
  ]),
);

@Resolver()
export class AppRoots {
  @Access('app')
  @Query(() => App, {
    nullable: true,
    description: "App that signed the request's token; null when it no longer exists.",
  })
  authenticatedApp(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AppRow | null> {
    return appById(context, callingApp(context.actor), selectionOf(info));
  }

  @Access('app')
  @Query(() => Installation, {
    nullable: true,
    description: 'Installation of the calling app; null when there is none with this id.',
  })
  appInstallation(
    @id('Database id of the installation.') number: number,
    @Ctx() context: Context,
  ): Promise<InstallationRow | null> {
    return installationOf(context, callingApp(context.actor), number);
  }

  @Access('app')
  @Mutation(() => InstallationToken, {
    description: 'Creates a token for an installation of the calling app, valid for one hour.',
  })
  createInstallationToken(
    @Args(() => InstallationTokenArgs) args: InstallationTokenArgs,
    @Ctx() context: Context,
  ): Promise<InstallationTokenRow> {
    return createInstallationToken(context, args);
  }

  @Access('installation')
  @Mutation(() => Boolean, { description: 'Revokes the installation token of the request.' })
  async revokeInstallationToken(@Ctx() context: Context): Promise<boolean> {
    await revokeInstallationToken(context);
    return true;
  }

  @Access('tokens:write')
  @Mutation(() => RegisteredApp, { description: 'Registers an app.' })
  async createApp(
    @Args(() => NewAppArgs) args: NewApp & NewAppArgs,
    @Ctx() context: Context,
  ): Promise<{ app: AppRow | null; clientSecret: string }> {
    const { id: number, clientSecret } = await createApp(context, args);
    return { app: await appById(context, number, wholeApp), clientSecret };
  }

  @Access('tokens:write')
  @Mutation(() => AddedAppKey, { description: 'Adds a key to an app: the given public key, or a generated pair.' })
  addAppKey(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Database id of the app.' }) appId: number,
    @Arg('publicKey', () => String, {
      nullable: true,
      description: 'RSA public key of at least 2,048 bits in PEM; a pair is generated when null.',
    })
    publicKey: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<{ key: AppKeyRow; privateKey: string | null }> {
    return addAppKey(context, { appId, publicKey });
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, { description: 'Deletes a key of an app.' })
  async removeAppKey(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Database id of the app.' }) appId: number,
    @id('Database id of the key.') key: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeAppKey(context, appId, key);
    return true;
  }

  @Access('tokens:write')
  @Mutation(() => RegisteredOauthApp, { description: 'Registers an OAuth app.' })
  createOauthApp(
    @Args(() => NewOauthAppArgs) args: NewOauthAppArgs,
    @Ctx() context: Context,
  ): Promise<{ clientId: string; clientSecret: string }> {
    return createOauthApp(context, args);
  }

  @Access('tokens:write')
  @Mutation(() => RegisteredOauthApp, { description: 'Replaces the client secret of an app or OAuth app.' })
  resetClientSecret(
    @Arg('clientId', () => String, { description: 'Client id of the app.' }) clientId: string,
    @Ctx() context: Context,
  ): Promise<{ clientId: string; clientSecret: string }> {
    return resetClientSecret(context, clientId);
  }

  @Access('tokens:write')
  @Mutation(() => IssuedToken, { description: 'Authorizes an app to act for the caller, and returns its token.' })
  authorizeApp(
    @Arg('clientId', () => String, { description: 'Client id of the app.' }) clientId: string,
    @Arg('scopes', () => [String], { defaultValue: [], description: 'Scopes for an OAuth app; ignored for others.' })
    scopes: string[],
    @Ctx() context: Context,
  ): Promise<Issued> {
    return authorizeApp(context, clientId, scopes);
  }

  @Access('tokens:write')
  @Mutation(() => Installation, {
    description: 'Installs an app on an account, or changes the repositories of an installation.',
  })
  installApp(@Args(() => InstallArgs) args: InstallArgs, @Ctx() context: Context): Promise<InstallationRow> {
    return installApp(context, args);
  }

  @Access('tokens:write')
  @Mutation(() => Installation, { description: 'Suspends or unsuspends an installation.' })
  suspendInstallation(
    @id('Database id of the installation.') number: number,
    @Arg('suspended', () => Boolean, { description: 'Whether the installation is suspended.' }) suspended: boolean,
    @Ctx() context: Context,
  ): Promise<InstallationRow> {
    return setSuspended(context, number, suspended);
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, { description: 'Uninstalls an app from an account and ends its tokens there.' })
  async uninstallApp(
    @id('Database id of the installation.') number: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await uninstallApp(context, number);
    return true;
  }
}
