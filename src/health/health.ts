import { AccountRoots } from './accounts/accounts.graph.ts';
import { accountTasks } from './accounts/accounts.tasks.ts';
import { ArticleFields, ArticleRoots } from './articles/articles.graph.ts';
import { writeViews } from './articles/count-views.ts';
import { CommentRoots } from './comments/comments.graph.ts';
import { CompanionRoots } from './companion/companion.graph.ts';
import { companionCounts } from './companion/counters.ts';
import { RecommendationRoots } from './recommendations/recommendations.graph.ts';

/** The door of the health product: what the server takes from it. */
export const healthResolvers = [
  ArticleRoots,
  ArticleFields,
  AccountRoots,
  CommentRoots,
  CompanionRoots,
  RecommendationRoots,
] as const;

/** What it has done outside of requests. */
export const healthTasks = accountTasks;

/** What it counts beside requests, of nobody in particular. */
export const healthCounts = companionCounts;

/** What it has kept back and wants to write before its process ends. */
export const healthRemains = writeViews;
