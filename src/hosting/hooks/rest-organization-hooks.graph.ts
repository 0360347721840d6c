import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Hook, HookConnection } from '../../../schema/hosting/hook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { HookChangeArgs, HookConfigArgs, NewHookArgs } from './hook-inputs.ts';
import { requireHookedOrganization } from './hook-source.ts';
import { type HookRow, hookOf, hooksOf } from './hooks.queries.ts';
import { changeOfRest, redeliverOfSource, requireHook, settingsOfRest } from './rest-hook-writes.ts';
import { pingHook } from './send-to-hook.ts';
import { createHook, deleteHook, updateHook } from './write-hook.ts';

const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const hookId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the hook.' });

/** Flat look-ups and writes of the hooks of organizations, for the REST contract. */
@Resolver()
export class RestOrganizationHookRoots {
  @RestOnly()
  @Access('org-hooks:read')
  @Query(() => HookConnection, { description: 'Webhooks of an organization, oldest first.' })
  async organizationHooks(
    @organization() login: string,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<HookRow>> {
    return hooksOf(context, await requireHookedOrganization(context, login, 'read'), args);
  }

  @RestOnly()
  @Access('org-hooks:read')
  @Query(() => Hook, {
    nullable: true,
    description: 'Webhook of an organization; null when there is none with this id.',
  })
  async organizationHook(
    @organization() login: string,
    @hookId() id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow | null> {
    return hookOf(context, await requireHookedOrganization(context, login, 'read'), id, selectionOf(info));
  }

  @RestOnly()
  @Access('org-hooks:write')
  @Mutation(() => Hook, { description: 'Creates a webhook of an organization. It gets a `ping`.' })
  async restCreateOrganizationHook(
    @organization() login: string,
    @Args(() => NewHookArgs) args: NewHookArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedOrganization(context, login, 'write');
    const id = await createHook(context, source, settingsOfRest(args));
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('org-hooks:write')
  @Mutation(() => Hook, {
    description: 'Changes a webhook of an organization. A configuration replaces the former one.',
  })
  async restUpdateOrganizationHook(
    @organization() login: string,
    @hookId() id: number,
    @Args(() => HookChangeArgs) args: HookChangeArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedOrganization(context, login, 'write');
    await updateHook(context, source, id, changeOfRest(args));
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('org-hooks:write')
  @Mutation(() => Hook, {
    description: 'Changes settings of a webhook of an organization. Omitted ones keep their value.',
  })
  async restUpdateOrganizationHookConfig(
    @organization() login: string,
    @hookId() id: number,
    @Args(() => HookConfigArgs) args: HookConfigArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedOrganization(context, login, 'write');
    await updateHook(context, source, id, args);
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('org-hooks:write')
  @Mutation(() => Boolean, { description: 'Deletes a webhook of an organization.' })
  async restDeleteOrganizationHook(
    @organization() login: string,
    @hookId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteHook(context, await requireHookedOrganization(context, login, 'delete'), id);
    return true;
  }

  @RestOnly()
  @Access('org-hooks:read')
  @Mutation(() => Boolean, { description: 'Sends a `ping` to a webhook of an organization.' })
  async restPingOrganizationHook(
    @organization() login: string,
    @hookId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await pingHook(context, await requireHookedOrganization(context, login, 'read'), id);
    return true;
  }

  @RestOnly()
  @Access('org-hooks:write')
  @Mutation(() => GraphQLJSONObject, { description: 'Sends a delivery again. The result is an empty object.' })
  async restRedeliverOrganizationHookDelivery(
    @organization() login: string,
    @hookId() id: number,
    @Arg('deliveryId', () => GraphQLSafeInt, { description: 'Number of the delivery.' }) deliveryId: number,
    @Ctx() context: Context,
  ): Promise<object> {
    return redeliverOfSource(context, await requireHookedOrganization(context, login, 'write'), id, deliveryId);
  }
}
