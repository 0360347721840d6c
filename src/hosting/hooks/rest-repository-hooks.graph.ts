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
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { HookChangeArgs, HookConfigArgs, NewHookArgs } from './hook-inputs.ts';
import { requireHookedRepository } from './hook-source.ts';
import { type HookRow, hookOf, hooksOf } from './hooks.queries.ts';
import { changeOfRest, redeliverOfSource, requireHook, settingsOfRest } from './rest-hook-writes.ts';
import { pingHook, testHook } from './send-to-hook.ts';
import { createHook, deleteHook, updateHook } from './write-hook.ts';

const hookId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the hook.' });

/** Flat look-ups and writes of the hooks of repositories, for the REST contract. */
@Resolver()
export class RestRepositoryHookRoots {
  @RestOnly()
  @Access('hooks:read')
  @Query(() => HookConnection, { description: 'Webhooks of a repository, oldest first.' })
  async repositoryHooks(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<HookRow>> {
    return hooksOf(context, await requireHookedRepository(context, repository, 'read'), args);
  }

  @RestOnly()
  @Access('hooks:read')
  @Query(() => Hook, { nullable: true, description: 'Webhook of a repository; null when there is none with this id.' })
  async repositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow | null> {
    return hookOf(context, await requireHookedRepository(context, repository, 'read'), id, selectionOf(info));
  }

  @RestOnly()
  @Access('hooks:write')
  @Mutation(() => Hook, { description: 'Creates a webhook of a repository. It gets a `ping`.' })
  async restCreateRepositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => NewHookArgs) args: NewHookArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedRepository(context, repository, 'write');
    const id = await createHook(context, source, settingsOfRest(args));
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('hooks:write')
  @Mutation(() => Hook, { description: 'Changes a webhook of a repository. A configuration replaces the former one.' })
  async restUpdateRepositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Args(() => HookChangeArgs) args: HookChangeArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedRepository(context, repository, 'write');
    await updateHook(context, source, id, changeOfRest(args));
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('hooks:write')
  @Mutation(() => Hook, {
    description: 'Changes settings of a webhook of a repository. Omitted ones keep their value.',
  })
  async restUpdateRepositoryHookConfig(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Args(() => HookConfigArgs) args: HookConfigArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<HookRow> {
    const source = await requireHookedRepository(context, repository, 'write');
    await updateHook(context, source, id, args);
    return requireHook(context, source, id, info);
  }

  @RestOnly()
  @Access('hooks:delete')
  @Mutation(() => Boolean, { description: 'Deletes a webhook of a repository.' })
  async restDeleteRepositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteHook(context, await requireHookedRepository(context, repository, 'delete'), id);
    return true;
  }

  @RestOnly()
  @Access('hooks:read')
  @Mutation(() => Boolean, { description: 'Sends a `ping` to a webhook of a repository.' })
  async restPingRepositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await pingHook(context, await requireHookedRepository(context, repository, 'read'), id);
    return true;
  }

  @RestOnly()
  @Access('hooks:read')
  @Mutation(() => Boolean, { description: 'Sends the newest commit to a webhook of a repository as a push.' })
  async restTestRepositoryHook(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await testHook(context, await requireHookedRepository(context, repository, 'read'), id);
    return true;
  }

  @RestOnly()
  @Access('hooks:write')
  @Mutation(() => GraphQLJSONObject, { description: 'Sends a delivery again. The result is an empty object.' })
  async restRedeliverRepositoryHookDelivery(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @hookId() id: number,
    @Arg('deliveryId', () => GraphQLSafeInt, { description: 'Number of the delivery.' }) deliveryId: number,
    @Ctx() context: Context,
  ): Promise<object> {
    return redeliverOfSource(context, await requireHookedRepository(context, repository, 'write'), id, deliveryId);
  }
}
