import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { App } from '../../../schema/hosting/app.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import { InstallationToken } from '../../../schema/hosting/installation-token.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesOfCredential } from '../repositories/repositories.queries.ts';
import { type AppRow, appById, type InstallationRow } from './apps.queries.ts';
import type { InstallationTokenRow } from './create-installation-token.ts';

@Resolver(() => App)
export class AppFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId }: AppRow): string {
    return encodeGlobalId('App', databaseId);
  }

  @FieldResolver(() => Account, { description: 'Owner of the app.' })
  owner(@Root() row: AppRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => String, { description: "URL of the app's page." })
  webUrl(@Root() { slug }: AppRow, @Ctx() { origin }: Context): string {
    return `${origin}/apps/${slug}`;
  }
}

@Resolver(() => Installation)
export class InstallationFields {
  @FieldResolver(() => Account, { description: 'Account on which the app is installed.' })
  account(
    @Root() row: InstallationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }

  @FieldResolver(() => App, { description: 'Installed app.' })
  app(@Root() row: InstallationRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AppRow | null> {
    return appById(context, row.appId, selectionOf(info));
  }

  @FieldResolver(() => String, { description: "URL of the installation's page." })
  webUrl(@Root() row: InstallationRow, @Ctx() { origin }: Context): string {
    return `${origin}/settings/installations/${row.databaseId}`;
  }
}

@Resolver(() => InstallationToken)
export class InstallationTokenFields {
  @FieldResolver(() => [Repository], { nullable: true })
  repositories(
    @Root() row: InstallationTokenRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow[]> | null {
    return row.narrowedBy === null ? null : repositoriesOfCredential(context, row.narrowedBy, selectionOf(info));
  }
}
