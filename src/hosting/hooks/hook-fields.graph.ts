import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Hook, HookConnection } from '../../../schema/hosting/hook.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { WebhookDelivery, WebhookDeliveryConnection, WebhookDeliveryList } from '../../../schema/hosting/webhook.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import type { KeysetConnection } from '../../db/keyset-connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { DeliveriesArgs, DeliveryListArgs } from '../webhooks/deliveries.args.ts';
import type { DeliveryPage, DeliveryRow } from '../webhooks/deliveries.queries.ts';
import { deliveriesOfReceiver, deliveryListOfReceiver, deliveryOfReceiver } from '../webhooks/receiver-deliveries.ts';
import { hookedOrganizations, hookedRepositories } from './hook-source.ts';
import { type HookRow, hooksOf } from './hooks.queries.ts';

@Resolver(() => Repository)
export class RepositoryHooks {
  @Cost(2)
  @FieldResolver(() => HookConnection, {
    nullable: true,
    description: 'Webhooks of the repository, oldest first; null unless you administer it and may read them.',
  })
  async hooks(
    @Root() { databaseId }: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<HookRow> | null> {
    if (checkHostingScope('hooks:read', context.actor) !== true) return null;
    const mayRead = await context.load(hookedRepositories, noSelection).load(databaseId);
    if (!mayRead) return null;
    return hooksOf(context, { kind: 'repository', id: databaseId }, args);
  }
}

@Resolver(() => Organization)
export class OrganizationHooks {
  @Cost(2)
  @FieldResolver(() => HookConnection, {
    nullable: true,
    description: 'Webhooks of the organization, oldest first; null unless you administer it and may read them.',
  })
  async hooks(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<HookRow> | null> {
    const mayRead = await context.load(hookedOrganizations, noSelection).load(databaseId);
    if (!mayRead) return null;
    return hooksOf(context, { kind: 'organization', id: databaseId }, args);
  }
}

/** No access scopes of their own: whoever has a hook may read it. */
@Resolver(() => Hook)
export class HookFields {
  @FieldResolver(() => Repository, { nullable: true, description: 'Repository that it belongs to; null for none.' })
  repository(
    @Root() { repositoryId }: HookRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return repositoryId === null ? null : context.load(repositoriesByIds, selectionOf(info)).load(repositoryId);
  }

  @FieldResolver(() => Organization, { nullable: true, description: 'Organization that it belongs to; null for none.' })
  organization(
    @Root() { organizationId }: HookRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return organizationId === null ? null : context.load(accountsByIds, selectionOf(info)).load(organizationId);
  }

  @FieldResolver(() => WebhookDeliveryConnection, { description: 'Deliveries of the last 30 days, newest first.' })
  deliveries(
    @Root() { databaseId }: HookRow,
    @Args(() => DeliveriesArgs) args: DeliveriesArgs,
    @Ctx() context: Context,
  ): KeysetConnection<DeliveryRow> {
    return deliveriesOfReceiver(context, { hookId: databaseId }, 'Hook.deliveries', args);
  }

  @RestOnly()
  @FieldResolver(() => WebhookDeliveryList, { description: 'Deliveries of the last 30 days, newest first.' })
  deliveryList(
    @Root() { databaseId: hookId }: HookRow,
    @Args(() => DeliveryListArgs) args: DeliveryListArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryPage> {
    return deliveryListOfReceiver(context, { hookId }, args, info);
  }

  @FieldResolver(() => WebhookDelivery, {
    nullable: true,
    description: 'Delivery with this global id; null when the hook has none.',
  })
  delivery(
    @Root() { databaseId }: HookRow,
    @Arg('id', () => ID, { description: 'Global id of the delivery.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryRow | null> {
    return deliveryOfReceiver(context, { hookId: databaseId }, id, info);
  }
}
