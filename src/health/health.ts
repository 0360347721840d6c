import type { NodeKind } from '../context/node-kind.ts';
import type { Task } from '../jobs/run-task.ts';
import { AccountRoots, PersonDataExport } from './accounts/accounts.graph.ts';
import { personNode } from './accounts/accounts.node.ts';
import { accountTasks } from './accounts/accounts.tasks.ts';
import { HealthSessionRoots } from './accounts/health-sessions.graph.ts';
import { PasswordRoots } from './accounts/passwords.graph.ts';
import { AdRoots } from './ads/ads.graph.ts';
import { adNode } from './ads/ads.node.ts';
import { flushViews } from './articles/article-views.ts';
import { ArticleFields, ArticleRoots } from './articles/articles.graph.ts';
import { AssessmentRoots, CauseSourceFields } from './assessments/assessments.graph.ts';
import { ChatRoots } from './chat/chat.graph.ts';
import { MessageRoots } from './chat/messages.graph.ts';
import { CommentRoots } from './comments/comments.graph.ts';
import { CommunityGroupFields, CommunityRoots } from './community/community.graph.ts';
import { communityTasks } from './community/community.tasks.ts';
import { PeerRoots } from './community/peers.graph.ts';
import { CompanionRoots, CompanionSourceFields, PersonCompanion } from './companion/companion.graph.ts';
import { companionMessageNode } from './companion/companion.node.ts';
import { companionMetrics } from './companion/companion-metrics.ts';
import { DashboardRoots } from './dashboard/dashboard.graph.ts';
import { GoalRoots, PersonGoals } from './goals/goals.graph.ts';
import { goalNode } from './goals/goals.node.ts';
import { RecommendationRoots } from './recommendations/recommendations.graph.ts';
import { SymptomLogRoots } from './symptom-logs/symptom-logs.graph.ts';
import { VitalRoots } from './vitals/vitals.graph.ts';

/** Entry point of the health product: all that the server imports from it. */
export const healthResolvers = [
  ArticleRoots,
  ArticleFields,
  CommentRoots,
  RecommendationRoots,
  AccountRoots,
  PersonDataExport,
  HealthSessionRoots,
  PasswordRoots,
  GoalRoots,
  PersonGoals,
  SymptomLogRoots,
  VitalRoots,
  DashboardRoots,
  AdRoots,
  AssessmentRoots,
  CauseSourceFields,
  CommunityRoots,
  CommunityGroupFields,
  PeerRoots,
  ChatRoots,
  MessageRoots,
  CompanionRoots,
  PersonCompanion,
  CompanionSourceFields,
] as const;

/** Types with a global id. */
export const healthNodes: readonly NodeKind[] = [personNode, adNode, companionMessageNode, goalNode];

/** Background jobs. */
export function healthTasks(dependencies: Parameters<typeof accountTasks>[0]): Task<never>[] {
  return [...accountTasks(dependencies), ...communityTasks(dependencies)];
}

/** Counters for `/metrics`. */
export const healthMetrics = companionMetrics;

/** Flushes write buffers before the process exits. */
export const flushHealthWrites = flushViews;
