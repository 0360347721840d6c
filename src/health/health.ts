import type { NodeKind } from '../context/node-kind.ts';
import type { Task } from '../jobs/task.ts';
import { AccountRoots, PersonDataExport } from './accounts/accounts.graph.ts';
import { healthSessionNode, personNode } from './accounts/accounts.node.ts';
import { accountTasks } from './accounts/accounts.tasks.ts';
import { countOverdueErasures } from './accounts/erase-accounts.ts';
import { HealthSessionRoots, PersonSessions } from './accounts/health-sessions.graph.ts';
import { PasswordRoots } from './accounts/passwords.graph.ts';
import { AdRoots } from './ads/ads.graph.ts';
import { adNode } from './ads/ads.node.ts';
import { ArticleFeedFields, ArticleFeedRoots } from './article-feeds/article-feeds.graph.ts';
import { articleFeedTasks } from './article-feeds/article-feeds.tasks.ts';
import { countLateFeeds } from './article-feeds/feed-subscriptions.ts';
import { articlePictureTasks } from './article-pictures/article-pictures.tasks.ts';
import { flushViews } from './articles/article-views.ts';
import { ArticleFields, ArticleRevisionFields, ArticleRoots } from './articles/articles.graph.ts';
import { articleNode, articleRevisionNode, categoryNode } from './articles/articles.node.ts';
import { articleTasks } from './articles/articles.tasks.ts';
import { CategoryFields, CategoryRoots } from './articles/categories.graph.ts';
import { MarkRoots, PersonBookmarks } from './articles/marks.graph.ts';
import {
  AssessmentResultFields,
  AssessmentRoots,
  assessmentSafety,
  CauseSourceFields,
  PersonAssessments,
} from './assessments/assessments.graph.ts';
import { assessmentNode } from './assessments/assessments.node.ts';
import { chatNodes } from './chat/chat.nodes.ts';
import { ChatGroupRoots } from './chat/chat-groups.graph.ts';
import { ChatFields, ChatGroupFields, CommunityGroupChat, PersonChats } from './chat/chats.graph.ts';
import { MessageListRoots, MessageRoots, messageSafety } from './chat/messages.graph.ts';
import { ArticleComments, CommentFields, CommentRoots, commentSafety } from './comments/comments.graph.ts';
import { commentNode } from './comments/comments.node.ts';
import { CommunityGroupFields, CommunityRoots } from './community/community.graph.ts';
import { communityNodes } from './community/community.nodes.ts';
import { communityTasks } from './community/community.tasks.ts';
import { ContactFields, PersonContacts } from './community/contacts.graph.ts';
import { PeerLinkFields, PeerRoots, PersonPeers } from './community/peers.graph.ts';
import { CompanionRoots, CompanionSourceFields, PersonCompanion } from './companion/companion.graph.ts';
import { companionMessageNode } from './companion/companion.node.ts';
import { companionMetrics } from './companion/companion-metrics.ts';
import { PersonConsents } from './consents/consents.graph.ts';
import { PersonDashboard } from './dashboard/dashboard.graph.ts';
import { PersonDataAccesses } from './data-accesses/data-accesses.graph.ts';
import { dataAccessNode } from './data-accesses/data-accesses.node.ts';
import { GoalRoots, goalSafety, PersonGoals } from './goals/goals.graph.ts';
import { goalNode } from './goals/goals.node.ts';
import { groupEntryNode } from './groups/group-entry.node.ts';
import { GroupEntryFields, GroupRoots, PersonGroupEntries } from './groups/groups.graph.ts';
import { HealthInsightFields, HealthInsightRoots } from './insights/health-insights.graph.ts';
import { healthInsightTasks } from './insights/health-insights.tasks.ts';
import { ContactProtectionRoots } from './moderation/contact-protection.graph.ts';
import { ModerationRoots } from './moderation/moderation.graph.ts';
import { moderationNodes } from './moderation/moderation.nodes.ts';
import { PersonCardFields } from './people/person-card.graph.ts';
import {
  PersonRecommendations,
  RecommendationFields,
  RecommendationRoots,
} from './recommendations/recommendations.graph.ts';
import { recommendationNode } from './recommendations/recommendations.node.ts';
import { PersonSymptomLogs, SymptomLogRoots, symptomLogSafety } from './symptom-logs/symptom-logs.graph.ts';
import { symptomLogNode } from './symptom-logs/symptom-logs.node.ts';
import { PersonVitalReadings, VitalReadingRoots, vitalReadingSafety } from './vitals/vitals.graph.ts';
import { vitalReadingNode } from './vitals/vitals.node.ts';

