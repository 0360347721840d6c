import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Account, Organization, User } from '../../../schema/hosting/account.ts';
import { App, AppConnection } from '../../../schema/hosting/app.ts';
import { Installation, InstallationConnection } from '../../../schema/hosting/installation.ts';
import { InstallationToken, TokenRepositoryConnection } from '../../../schema/hosting/installation-token.ts';
import { PermissionGrant } from '../../../schema/hosting/permission-map.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs, LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, pageOfCredential } from '../repositories/repositories.queries.ts';
import { type AppRow, appsByIds, type InstallationRow } from './apps.queries.ts';
import type { InstallationTokenRow } from './create-installation-token.ts';
import { appsOf, installationAt, installationsByIds, installationsOf } from './managed-apps.queries.ts';
import { grantsOf } from './permission-grants.ts';

function appConnection(context: Context, ownerId: number, args: ConnectionArgs): Connection<AppRow> {
  return new Connection(
    AppConnection,
    batchedList(context, 'RepositoryOwner.apps', {}, ownerId, appsOf(context)),
    args,
  );
}

@Resolver(() => User)
export class UserApps {
  @Access('tokens:write')
  @FieldResolver(() => AppConnection, {
    nullable: true,
    description: 'Apps that the user owns, by slug; none unless the user is you.',
  })
  apps(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AppRow> {
    return appConnection(context, databaseId, args);
  }
}

@Resolver(() => Organization)
export class OrganizationApps {
  @Access('tokens:write')
  @FieldResolver(() => AppConnection, {
    nullable: true,
    description: 'Apps that the organization owns, by slug; none unless you administer it.',
  })
  apps(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AppRow> {
    return appConnection(context, databaseId, args);
  }
}

@Resolver(() => App)
export class AppFields {
  @FieldResolver(() => [PermissionGrant])
  permissions(@Root() { permissions }: AppRow): PermissionGrant[] {
    return grantsOf(permissions);
  }

  @FieldResolver(() => Account, { description: 'Owner of the app.' })
  owner(@Root() row: AppRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => Uri, { description: 'Path of the page.' })
  resourcePath(@Root() { slug }: AppRow): string {
    return `/apps/${slug}`;
  }

  @FieldResolver(() => Installation, {
    nullable: true,
    description: 'Installation of the app; null where it has none with this global id that you can see.',
  })
  async installation(
    @Root() { databaseId }: AppRow,
    @Arg('id', () => ID, { description: 'Global id of the installation.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<InstallationRow | null> {
    const number = numberOfId('Installation', id, 'id');
    const found = await context.load(installationsByIds, selectionOf(info)).load(number);
    return found?.appId === databaseId ? found : null;
  }

  @FieldResolver(() => Installation, {
    nullable: true,
    description: 'Installation on an account, or one that reaches a repository; null where the app has none.',
  })
  async installationAt(
    @Root() { databaseId }: AppRow,
    @Arg('login', () => String, { description: 'Login of the account.' }) login: string,
    @Arg('repository', () => String, { nullable: true, description: 'Name of a repository of the account.' })
    repository: string | null | undefined,
    @Arg('isOrganization', () => Boolean, {
      nullable: true,
      description: 'Only on an organization, or only on a user.',
    })
    isOrganization: boolean | null | undefined,
    @Ctx() context: Context,
  ): Promise<InstallationRow | null> {
    // Others than the app see the installations that they manage.
    if (context.actor.kind !== 'app' || context.actor.appId !== databaseId) return null;
    const kind = isOrganization == null ? undefined : isOrganization ? 'organization' : 'user';
    return installationAt(context, databaseId, { login, repository: repository ?? undefined, kind });
  }

  @FieldResolver(() => InstallationConnection, {
    description: 'Installations, oldest first: all for the app itself, else those on accounts that you manage.',
  })
  installations(
    @Root() { databaseId }: AppRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<InstallationRow> {
    const list = batchedList(context, 'App.installations', {}, databaseId, installationsOf(context));
    return new Connection(InstallationConnection, list, args);
  }
}

@Resolver(() => Installation)
export class InstallationFields {
  @FieldResolver(() => [PermissionGrant])
  permissions(@Root() { permissions }: InstallationRow): PermissionGrant[] {
    return grantsOf(permissions);
  }

  @FieldResolver(() => GraphQLSafeInt, { description: 'Number of the app.' })
  appDatabaseId(@Root() { appId }: InstallationRow): number {
    return appId;
  }

  @FieldResolver(() => GraphQLSafeInt, { description: 'Number of the account on which the app is installed.' })
  accountDatabaseId(@Root() { accountId }: InstallationRow): number {
    return accountId;
  }

  @FieldResolver(() => Account, { description: 'Account on which the app is installed.' })
  account(
    @Root() row: InstallationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'Account that suspended it; null where it is not suspended.',
  })
  suspendedBy(
    @Root() row: InstallationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return row.suspendedById === null ? null : context.load(accountsByIds, selectionOf(info)).load(row.suspendedById);
  }

  @FieldResolver(() => App, { description: 'App that is installed.' })
  app(@Root() row: InstallationRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AppRow | null> {
    return context.load(appsByIds, selectionOf(info)).load(row.appId);
  }

  @FieldResolver(() => Uri, { description: 'Path of the page.' })
  resourcePath(@Root() row: InstallationRow): string {
    return `/settings/installations/${row.databaseId}`;
  }
}

@Resolver(() => InstallationToken)
export class InstallationTokenFields {
  @FieldResolver(() => [PermissionGrant])
  permissions(@Root() { permissions }: InstallationTokenRow): PermissionGrant[] {
    return grantsOf(permissions);
  }

  @FieldResolver(() => TokenRepositoryConnection, {
    nullable: true,
    description: 'Repositories that the token is restricted to; null for no restriction.',
  })
  repositories(
    @Root() { narrowedBy }: InstallationTokenRow,
    @Args(() => LongPageArgs) args: LongPageArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> | null {
    return narrowedBy === null
      ? null
      : new Connection(TokenRepositoryConnection, pageOfCredential(context, narrowedBy), args);
  }
}
