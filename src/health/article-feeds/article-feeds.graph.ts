import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { ArticleFeed, ArticleFeedRun } from '../../../schema/health/article-feed.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { runsOfSubscriptions, shownRuns } from './feed-runs.ts';
import { allSubscriptions, maxSubscriptions } from './feed-subscriptions.ts';

@Resolver()
export class ArticleFeedRoots {
  @Access('service')
  @ListSize(maxSubscriptions)
  @Query(() => [ArticleFeed], {
    nullable: true,
    description: 'Subscriptions of the operator to feeds of articles, at most 200. For service credentials.',
  })
  async articleFeeds(@Ctx() context: Context): Promise<ArticleFeed[]> {
    const subscriptions = await allSubscriptions(context.read);
    return subscriptions.map(({ id, failures, ...one }) => ({ ...one, number: id, failureCount: failures }));
  }
}

@Resolver(() => ArticleFeed)
export class ArticleFeedFields {
  // One statement for all subscriptions together: 8 units for 200 of them, within the unit of the root field by a factor of ten.
  @ListSize(shownRuns)
  @FieldResolver(() => [ArticleFeedRun], { description: 'Last runs, the newest first; at most 10.' })
  async runs(@Root() { number }: ArticleFeed, @Ctx() context: Context): Promise<ArticleFeedRun[]> {
    const runs = await context.load(runsOfSubscriptions, noSelection).load(number);
    return runs.map(({ added, updated, unchanged, older, rejected, ...run }) => ({
      ...run,
      addedCount: added,
      updatedCount: updated,
      unchangedCount: unchanged,
      olderCount: older,
      rejectedCount: rejected,
    }));
  }
}