/** Entry point of the health product: all that the server imports from it. */
export const healthResolvers = [
  ArticleRoots,
  ArticleFields,
  ArticleRevisionFields,
  ArticleFeedRoots,
  ArticleFeedFields,
  CategoryRoots,
  CategoryFields,
  MarkRoots,
  PersonBookmarks,
  ArticleComments,
  CommentFields,
  CommentRoots,
  PersonRecommendations,
  RecommendationFields,
  RecommendationRoots,
  AccountRoots,
  PersonDataExport,
  HealthSessionRoots,
  PersonSessions,
  PasswordRoots,
  GoalRoots,
  PersonGoals,
  SymptomLogRoots,
  PersonSymptomLogs,
  VitalReadingRoots,
  PersonVitalReadings,
  PersonDashboard,
  HealthInsightRoots,
  HealthInsightFields,
  AdRoots,
  AssessmentRoots,
  AssessmentResultFields,
  PersonAssessments,
  CauseSourceFields,
  CommunityRoots,
  CommunityGroupFields,
  ContactProtectionRoots,
  PersonConsents,
  PersonDataAccesses,
  ModerationRoots,
  GroupRoots,
  GroupEntryFields,
  PersonGroupEntries,
  PersonCardFields,
  PersonContacts,
  ContactFields,
  PersonPeers,
  PeerLinkFields,
  PeerRoots,
  PersonChats,
  ChatFields,
  ChatGroupFields,
  CommunityGroupChat,
  ChatGroupRoots,
  MessageListRoots,
  MessageRoots,
  CompanionRoots,
  PersonCompanion,
  CompanionSourceFields,
  ...assessmentSafety,
  ...commentSafety,
  ...goalSafety,
  ...messageSafety,
  ...symptomLogSafety,
  ...vitalReadingSafety,
] as const;

/** Types with a global id. */
export const healthNodes: readonly NodeKind[] = [
  personNode,
  healthSessionNode,
  adNode,
  companionMessageNode,
  goalNode,
  symptomLogNode,
  vitalReadingNode,
  assessmentNode,
  articleNode,
  articleRevisionNode,
  categoryNode,
  commentNode,
  recommendationNode,
  groupEntryNode,
  ...chatNodes,
  ...communityNodes,
  dataAccessNode,
  ...moderationNodes,
];

/** Background jobs. */
export function healthTasks(
  dependencies: Parameters<typeof accountTasks>[0] & Parameters<typeof articleFeedTasks>[0],
): Task<never>[] {
  return [
    ...accountTasks(dependencies),
    ...articleTasks(dependencies),
    ...articleFeedTasks(dependencies),
    ...articlePictureTasks(dependencies),
    ...communityTasks(dependencies),
    ...healthInsightTasks(dependencies),
  ];
}

/** For `/metrics`: erasure is a legal duty. */
export const overdueErasures = countOverdueErasures;

/** For `/metrics`: feeds of articles that have not been read for long. */
export const lateFeeds = countLateFeeds;

/** Counters for `/metrics`. */
export const healthMetrics = companionMetrics;

/** Flushes write buffers before the process exits. */
export const flushHealthWrites = flushViews;
