import { AccountRoots } from './accounts/accounts.graph.ts';
import { accountTasks } from './accounts/accounts.tasks.ts';
import { AdRoots } from './ads/ads.graph.ts';
import { ArticleFields, ArticleRoots } from './articles/articles.graph.ts';
import { AssessmentRoots, CauseSourceFields } from './assessments/assessments.graph.ts';

/** The door of the health product: what the server takes from it. */
export const healthResolvers = [
  ArticleRoots,
  ArticleFields,
  AccountRoots,
  AdRoots,
  AssessmentRoots,
  CauseSourceFields,
] as const;

/** What it has done outside of requests. */
export const healthTasks = accountTasks;
