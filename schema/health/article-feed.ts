import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { PublisherCode } from './publisher.ts';

export const FeedOutcome = { IMPORTED: 'imported', UNCHANGED: 'unchanged', FAILED: 'failed' } as const;
export type FeedOutcome = (typeof FeedOutcome)[keyof typeof FeedOutcome];
registerEnumType(FeedOutcome, {
  name: 'FeedOutcome',
  description:
    'Outcome of a run of a feed. `UNCHANGED`: the publisher says that nothing has changed since the last run. `FAILED`: no entry was accepted.',
});

@ObjectType({ description: 'Run of a subscription to a feed.', simpleResolvers: true })
export class ArticleFeedRun {
  @Computed(() => DateTime, 'Time at which the run began.')
  startedAt!: string;

  @Computed(() => DateTime, 'Time at which the run ended.')
  endedAt!: string;

  @Computed(() => FeedOutcome, 'Outcome of the run.')
  outcome!: FeedOutcome;

  @Computed(() => Int, 'HTTP status of the last answer; null where there was none.', { null: true })
  httpStatus!: number | null;

  @Computed(() => String, 'Reason for a failure; null for other runs.', { null: true })
  problem!: string | null;

  @Computed(() => Int, 'Number of entries that are new articles.')
  addedCount!: number;

  @Computed(() => Int, 'Number of entries that changed their articles.')
  updatedCount!: number;

  @Computed(() => Int, 'Number of entries whose articles are the same already.')
  unchangedCount!: number;

  @Computed(() => Int, 'Number of entries that are older versions of their articles.')
  olderCount!: number;

  @Computed(() => Int, 'Number of entries that were refused.')
  rejectedCount!: number;
}

@ObjectType({ description: 'Subscription of the operator to a feed of articles.', simpleResolvers: true })
export class ArticleFeed {
  @Computed(() => GraphQLSafeInt, 'Number of the subscription.')
  number!: number;

  @Computed(() => String, 'Address of the feed.')
  url!: string;

  @Computed(() => PublisherCode, 'Code of the publisher.')
  source!: string;

  @Computed(() => Int, 'Seconds between two runs.')
  intervalSeconds!: number;

  @Computed(() => Int, 'Number of consecutive runs that failed.')
  failureCount!: number;

  @Computed(() => DateTime, 'Time of the next run.')
  dueAt!: string;

  @Computed(() => DateTime, 'End of the last run that did not fail; null for none.', { null: true })
  succeededAt!: string | null;
}
