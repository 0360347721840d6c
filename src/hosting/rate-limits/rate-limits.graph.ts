import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { RateLimit, RateLimitOverview } from '../../../schema/hosting/rate-limit.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { rateLimitOverview } from './rate-limits.queries.ts';

@Resolver()
export class RateLimitRoots {
  @Access('public')
  @Cost(0)
  @Query(() => RateLimit, {
    nullable: true,
    description: 'Cost of this operation and your remaining points; null if rate limits are off.',
  })
  rateLimit(
    // Evaluated before execution: no other field of the operation runs then.
    @Arg('dryRun', () => Boolean, {
      defaultValue: false,
      description: 'Whether to only estimate the cost: nothing is charged, and only `rateLimit` is answered.',
    })
    _dryRun: boolean,
    @Ctx() { operationCost }: Context,
  ): RateLimit | null {
    if (!operationCost?.rateLimitState) return null;
    const { rateLimitState, estimated, nodeCount } = operationCost;
    const { limit, remaining, used, reset } = rateLimitState;
    return { limit, remaining, used, resetAt: new Date(reset * 1000), cost: estimated, nodeCount };
  }

  @RestOnly()
  @Access('public')
  @Cost(0)
  @Query(() => RateLimitOverview, {
    description: 'Rate limits of the caller for REST requests. Reading them is free.',
  })
  hostingRateLimits(
    @Arg('version', () => String, { description: 'Version of the REST API, such as 2026-03-10.' }) version: string,
    @Ctx() context: Context,
  ): Promise<RateLimitOverview> {
    return rateLimitOverview(context, version);
  }
}
