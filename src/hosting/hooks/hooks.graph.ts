import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import type { OwningSource } from '../owning-source.ts';
import type { DeliveryRow } from '../webhooks/deliveries.queries.ts';
import { redeliver, requireReceiverOf } from '../webhooks/redeliver.ts';
import { visibleDeliveriesByIds } from '../webhooks/visible-deliveries.ts';
import {
  CreateHookInput,
  CreateHookPayload,
  DeleteHookInput,
  DeleteHookPayload,
  PingHookInput,
  PingHookPayload,
  RedeliverHookDeliveryInput,
  RedeliverHookDeliveryPayload,
  UpdateHookInput,
  UpdateHookPayload,
} from './hook-inputs.ts';
import { hookSourceOfHook, hookSourceOfId } from './hook-source.ts';
import { type HookRow, hookOf } from './hooks.queries.ts';
import { pingHook } from './send-to-hook.ts';
import { createHook, deleteHook, updateHook } from './write-hook.ts';

interface HookPayload {
  hook: HookRow | null;
}

/** Their access scope admits users and apps; the source decides which scope of hooks a caller needs. */
@Resolver()
export class HookMutations {
  @Access('metadata:read')
  @Mutation(() => CreateHookPayload, {
    nullable: true,
    description: 'Creates a webhook of a repository or an organization that you administer. It gets a `ping`.',
  })
  async createHook(
    @InputArg(() => CreateHookInput) { sourceId, isTlsVerified, ...input }: CreateHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const source = await hookSourceOfId(context, sourceId);
    return hookPayload(context, source, await createHook(context, source, settingsOf(isTlsVerified, input)), info);
  }

  @Access('metadata:read')
  @Mutation(() => UpdateHookPayload, {
    nullable: true,
    description: 'Changes a webhook of a repository or an organization that you administer.',
  })
  async updateHook(
    @InputArg(() => UpdateHookInput) { hookId, isTlsVerified, ...input }: UpdateHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const id = hookNumber(hookId);
    const source = await hookSourceOfHook(context, id, 'write');
    await updateHook(context, source, id, settingsOf(isTlsVerified, input));
    return hookPayload(context, source, id, info);
  }

  @Access('metadata:read')
  @Mutation(() => DeleteHookPayload, {
    nullable: true,
    description: 'Deletes a webhook of a repository or an organization that you administer, with its deliveries.',
  })
  async deleteHook(
    @InputArg(() => DeleteHookInput) { hookId }: DeleteHookInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const id = hookNumber(hookId);
    await deleteHook(context, await hookSourceOfHook(context, id, 'delete'), id);
    return { deletedId: hookId };
  }

  @Access('metadata:read')
  @Mutation(() => PingHookPayload, {
    nullable: true,
    description: 'Sends a `ping` to a webhook of a repository or an organization that you administer.',
  })
  async pingHook(
    @InputArg(() => PingHookInput) { hookId }: PingHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const id = hookNumber(hookId);
    const source = await hookSourceOfHook(context, id, 'write');
    await pingHook(context, source, id);
    return hookPayload(context, source, id, info);
  }

  @Access('metadata:read')
  @Mutation(() => RedeliverHookDeliveryPayload, {
    nullable: true,
    description: 'Sends a delivery of a webhook again whose repository or organization you administer.',
  })
  async redeliverHookDelivery(
    @InputArg(() => RedeliverHookDeliveryInput) { deliveryId }: RedeliverHookDeliveryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ delivery: DeliveryRow | null }> {
    const id = numberOfId('WebhookDelivery', deliveryId, 'deliveryId');
    const hookId = await requireReceiverOf(context, 'hook', id);
    await hookSourceOfHook(context, hookId, 'write');
    await redeliver(context, { hookId }, id);
    const wanted = selectionOf(info).get('delivery');
    return { delivery: wanted ? await context.load(visibleDeliveriesByIds, wanted).load(id) : null };
  }
}

const hookNumber = (id: string): number => numberOfId('Hook', id, 'hookId');

const settingsOf = <Settings extends object>(isTlsVerified: boolean | null | undefined, settings: Settings) => ({
  ...settings,
  insecureSsl: isTlsVerified == null ? null : !isTlsVerified,
});

async function hookPayload(
  context: Context,
  source: OwningSource,
  id: number,
  info: GraphQLResolveInfo,
): Promise<HookPayload> {
  return { hook: await hookOf(context, source, id, selectionOf(info).get('hook') ?? noSelection) };
}
