import type { DerivedKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { Clock } from '../context/context.ts';
import type { NodeKind } from '../context/node-kind.ts';
import type { Database } from '../db/database.ts';
import type { Task } from '../jobs/run-task.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { AccountFields, ActorFields, UserFields } from './accounts/account-fields.graph.ts';
import { HostingAccountRoots } from './accounts/accounts.graph.ts';
import { emailNode, organizationNode, userNode } from './accounts/accounts.node.ts';
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
import { InstallationRoots } from './apps/installations.graph.ts';
import { GitCommitFields, GitCommitRoots } from './commits/git-commits.graph.ts';
import { ContentRoots } from './contents/contents.graph.ts';
import { contentTasks } from './contents/contents.tasks.ts';
import { CredentialRoots } from './credentials/credentials.graph.ts';
import { tokenNode } from './credentials/credentials.node.ts';
import { credentialTasks } from './credentials/credentials.tasks.ts';
import { TokenFields, UserTokens } from './credentials/token-fields.graph.ts';
import {
  AccountEvents,
  EventFeedFields,
  EventRoots,
  ForkPayloadFields,
  MemberPayloadFields,
  RepositoryEvents,
  UserEvents,
} from './events/events.graph.ts';
import { eventTasks } from './events/events.tasks.ts';
import { GitDataRoots } from './git-data/git-data.graph.ts';
import { ApiInsightFields, ApiInsightRoots } from './insights/insights.graph.ts';
import { insightTasks } from './insights/insights.tasks.ts';
import { MetaRoots } from './meta/meta.graph.ts';
import { MembershipFields, OrganizationMembers, UserMemberships } from './organizations/membership-fields.graph.ts';
import { OrganizationRoots } from './organizations/organizations.graph.ts';
import { RateLimitRoots } from './rate-limits/rate-limits.graph.ts';
import { RepositoryRoots } from './repositories/repositories.graph.ts';
import { CollaboratorFields, RepositoryFields } from './repositories/repository-fields.graph.ts';
import {
  OrganizationRuleSuites,
  RepositoryRuleSuites,
  RuleSuiteFields,
  RuleSuiteRoots,
} from './rule-suites/rule-suites.graph.ts';
import { OrganizationRulesets, RepositoryRulesets, RulesetFields } from './rulesets/ruleset-fields.graph.ts';
import { RulesetRoots } from './rulesets/rulesets.graph.ts';
import { SigningKeyRoots, UserSigningKeys } from './signing-keys/signing-keys.graph.ts';
import { signingKeyNode } from './signing-keys/signing-keys.node.ts';
import { RepositorySourceImport, SourceImportRoots } from './source-imports/source-imports.graph.ts';
import { sourceImportTasks } from './source-imports/source-imports.tasks.ts';
import type { SerializeObjects } from './webhooks/build-payload.ts';
import {
  AppWebhookFields,
  DeliveryRequestFields,
  DeliveryResponseFields,
  WebhookDeliveryFields,
  WebhookFields,
} from './webhooks/webhook-fields.graph.ts';
import { WebhookRoots } from './webhooks/webhooks.graph.ts';
import { deliveryNode } from './webhooks/webhooks.node.ts';
import { webhookTasks } from './webhooks/webhooks.tasks.ts';

/** Resolvers of the code hosting product. */
export const hostingResolvers = [
  MetaRoots,
  HostingAccountRoots,
  AccountFields,
  ActorFields,
  UserFields,
  UserSigningKeys,
  OrganizationRoots,
  MembershipFields,
  UserMemberships,
  OrganizationMembers,
  RepositoryRoots,
  RepositoryFields,
  CollaboratorFields,
  ContentRoots,
  CredentialRoots,
  UserTokens,
  TokenFields,
  SigningKeyRoots,
  AppRoots,
  InstallationRoots,
  UserApps,
  OrganizationApps,
  AppFields,
  InstallationFields,
  InstallationTokenFields,
  ClientTokenRoots,
  ClientAuthorizationFields,
  NarrowedInstallationFields,
  GitCommitRoots,
  GitCommitFields,
  GitDataRoots,
  EventRoots,
  RepositoryEvents,
  UserEvents,
  AccountEvents,
  EventFeedFields,
  ForkPayloadFields,
  MemberPayloadFields,
  ApiInsightRoots,
  ApiInsightFields,
  RateLimitRoots,
  SourceImportRoots,
  RepositorySourceImport,
  WebhookRoots,
  AppWebhookFields,
  WebhookFields,
  WebhookDeliveryFields,
  DeliveryRequestFields,
  DeliveryResponseFields,
  RulesetRoots,
  RulesetFields,
  RepositoryRulesets,
  OrganizationRulesets,
  RuleSuiteRoots,
  RuleSuiteFields,
  RepositoryRuleSuites,
  OrganizationRuleSuites,
] as const;

/** Types with a global id. */
export const hostingNodes: readonly NodeKind[] = [
  userNode,
  organizationNode,
  emailNode,
  signingKeyNode,
  tokenNode,
  appNode,
  appKeyNode,
  installationNode,
  deliveryNode,
];

/** Dependencies of background tasks. */
export interface HostingDependencies {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  outbound: OutboundClient;
  /** Origin of links in sent payloads. */
  publicOrigin: PublicOrigin;
  /** Serializes objects as the REST API does. */
  serialize: SerializeObjects;
}

/** Background tasks of the code hosting product. */
export function hostingTasks(tools: HostingDependencies): Task<never>[] {
  return [
    ...credentialTasks(tools),
    ...contentTasks(tools),
    ...eventTasks(tools),
    ...insightTasks(tools),
    ...sourceImportTasks(tools),
    ...webhookTasks(tools),
  ];
}
