import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { Hook, HookConnection } from '../../../schema/hosting/hook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { requireRepository } from './hook-source.ts';
import { type HookRow, hookOf, hooksOf } from './hooks.queries.ts';

const hookId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the hook.' });

/** Hooks of repositories that a caller may not see otherwise: the scope of hooks reaches those of private ones. */
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
    return hooksOf(context, await requireRepository(context, repository, 'read'), args);
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
    return hookOf(context, await requireRepository(context, repository, 'read'), id, selectionOf(info));
  }
}
