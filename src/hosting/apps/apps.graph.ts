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
const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@ArgsType()
class NewAppArgs {
  @optionalField(() => String, 'Login of an organization that shall own it; the caller when left out.')
  organization?: string | null;
  @Field(() => String, { description: 'Name for people.' }) name!: string;
  @Field(() => String, { description: 'Its own page.' }) externalUrl!: string;
  @optionalField(() => String, 'What it does.') description?: string | null;
  @Field(() => Permissions, { description: 'What it asks for.' }) permissions!: PermissionMap;
  @optionalField(() => [String], 'What it wants to be told.') events?: string[] | null;
}

@ArgsType()
class NewOauthAppArgs {
  @optionalField(() => String, 'Login of an organization that shall own it; the caller when left out.')
  organization?: string | null;
  @Field(() => String, { description: 'Name for people.' }) name!: string;
  @Field(() => String, { description: 'Its own page.' }) url!: string;
  @Field(() => String, { description: 'Where users come back to.' }) callbackUrl!: string;
}

@ArgsType()
class InstallArgs {
  @Field(() => String, { description: 'The name of the app in addresses.' }) slug!: string;
  @optionalField(() => String, 'Login of the account; the caller when left out.') account?: string | null;
  @optionalField(() => [String], 'Names of repositories; all of them when left out.') repositories?: string[] | null;
}

@ArgsType()
class InstallationTokenArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the installation.' }) installationId!: number;
  @optionalField(() => [String], 'Names of the repositories it shall be for, at most 500.') repositories?:
    | string[]
    | null;
  @optionalField(() => [GraphQLSafeInt], 'Numbers of such repositories.') repositoryIds?: number[] | null;
  @optionalField(() => Permissions, 'What it shall be good for, within what the installation was given.')
  permissions?: PermissionMap | null;
}

/** Every field of an app: what was made is shown whole, and once. */
const wholeApp = new Map(
  ['description', 'externalUrl', 'permissions', 'events', 'createdAt', 'updatedAt', 'installationsCount'].map(name => [
    name,
    new Map(),
  ]),
);

@Resolver()
export class AppRoots {
  @Access('app')
  @Query(() => App, { nullable: true, description: 'The app that the token was signed by.' })
  authenticatedApp(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AppRow | null> {
    return appById(context, callingApp(context.actor), selectionOf(info));
  }

  @Access('app')
  @Query(() => Installation, { nullable: true, description: 'An installation of the calling app.' })
  appInstallation(
    @id('Number of the installation.') number: number,
    @Ctx() context: Context,
  ): Promise<InstallationRow | null> {
    return installationOf(context, callingApp(context.actor), number);
  }

  @Access('app')
  @Mutation(() => InstallationToken, { description: 'Makes a token for an installation of the calling app.' })
  createInstallationToken(
    @Args(() => InstallationTokenArgs) args: InstallationTokenArgs,
    @Ctx() context: Context,
  ): Promise<InstallationTokenRow> {
    return createInstallationToken(context, args);
  }

  @Access('installation')
  @Mutation(() => Boolean, { description: 'Takes back the token of an installation that it is called with.' })
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
  @Mutation(() => AddedAppKey, { description: 'Gives an app a key: the public one that is sent, else a new pair.' })
  addAppKey(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Number of the app.' }) appId: number,
    @Arg('publicKey', () => String, { nullable: true, description: 'RSA, at least 2048 bits, PEM.' })
    publicKey: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<{ key: AppKeyRow; privateKey: string | null }> {
    return addAppKey(context, { appId, publicKey });
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, { description: 'Takes a key from an app.' })
  async removeAppKey(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Number of the app.' }) appId: number,
    @id('Number of the key.') key: number,
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
  @Mutation(() => RegisteredOauthApp, { description: 'Puts a new secret in the place of that of an app or OAuth app.' })
  resetClientSecret(
    @Arg('clientId', () => String, { description: 'Client id of the app.' }) clientId: string,
    @Ctx() context: Context,
  ): Promise<{ clientId: string; clientSecret: string }> {
    return resetClientSecret(context, clientId);
  }

  @Access('tokens:write')
  @Mutation(() => IssuedToken, { description: 'Lets an app act for the caller, and gives the token it does so with.' })
  authorizeApp(
    @Arg('clientId', () => String, { description: 'Client id of the app.' }) clientId: string,
    @Arg('scopes', () => [String], { defaultValue: [], description: 'Of an OAuth app: what it may do.' })
    scopes: string[],
    @Ctx() context: Context,
  ): Promise<Issued> {
    return authorizeApp(context, clientId, scopes);
  }

  @Access('tokens:write')
  @Mutation(() => Installation, {
    description: 'Lets an app into an account, or changes into which of its repositories.',
  })
  installApp(@Args(() => InstallArgs) args: InstallArgs, @Ctx() context: Context): Promise<InstallationRow> {
    return installApp(context, args);
  }

  @Access('tokens:write')
  @Mutation(() => Installation, { description: 'Keeps an app out of an account, or lets it in again.' })
  suspendInstallation(
    @id('Number of the installation.') number: number,
    @Arg('suspended', () => Boolean, { description: 'Whether it is kept out.' }) suspended: boolean,
    @Ctx() context: Context,
  ): Promise<InstallationRow> {
    return setSuspended(context, number, suspended);
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, { description: 'Takes an app out of an account, with its tokens there.' })
  async uninstallApp(@id('Number of the installation.') number: number, @Ctx() context: Context): Promise<boolean> {
    await uninstallApp(context, number);
    return true;
  }
}
