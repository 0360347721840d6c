import type { DerivedKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { Clock } from '../context/context.ts';
import type { NodeKind } from '../context/node-kind.ts';
import type { Database } from '../db/database.ts';
import type { JobLog } from '../jobs/job-log.ts';
import type { Task } from '../jobs/task.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { IsolatedWork } from '../workers/isolated-work.ts';
import type { LongWork } from '../workers/long-task.ts';
import { AccountFields, ActorFields, EmailFields, UserFields } from './accounts/account-fields.graph.ts';
import { HostingAccountRoots } from './accounts/accounts.graph.ts';
import { emailNode, organizationNode, userNode } from './accounts/accounts.node.ts';
import { EmailMutations } from './accounts/email-mutations.graph.ts';
import { FollowingRoots, UserFollowing } from './accounts/following.graph.ts';
import { ProfileMutations } from './accounts/profile-mutations.graph.ts';
import {
  AppFields,
  InstallationFields,
  InstallationTokenFields,
  OrganizationApps,
  UserApps,
} from './apps/app-fields.graph.ts';
import { AppRoots } from './apps/apps.graph.ts';
import { appKeyNode, appNode, installationNode } from './apps/apps.node.ts';
import { ClientAuthorizationFields, ClientTokenRoots, NarrowedInstallationFields } from './apps/client-tokens.graph.ts';
import { InstallationReachRoots } from './apps/installation-reach.graph.ts';
import { InstallationRoots } from './apps/installations.graph.ts';
import { ViewerInstallationRoots } from './apps/viewer-installations.graph.ts';
import {
  BranchActorFields,
  BranchProtectionFields,
  BranchProtectionMutations,
  RepositoryProtectedBranches,
} from './branch-protection/branch-protections.graph.ts';
import { branchProtectionNode } from './branch-protection/branch-protections.node.ts';
import { CommitDetails, GitActorTime } from './commits/commit-details.graph.ts';
import { CommitFields, GitActorFields } from './commits/commits.graph.ts';
import { commitTasks } from './commits/commits.tasks.ts';
import { RepositoryContributors } from './commits/contributors.graph.ts';
import { GitCommitRoots } from './commits/git-commits.graph.ts';
import { RepositoryCommits } from './commits/repository-commits.graph.ts';
import { ContentMutations } from './contents/contents.graph.ts';
import { contentTasks } from './contents/contents.tasks.ts';
import { RepositoryLanguages } from './contents/languages.graph.ts';
import { RepositoryContents } from './contents/repository-contents.graph.ts';
import { LocationInRepository, RepositoryLocationFields } from './contents/repository-location.graph.ts';
import { CredentialRoots } from './credentials/credentials.graph.ts';
import { tokenNode } from './credentials/credentials.node.ts';
import { credentialTasks } from './credentials/credentials.tasks.ts';
import { TokenFields, UserTokens } from './credentials/token-fields.graph.ts';
import {
  EventPageFields,
  EventRoots,
  ForkPayloadFields,
  MemberPayloadFields,
  OrganizationEvents,
  RepositoryEvents,
  UserEvents,
} from './events/events.graph.ts';
import { eventNode } from './events/events.node.ts';
import { eventTasks } from './events/events.tasks.ts';
import { BranchFields, BranchMutations, RepositoryBranches } from './git-data/branches.graph.ts';
import { GitDataRoots } from './git-data/git-data.graph.ts';
import { gitObjectNodes, refNode } from './git-data/git-data.node.ts';
import { GitLookups } from './git-data/git-lookups.graph.ts';
import { BlobFields, GitObjectFields, TagFields, TreeEntryFields, TreeFields } from './git-data/git-objects.graph.ts';
import { RefFields, RepositoryGit } from './git-data/refs.graph.ts';
import { TreeListings } from './git-data/tree-listing.graph.ts';
import { HookFields, OrganizationHooks, RepositoryHooks } from './hooks/hook-fields.graph.ts';
import { HookMutations } from './hooks/hooks.graph.ts';
import { hookNode } from './hooks/hooks.node.ts';
import { HostingInsightFields, HostingInsightRoots } from './insights/hosting-insights.graph.ts';
import { ApiInsightFields, ApiRouteUsageFields, OrganizationApiInsights } from './insights/insights.graph.ts';
import { insightTasks } from './insights/insights.tasks.ts';
import { MergeMutations } from './merges/merges.graph.ts';
import { MetadataFields, MetaRoots } from './meta/meta.graph.ts';
import { ActivateMembershipMutation } from './organizations/activate-membership.graph.ts';
import { MembershipFields, OrganizationMembers, UserMemberships } from './organizations/membership-fields.graph.ts';
import {
  OrganizationInvitationFields,
  OrganizationInvitationLists,
  OrganizationInvitationMutations,
} from './organizations/organization-invitations.graph.ts';
import { organizationInvitationNode } from './organizations/organization-invitations.node.ts';
import { OrganizationRoots } from './organizations/organizations.graph.ts';
import { PublicityMutations } from './organizations/publicity-mutations.graph.ts';
import { RateLimitFields, RateLimitRoots } from './rate-limits/rate-limits.graph.ts';
import { AbsentRepositoryFeatures } from './repositories/absent-features.graph.ts';
import { AttentionRoots, UserAttention } from './repositories/attention.graph.ts';
import { NumberedLists } from './repositories/numbered-lists.graph.ts';
import { OwnerRepository, RepositoryRoots } from './repositories/repositories.graph.ts';
import { repositoryNode } from './repositories/repositories.node.ts';
import { repositoryTasks } from './repositories/repositories.tasks.ts';
import { RepositoryFields, RepositoryInfoFields } from './repositories/repository-fields.graph.ts';
import { OwnerRepositories, RepositoryLists, UserRepositories } from './repositories/repository-lists.graph.ts';
import { RepositoryMutations } from './repositories/repository-mutations.graph.ts';
import { RepositoryPeopleMutations } from './repositories/repository-people.graph.ts';
import {
  CollaboratorEdgeFields,
  RepositoryAccessFields,
  RepositoryUserAccess,
} from './repositories/repository-user-access.graph.ts';
import {
  RepositoryInvitationFields,
  RepositoryInvitationLists,
  RepositoryInvitationMutations,
  RepositoryInvitationRoots,
  UserRepositoryInvitations,
} from './repository-invitations/repository-invitations.graph.ts';
import { repositoryInvitationNode } from './repository-invitations/repository-invitations.node.ts';
import { RuleSuiteSubscriptions } from './rule-suites/rule-suite-subscription.graph.ts';
import { RuleEvaluationFields, RuleOutcomeFields, RuleSuiteFields } from './rule-suites/rule-suites.graph.ts';
import { ruleSuiteNode } from './rule-suites/rule-suites.node.ts';
import { OrganizationRuleSuites, RepositoryRuleSuites } from './rule-suites/source-rule-suites.graph.ts';
import { BypassActorFields, RuleFields } from './rulesets/rule-fields.graph.ts';
import { RulesetFields } from './rulesets/ruleset-fields.graph.ts';
import { RulesetMutations } from './rulesets/ruleset-mutations.graph.ts';
import { bypassActorNode, ruleNode, rulesetNode } from './rulesets/rulesets.node.ts';
import { OrganizationRulesets, RepositoryRulesets } from './rulesets/source-rulesets.graph.ts';
import { SearchCounts, SearchResultFields, SearchRoots } from './search/search.graph.ts';
import { SigningKeyRoots, UserSigningKeys } from './signing-keys/signing-keys.graph.ts';
import { signingKeyNode } from './signing-keys/signing-keys.node.ts';
import { RepositorySourceImport, SourceImportLists, SourceImportRoots } from './source-imports/source-imports.graph.ts';
import { sourceImportAuthorNode } from './source-imports/source-imports.node.ts';
import { sourceImportTasks } from './source-imports/source-imports.tasks.ts';
import { AccountPublicKeys, RepositorySshKeys, SshKeyMutations, UserSshKeys } from './ssh-keys/ssh-keys.graph.ts';
import { sshKeyNode } from './ssh-keys/ssh-keys.node.ts';
import { RepositoryTransfers, TransferFields, TransferMutations, UserTransfers } from './transfers/transfers.graph.ts';
import { transferNode } from './transfers/transfers.node.ts';
import type { SerializeObjects } from './webhooks/build-payload.ts';
import { WebhookDeliverySubscriptions } from './webhooks/delivery-subscription.graph.ts';
import {
  AppWebhookFields,
  DeliveryRequestFields,
  DeliveryResponseFields,
  WebhookDeliveryFields,
  WebhookDeliveryPages,
  WebhookFields,
} from './webhooks/webhook-fields.graph.ts';
import { WebhookRoots } from './webhooks/webhooks.graph.ts';
import { deliveryNode } from './webhooks/webhooks.node.ts';
import { webhookTasks } from './webhooks/webhooks.tasks.ts';

/** Resolvers of the code hosting product. */
export const hostingResolvers = [
  MetaRoots,
  MetadataFields,
  HostingAccountRoots,
  AccountFields,
  ActorFields,
  UserFields,
  UserSigningKeys,
  OrganizationRoots,
  PublicityMutations,
  ActivateMembershipMutation,
  MembershipFields,
  UserMemberships,
  OrganizationMembers,
  OrganizationInvitationMutations,
  OrganizationInvitationFields,
  OrganizationInvitationLists,
  RepositoryRoots,
  NumberedLists,
  CollaboratorEdgeFields,
  RepositoryAccessFields,
  RepositoryUserAccess,
  RepositoryInvitationMutations,
  RepositoryInvitationFields,
  RepositoryInvitationLists,
  RepositoryInvitationRoots,
  UserRepositoryInvitations,
  AttentionRoots,
  UserAttention,
  FollowingRoots,
  UserFollowing,
  ProfileMutations,
  EmailMutations,
  EmailFields,
  RepositoryMutations,
  TransferMutations,
  TransferFields,
  UserTransfers,
  RepositoryTransfers,
  RepositoryPeopleMutations,
  RepositoryFields,
  RepositoryInfoFields,
  RepositoryLists,
  AbsentRepositoryFeatures,
  OwnerRepository,
  OwnerRepositories,
  UserRepositories,
  SearchRoots,
  SearchCounts,
  SearchResultFields,
  ContentMutations,
  RepositoryContents,
  LocationInRepository,
  RepositoryLocationFields,
  InstallationReachRoots,
  CredentialRoots,
  UserTokens,
  TokenFields,
  SigningKeyRoots,
  SshKeyMutations,
  AccountPublicKeys,
  UserSshKeys,
  RepositorySshKeys,
  AppRoots,
  InstallationRoots,
  ViewerInstallationRoots,
  UserApps,
  OrganizationApps,
  AppFields,
  InstallationFields,
  InstallationTokenFields,
  ClientTokenRoots,
  ClientAuthorizationFields,
  NarrowedInstallationFields,
  GitCommitRoots,
  GitLookups,
  RepositoryLanguages,
  RepositoryBranches,
  BranchMutations,
  MergeMutations,
  BranchFields,
  RepositoryCommits,
  RepositoryContributors,
  GitDataRoots,
  RepositoryGit,
  RefFields,
  GitObjectFields,
  CommitFields,
  CommitDetails,
  GitActorTime,
  GitActorFields,
  TreeFields,
  TreeListings,
  TreeEntryFields,
  BlobFields,
  TagFields,
  EventRoots,
  RepositoryEvents,
  OrganizationEvents,
  UserEvents,
  EventPageFields,
  ForkPayloadFields,
  MemberPayloadFields,
  ApiInsightFields,
  HostingInsightRoots,
  HostingInsightFields,
  ApiRouteUsageFields,
  OrganizationApiInsights,
  RateLimitRoots,
  RateLimitFields,
  SourceImportRoots,
  RepositorySourceImport,
  SourceImportLists,
  WebhookRoots,
  WebhookDeliverySubscriptions,
  AppWebhookFields,
  WebhookFields,
  WebhookDeliveryFields,
  WebhookDeliveryPages,
  DeliveryRequestFields,
  DeliveryResponseFields,
  HookMutations,
  HookFields,
  RepositoryHooks,
  OrganizationHooks,
  RepositoryProtectedBranches,
  BranchProtectionFields,
  BranchActorFields,
  BranchProtectionMutations,
  RulesetMutations,
  RulesetFields,
  RuleFields,
  BypassActorFields,
  RepositoryRulesets,
  OrganizationRulesets,
  RuleSuiteFields,
  RuleEvaluationFields,
  RuleOutcomeFields,
  RuleSuiteSubscriptions,
  RepositoryRuleSuites,
  OrganizationRuleSuites,
] as const;

/** Types with a global id. */
export const hostingNodes: readonly NodeKind[] = [
  userNode,
  organizationNode,
  emailNode,
  organizationInvitationNode,
  signingKeyNode,
  sshKeyNode,
  tokenNode,
  appNode,
  appKeyNode,
  installationNode,
  deliveryNode,
  hookNode,
  repositoryNode,
  transferNode,
  repositoryInvitationNode,
  ...gitObjectNodes,
  refNode,
  branchProtectionNode,
  rulesetNode,
  ruleNode,
  bypassActorNode,
  ruleSuiteNode,
  sourceImportAuthorNode,
  eventNode,
];

/** Dependencies of background tasks. */
export interface HostingDependencies {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  outbound: OutboundClient;
  log: JobLog;
  /** Origin of links in sent payloads. */
  publicOrigin: PublicOrigin;
  /** Serializes objects as the REST API does. */
  serialize: SerializeObjects;
  /** Where heavy work over repositories runs; in this process when it is absent. */
  isolatedWork?: IsolatedWork | undefined;
  /** Where long tasks over repositories run; in this process when it is absent. */
  longWork?: LongWork | undefined;
  /** `JSON.stringify` in turns of the event loop. */
  formatJson(value: object): Promise<string>;
}

/** Background tasks of the code hosting product. */
export function hostingTasks(tools: HostingDependencies): Task<never>[] {
  return [
    ...credentialTasks(tools),
    ...commitTasks(tools),
    ...contentTasks(tools),
    ...eventTasks(tools),
    ...insightTasks(tools),
    ...repositoryTasks(tools),
    ...sourceImportTasks(tools),
    ...webhookTasks(tools),
  ];
}
