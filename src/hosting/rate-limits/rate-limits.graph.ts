import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { RateLimit, RateLimitOverview } from '../../../schema/hosting/rate-limit.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { rateLimitOverview } from './rate-limits.queries.ts';

@Resolver()
export class RateLimitRoots {
  @Access('public')
  @Cost(0)
  @Query(() => RateLimit, {
    nullable: true,
    description: 'What this operation costs and what the caller has left; null where limits are switched off.',
  })
  rateLimit(
    // Looked at before anything runs: with it, nothing else of the operation does.
    @Arg('dryRun', () => Boolean, {
      defaultValue: false,
      description: 'Tells what the operation would cost. Nothing is charged, and nothing but `rateLimit` is answered.',
    })
    _dryRun: boolean,
    @Ctx() { operationCost }: Context,
  ): RateLimit | null {
    if (!operationCost?.rateLimitState) return null;
    const { rateLimitState, estimated, nodeCount } = operationCost;
    const { limit, remaining, used, reset } = rateLimitState;
    return { limit, remaining, used, resetAt: new Date(reset * 1000), cost: estimated, nodeCount };
  }

  @Access('public')
  @Cost(0)
  @Query(() => RateLimitOverview, {
    description: 'How the windows stand that REST requests of the caller are counted in. Reading it counts in none.',
  })
  hostingRateLimits(
    @Arg('version', () => String, { description: 'The version of the REST API that is asked.' }) version: string,
    @Ctx() context: Context,
  ): Promise<RateLimitOverview> {
    return rateLimitOverview(context, version);
  }
}
