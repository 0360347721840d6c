import { Arg, Ctx, FieldResolver, Query, Resolver } from 'type-graphql';
import { InstallationMetadata } from '../../../schema/hosting/installation-metadata.ts';
import { RateLimit, RateLimitOverview } from '../../../schema/hosting/rate-limit.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
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
}

@Resolver(() => InstallationMetadata)
export class RateLimitFields {
  @RestCorner('The contract has the windows of all kinds of requests. Use `rateLimit`.')
  @Cost(0)
  @FieldResolver(() => RateLimitOverview, {
    description: 'Your rate limits by kind of request; an error if rate limits are off.',
  })
  rateLimits(@Ctx() context: Context): Promise<RateLimitOverview> {
    return rateLimitOverview(context);
  }
}
