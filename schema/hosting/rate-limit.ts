import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';

@ObjectType({ description: 'Cost of the GraphQL operation and remaining points of the caller.', simpleResolvers: true })
export class RateLimit {
  @Computed(() => Int, 'Maximum points per window.')
  limit!: number;

  @Computed(
    () => Int,
    'Maximum points of this operation: pages that it can read divided by 100, rounded, at least 1. Unused points are refunded.',
  )
  cost!: number;

  @Computed(() => Int, 'Remaining points after this operation.')
  remaining!: number;

  @Computed(() => Int, 'Used points including this operation.')
  used!: number;

  @Computed(() => DateTime, 'End of the window, at which all points are available again.')
  resetAt!: Date;

  @Computed(() => Int, 'Maximum number of objects in the response.')
  nodeCount!: number;
}

@ObjectType({ description: 'Window of a rate limit.', simpleResolvers: true })
export class RateLimitWindow {
  @Computed(() => Int, 'Maximum requests per window.')
  limit!: number;

  @Computed(() => Int, 'Used requests: the limit minus the remaining ones.')
  used!: number;

  @Computed(() => Int, 'Number of requests that remain in the window.')
  remaining!: number;

  @Computed(() => GraphQLSafeInt, 'End of the window in seconds since 1970-01-01 UTC.')
  reset!: number;
}

@ObjectType({ description: 'Windows of your rate limits by kind of request.', simpleResolvers: true })
export class RateLimits {
  @Computed(() => RateLimitWindow, 'Window of all requests without a window of their own.')
  core!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of search.')
  search!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of GraphQL, in points.')
  graphql!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of app manifests.')
  integrationManifest!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of source imports.')
  sourceImport!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of code scanning autofixes.')
  codeScanningAutofix!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of runner registrations.')
  actionsRunnerRegistration!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of account provisioning (SCIM).')
  scim!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of dependency snapshots.')
  dependencySnapshots!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Window of code search.')
  codeSearch!: RateLimitWindow;
}

@ObjectType({ description: 'Your rate limits.', simpleResolvers: true })
export class RateLimitOverview {
  @Computed(() => RateLimits, 'Windows of all resources.')
  resources!: RateLimits;

  @Computed(() => RateLimitWindow, 'The same as `core`.')
  rate!: RateLimitWindow;
}
