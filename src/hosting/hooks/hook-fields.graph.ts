import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Hook, HookConnection } from '../../../schema/hosting/hook.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { WebhookDelivery, WebhookDeliveryConnection } from '../../../schema/hosting/webhook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import type { Connection } from '../../db/connection.ts';
import type { KeysetConnection } from '../../db/keyset-connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds, mayReadField } from '../accounts/accounts.queries.ts';
import {
  mayReadField as mayReadRepositoryField,
  type OwnedRow,
  repositoriesByIds,
} from '../repositories/repositories.queries.ts';
import { DeliveriesArgs } from '../webhooks/deliveries.args.ts';
import type { DeliveryRow } from '../webhooks/deliveries.queries.ts';
import { deliveriesOfReceiver, deliveryOfReceiver } from '../webhooks/receiver-deliveries.ts';
import { type HookRow, hookOf, hooksOf } from './hooks.queries.ts';

const hookId = () => Arg('id', () => ID, { description: 'Global id of the hook.' });

@Resolver(() => Repository)
export class RepositoryHooks {
  @Access('hooks:read')
  @FieldResolver(() => HookConnection, {
    nullable: true,
    description: 'Webhooks of the repository, oldest first; null unless you administer it.',
  })
  hooks(
    @Root() row: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<HookRow> | null {
    if (!mayReadRepositoryField(context, row, 'hooks')) return null;
    return hooksOf(context, { kind: 'repository', id: row.databaseId }, args);
  }

  @Access('hooks:read')
  @Cost(1)
  @FieldResolver(() => Hook, {
    nullable: true,
    description: 'Webhook with this global id; null if the repository has none, and unless you administer it.',
  })
  async hook(
    @Root() row: OwnedRow,
    @hookId() id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow | null> {
    if (!mayReadRepositoryField(context, row, 'hook')) return null;
    const source = { kind: 'repository', id: row.databaseId } as const;
    return hookOf(context, source, numberOfId('Hook', id, 'id'), selectionOf(info));
  }
}

@Resolver(() => Organization)
export class OrganizationHooks {
  @Access('org-hooks:read')
  @FieldResolver(() => HookConnection, {
    nullable: true,
    description: 'Webhooks of the organization, oldest first; null unless you administer it.',
  })
  hooks(
    @Root() row: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<HookRow> | null {
    if (!mayReadField(context, row, 'hooks')) return null;
    return hooksOf(context, { kind: 'organization', id: row.databaseId }, args);
  }

  @Access('org-hooks:read')
  @Cost(1)
  @FieldResolver(() => Hook, {
    nullable: true,
    description: 'Webhook with this global id; null if the organization has none, and unless you administer it.',
  })
  async hook(
    @Root() row: AccountRow,
    @hookId() id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow | null> {
    if (!mayReadField(context, row, 'hook')) return null;
    const source = { kind: 'organization', id: row.databaseId } as const;
    return hookOf(context, source, numberOfId('Hook', id, 'id'), selectionOf(info));
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
