import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType({ description: 'What a GraphQL operation costs, and what the caller has left.', simpleResolvers: true })
export class RateLimit {
  @Computed(() => Int, 'Most points in the window that the operation counts in.')
  limit!: number;

  @Computed(
    () => Int,
    'Points of this operation, at most: pages that it can read, divided by 100 and rounded, and at least 1. What is not read is given back.',
  )
  cost!: number;

  @Computed(() => Int, 'Points that are left, this operation already taken off.')
  remaining!: number;

  @Computed(() => Int, 'Points that are used, those of this operation among them.')
  used!: number;

  @Computed(() => Date, 'When the window ends and everything is there again.')
  resetAt!: Date;

  @Computed(() => GraphQLSafeInt, 'Objects that the answer can hold at most.')
  nodeCount!: number;
}

@ObjectType({ description: 'How one window of the REST API stands.', simpleResolvers: true })
export class RateLimitWindow {
  @Computed(() => Int, 'Most requests in the window.')
  limit!: number;

  @Computed(() => Int, 'Requests that were counted; together with what remains it is the limit.')
  used!: number;

  @Computed(() => Int, 'Requests that are left.')
  remaining!: number;

  @Computed(() => GraphQLSafeInt, 'When the window ends, in seconds since 1970.')
  reset!: number;
}

@ObjectType({ description: 'The windows that requests of the caller are counted in.', simpleResolvers: true })
export class RateLimits {
  @Computed(() => RateLimitWindow, 'Everything that has no window of its own.')
  core!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Search.')
  search!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'GraphQL, in points.')
  graphql!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Manifests that become apps.')
  integrationManifest!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Imports of sources.')
  sourceImport!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Proposed repairs of what a scan found.')
  codeScanningAutofix!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Registrations of runners.')
  actionsRunnerRegistration!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Provisioning of accounts.')
  scim!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Snapshots of dependencies.')
  dependencySnapshots!: RateLimitWindow;

  @Computed(() => RateLimitWindow, 'Search in code.')
  codeSearch!: RateLimitWindow;
}

@ObjectType({ description: 'How the limits of the caller stand.', simpleResolvers: true })
export class RateLimitOverview {
  @Computed(() => RateLimits, 'Each window.')
  resources!: RateLimits;

  @Computed(() => RateLimitWindow, 'The same as `core`; null for callers of versions that no longer have it.', {
    null: true,
  })
  rate!: RateLimitWindow | null;
}
