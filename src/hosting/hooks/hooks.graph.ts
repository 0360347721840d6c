import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
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
  TestHookInput,
  TestHookPayload,
  UpdateHookInput,
  UpdateHookPayload,
} from './hook-inputs.ts';
import { changedSettings, newSettings } from './hook-settings.ts';
import { accessOfSource, hookSourceOfHook, hookSourceOfId } from './hook-source.ts';
import { type HookRow, hookOf } from './hooks.queries.ts';
import { pingHook, testHook } from './send-to-hook.ts';
import { createHook, deleteHook, updateHook } from './write-hook.ts';

interface HookPayload {
  hook: HookRow | null;
}

/** Their access scope admits users and apps; the source decides which scope of hooks a caller needs. */
@Resolver()
export class HookMutations {
  @Access('metadata:read', accessOfSource('write'))
  @Mutation(() => CreateHookPayload, {
    nullable: true,
    description: 'Creates a webhook of a repository or an organization that you administer. It gets a `ping`.',
  })
  async createHook(
    @InputArg(() => CreateHookInput) { sourceId, ...input }: CreateHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const source = await hookSourceOfId(context, sourceId, 'write');
    return hookPayload(context, source, await createHook(context, source, newSettings(input)), info);
  }

  @Access('metadata:read', accessOfSource('write'))
  @Mutation(() => UpdateHookPayload, {
    nullable: true,
    description: 'Changes a webhook of a repository or an organization that you administer.',
  })
  async updateHook(
    @InputArg(() => UpdateHookInput) { hookId, sourceId, ...input }: UpdateHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const id = hookNumber(hookId);
    const source = await hookSourceOfHook(context, id, 'write', sourceId);
    await updateHook(context, source, id, changedSettings(input));
    return hookPayload(context, source, id, info);
  }

  @Access('metadata:read', accessOfSource('delete'))
  @Mutation(() => DeleteHookPayload, {
    nullable: true,
    description: 'Deletes a webhook of a repository or an organization that you administer, with its deliveries.',
  })
  async deleteHook(
    @InputArg(() => DeleteHookInput) { hookId, sourceId }: DeleteHookInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const id = hookNumber(hookId);
    await deleteHook(context, await hookSourceOfHook(context, id, 'delete', sourceId), id);
    return { deletedId: hookId };
  }

  @Access('metadata:read', accessOfSource('read'))
  @Mutation(() => PingHookPayload, {
    nullable: true,
    description: 'Sends a `ping` to a webhook of a repository or an organization that you administer.',
  })
  async pingHook(
    @InputArg(() => PingHookInput) { hookId, sourceId }: PingHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const id = hookNumber(hookId);
    const source = await hookSourceOfHook(context, id, 'read', sourceId);
    await pingHook(context, source, id);
    return hookPayload(context, source, id, info);
  }

  @Access('metadata:read', accessOfSource('read'))
  @Mutation(() => TestHookPayload, {
    nullable: true,
    description: 'Sends the newest commit of the default branch to a webhook of a repository as a push.',
  })
  async testHook(
    @InputArg(() => TestHookInput) { hookId, sourceId }: TestHookInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookPayload> {
    const id = hookNumber(hookId);
    const source = await hookSourceOfHook(context, id, 'read', sourceId);
    await testHook(context, source, id);
    return hookPayload(context, source, id, info);
  }

  @Access('metadata:read', accessOfSource('write'))
  @Mutation(() => RedeliverHookDeliveryPayload, {
    nullable: true,
    description: 'Sends a delivery of a webhook again whose repository or organization you administer.',
  })
  async redeliverHookDelivery(
    @InputArg(() => RedeliverHookDeliveryInput) { deliveryId, ...owners }: RedeliverHookDeliveryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ delivery: DeliveryRow | null }> {
    const id = numberOfId('WebhookDelivery', deliveryId, 'deliveryId');
    const hookId = owners.hookId == null ? await requireReceiverOf(context, 'hook', id) : hookNumber(owners.hookId);
    const source = await hookSourceOfHook(context, hookId, 'write', owners.sourceId);
    if (owners.sourceId != null && !(await hookOf(context, source, hookId, noSelection))) throw notFound();
    await redeliver(context, { hookId }, id);
    const wanted = selectionOf(info).get('delivery');
    return { delivery: wanted ? await context.load(visibleDeliveriesByIds, wanted).load(id) : null };
  }
}

const hookNumber = (id: string): number => numberOfId('Hook', id, 'hookId');

async function hookPayload(
  context: Context,
  source: OwningSource,
  id: number,
  info: GraphQLResolveInfo,
): Promise<HookPayload> {
  const wanted = selectionOf(info).get('hook');
  return { hook: wanted ? await hookOf(context, source, id, wanted) : null };
}
