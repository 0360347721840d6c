import type { BulkWorld } from '../harness/bulk-world.ts';

export type Caller = 'anonymous' | 'reader' | 'newcomer' | 'wren' | 'app';

/** A worst case of one field. */
export interface FieldCase {
  /** `Query.field`, or the field below the root that the case measures. */
  field: string;
  as: Caller;
  /** Arguments of the root field, of which all fields are selected. Alternatively a document. */
  args?: string;
  document?: string;
  /** Expected units of database work. */
  units: number;
  /** Uses a process cache, so the case runs on a new gateway. */
  cold?: true;
}

export const compass = 'owner: "harbor-lab", name: "compass"';
const deep = 'owner: "harbor-lab", name: "bulk-2"';
const lab = 'organization: "harbor-lab"';
const imported = 'owner: "harbor-lab", name: "bulk-1"';
const noUuid = '00000000-0000-4000-8000-000000000000';
const noOid = '0000000000000000000000000000000000000000';

/** At least one case for each query field. */
export function fieldCases(world: BulkWorld): FieldCase[] {
  const counted = '{ nodes { id } totalCount }';
  const repository = '{ name size pushedAt permissions { admin } owner { login } parent { name } source { name } }';
  return [
    { field: 'Query.ad', as: 'reader', units: 1 },
    {
      field: 'Query.apiInsights',
      as: 'wren',
      document: `{ apiInsights(${lab}, minTimestamp: "2026-10-01T00:00:00Z") { minTimestamp } }`,
      units: 1,
    },
    { field: 'Query.article', as: 'reader', args: `id: ${world.article}`, units: 4 },
    {
      field: 'Query.articles',
      as: 'reader',
      document: `{ articles(first: 100, search: "walking") ${counted} }`,
      units: 102,
    },
    {
      field: 'Query.articles',
      as: 'reader',
      document: '{ articles(first: 100, page: 20) { nodes { id body } totalCount } }',
      units: 21,
    },
    { field: 'Query.assessment', as: 'reader', args: `id: "${noUuid}"`, units: 1 },
    { field: 'Query.assessments', as: 'reader', args: 'search: "head"', units: 1 },
    {
      field: 'Query.bookmarkedArticles',
      as: 'reader',
      document: `{ bookmarkedArticles(first: 100, search: "walking") ${counted} }`,
      units: 55,
    },
    { field: 'Query.branchRules', as: 'wren', args: `${compass}, branch: "main", first: 100`, units: 1 },
    { field: 'Query.branches', as: 'anonymous', args: `${compass}, first: 100`, units: 1 },
    { field: 'Query.categories', as: 'anonymous', units: 1 },
    { field: 'Query.chatGroups', as: 'reader', units: 220 },
    { field: 'Query.chatUsers', as: 'reader', args: 'search: "peer"', units: 5 },
    {
      field: 'Query.comments',
      as: 'reader',
      document: `{ comments(article: ${world.article}, first: 100, search: "remark") ${counted} }`,
      units: 102,
    },
    { field: 'Query.commitHistory', as: 'wren', args: `${deep}, first: 100`, units: 5, cold: true },
    { field: 'Query.communityGroup', as: 'reader', args: 'id: 1', units: 1 },
    { field: 'Query.communityGroups', as: 'reader', units: 10 },
    { field: 'Query.companionHistory', as: 'reader', args: 'limit: 500', units: 1 },
    {
      field: 'Query.directMessages',
      as: 'reader',
      document: `{ directMessages(userId: ${world.otherUser}, first: 100, search: "message") ${counted} }`,
      units: 102,
    },
    { field: 'Query.gitCommit', as: 'anonymous', args: `${compass}, sha: "${noOid}"`, units: 1 },
    {
      field: 'Query.groupMessages',
      as: 'reader',
      document: `{ groupMessages(groupId: "${world.chatGroup}", first: 100, search: "message") ${counted} }`,
      units: 102,
    },
    { field: 'Query.healthDashboard', as: 'reader', units: 5 },
    { field: 'Query.healthGoal', as: 'reader', args: 'id: 1', units: 1 },
    { field: 'Query.healthGoals', as: 'reader', args: 'first: 100', units: 1 },
    { field: 'Query.healthSummaries', as: 'reader', args: 'first: 100', units: 20 },
    { field: 'Query.hostingApiVersions', as: 'anonymous', units: 0 },
    { field: 'Query.hostingRateLimits', as: 'anonymous', args: 'version: "2022-11-28"', units: 0 },
    { field: 'Query.hostingRoot', as: 'anonymous', args: 'paths: ["/user"]', units: 0 },
    { field: 'Query.latestHealthSummary', as: 'reader', units: 3 },
    { field: 'Query.me', as: 'reader', units: 1 },
    { field: 'Query.myData', as: 'reader', units: 100 },
    { field: 'Query.networkEvents', as: 'anonymous', args: `${compass}, first: 100`, units: 3 },
    { field: 'Query.organization', as: 'wren', args: 'login: "harbor-lab"', units: 3 },
    { field: 'Query.organizationEvents', as: 'anonymous', args: 'login: "harbor-lab", first: 100', units: 3 },
    { field: 'Query.organizationRuleSuite', as: 'wren', args: `${lab}, id: 1`, units: 1 },
    {
      field: 'Query.organizationRuleSuites',
      as: 'wren',
      args: `${lab}, first: 100, timePeriod: MONTH, repositoryName: "compass", actorName: "wren"`,
      units: 22,
    },
    { field: 'Query.organizationRuleset', as: 'wren', args: `${lab}, id: 1`, units: 1 },
    { field: 'Query.organizationRulesets', as: 'wren', args: `${lab}, first: 100`, units: 1 },
    { field: 'Query.peerConnections', as: 'reader', args: 'first: 100, search: "peer"', units: 25 },
    { field: 'Query.peerRequests', as: 'reader', units: 3 },
    { field: 'Query.privateChats', as: 'reader', units: 50 },
    {
      field: 'Query.privateMessages',
      as: 'reader',
      document: `{ privateMessages(chatId: "${world.privateChat}", first: 100, search: "message") ${counted} }`,
      units: 102,
    },
    { field: 'Query.publicEvents', as: 'anonymous', args: 'first: 100', units: 3 },
    { field: 'Query.rateLimit', as: 'anonymous', units: 0 },
    { field: 'Query.receivedEvents', as: 'wren', args: 'login: "wren", first: 100', units: 20 },
    {
      field: 'Query.recommendedArticles',
      as: 'newcomer',
      document: `{ recommendedArticles(first: 100) ${counted} }`,
      units: 100,
    },
    { field: 'Query.repository', as: 'wren', document: `{ repository(${compass}) ${repository} }`, units: 1 },
    { field: 'Query.repositoryArchive', as: 'anonymous', args: compass, units: 1 },
    { field: 'Query.repositoryById', as: 'wren', document: `{ repositoryById(id: 1) ${repository} }`, units: 1 },
    {
      field: 'Query.repositoryContent',
      as: 'wren',
      document: `{ repositoryContent(${deep}, path: "old/README.md") { ... on FileContent { content lastModified } } }`,
      units: 100,
      cold: true,
    },
    { field: 'Query.repositoryEvents', as: 'anonymous', args: `${compass}, first: 100`, units: 3 },
    { field: 'Query.repositoryOwner', as: 'wren', args: 'login: "wren"', units: 3 },
    {
      field: 'Query.repositoryReadme',
      as: 'wren',
      document: `{ repositoryReadme(${deep}, directory: "old") { ... on FileContent { content lastModified } } }`,
      units: 100,
      cold: true,
    },
    { field: 'Query.repositoryRuleSuite', as: 'wren', args: `${compass}, id: 1`, units: 1 },
    { field: 'Query.repositoryRuleSuites', as: 'wren', args: `${compass}, first: 100, ref: "main"`, units: 12 },
    { field: 'Query.repositoryRuleset', as: 'wren', args: `${compass}, id: 1`, units: 1 },
    { field: 'Query.repositoryRulesets', as: 'wren', args: `${compass}, first: 100`, units: 1 },
    { field: 'Query.sourceImport', as: 'wren', args: imported, units: 1 },
    { field: 'Query.sourceImportAuthors', as: 'wren', args: imported, units: 2 },
    { field: 'Query.sourceImportLargeFiles', as: 'wren', args: imported, units: 2 },
    { field: 'Query.suggestedPeers', as: 'reader', args: 'limit: 50', units: 100 },
    { field: 'Query.symptomLog', as: 'reader', args: 'id: 1', units: 1 },
    { field: 'Query.symptomLogs', as: 'reader', args: 'first: 100, search: "head"', units: 1 },
    { field: 'Query.user', as: 'wren', args: 'login: "wren"', units: 3 },
    { field: 'Query.userEvents', as: 'anonymous', args: 'login: "wren", first: 100', units: 3 },
    {
      field: 'Query.userOrganizationEvents',
      as: 'wren',
      args: 'login: "wren", organization: "harbor-lab", first: 100',
      units: 10,
    },
    { field: 'Query.viewer', as: 'wren', units: 3 },
    { field: 'Query.viewerApp', as: 'app', units: 3 },
    {
      field: 'Query.viewerRepositories',
      as: 'wren',
      document: `{ viewerRepositories(first: 100) { nodes ${repository} totalCount } }`,
      units: 1,
    },
    { field: 'Query.vitalReading', as: 'reader', args: 'id: 1', units: 1 },
    { field: 'Query.vitalReadings', as: 'reader', args: 'first: 100', units: 1 },
  ];
}
