import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { DemoHosting } from '../../seeds/hosting/demo-credentials.ts';
import { compass, type FieldCase } from './field-cost-table.ts';

/** At least one case for each field below the root with a declared cost or a page. */
export function nestedFieldCases(demo: DemoHosting): FieldCase[] {
  const insights = (below: string): string =>
    `{ organization(login: "harbor-lab") { apiInsights(from: "2026-10-01T00:00:00Z") { ${below} } } }`;
  const webhook = (below: string): string =>
    `{ node(id: "${encodeGlobalId('App', Number(demo.app.id))}") { ... on App { webhook { ${below} } } } }`;
  return [
    {
      field: 'Organization.events',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { events(first: 100) { nodes { type } totalCount } } }',
      units: 4,
    },
    {
      field: 'User.events',
      as: 'wren',
      document: '{ user(login: "wren") { events(first: 100) { nodes { type } totalCount } } }',
      units: 4,
    },
    {
      field: 'EventConnection.digest',
      as: 'wren',
      document: '{ user(login: "wren") { events(first: 100) { digest } } }',
      units: 6,
    },
    {
      field: 'EventConnection.newestAt',
      as: 'wren',
      document: '{ user(login: "wren") { events(first: 100) { newestAt } } }',
      units: 6,
    },
    {
      field: 'User.isFollowing',
      as: 'wren',
      document: `{ user(login: "wren") { isFollowing(userId: "${encodeGlobalId('User', 2)}") } }`,
      units: 2,
    },
    {
      field: 'Organization.hasMember',
      as: 'wren',
      document: `{ organization(login: "harbor-lab") { hasMember(userId: "${encodeGlobalId('User', 1)}") } }`,
      units: 2,
    },
    {
      field: 'Organization.viewerMembership',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { viewerMembership { state role } } }',
      units: 2,
    },
    {
      field: 'User.hasStarred',
      as: 'wren',
      document: `{ viewer { hasStarred(starrableId: "${encodeGlobalId('Repository', 1)}") } }`,
      units: 2,
    },
    {
      field: 'User.subscription',
      as: 'wren',
      document: `{ viewer { subscription(subscribableId: "${encodeGlobalId('Repository', 1)}") { createdAt } } }`,
      units: 2,
    },
    {
      field: 'GitHubMetadata.rateLimits',
      as: 'anonymous',
      document: '{ meta { rateLimits { rate { used } } } }',
      units: 0,
    },
    { field: 'User.ownedDiskUsage', as: 'wren', document: '{ viewer { ownedDiskUsage } }', units: 2 },
    {
      field: 'User.privateCollaboratorCount',
      as: 'wren',
      document: '{ viewer { privateCollaboratorCount } }',
      units: 2,
    },
    {
      field: 'User.receivedEvents',
      as: 'wren',
      document: '{ user(login: "wren") { receivedEvents(first: 1) { nodes { type } } } }',
      units: 16,
    },
    {
      field: 'User.organizationEvents',
      as: 'wren',
      document: '{ user(login: "wren") { organizationEvents(login: "harbor-lab", first: 100) { nodes { type } } } }',
      units: 11,
    },
    {
      field: 'Repository.networkEvents',
      as: 'anonymous',
      document: `{ repository(${compass}) { networkEvents(first: 100) { nodes { type } } } }`,
      units: 4,
    },
    {
      field: 'User.repositories',
      as: 'wren',
      document:
        '{ viewer { following(first: 100) { nodes { repositories(first: 5) { nodes { name } totalCount } } } } }',
      units: 102,
    },
    {
      field: 'Repository.events',
      as: 'wren',
      document:
        '{ viewer { repositories(first: 100) { nodes { events(first: 5) { nodes { type payload { __typename } } totalCount } } } } }',
      units: 302,
    },
    {
      field: 'Repository.networkForkCount',
      as: 'wren',
      document:
        '{ repositoryOwner(login: "wren") { repositories(first: 100) { nodes { stargazerCount forkCount networkForkCount } } } }',
      units: 2,
    },
    ownedCase('stargazers', 'stargazers(first: 30) { edges { starredAt node { login } } }'),
    ownedCase('watchers', 'watchers(first: 30) { nodes { login } totalCount }'),
    ownedCase('collaborators', 'collaborators(first: 5) { edges { permission node { login } } totalCount }'),
    ownedCase('forks', 'forks(first: 5) { nodes { name } totalCount }'),
    {
      field: 'Repository.access',
      as: 'wren',
      document: `{ repository(${compass}) { access(login: "robin") { role isCollaborator user { name } } } }`,
      units: 2,
    },
    {
      field: 'User.starredRepositories',
      as: 'wren',
      document: '{ viewer { starredRepositories(first: 100) { edges { starredAt node { name } } totalCount } } }',
      units: 2,
    },
    {
      field: 'User.watching',
      as: 'wren',
      document: '{ viewer { watching(first: 100) { nodes { name } totalCount } } }',
      units: 2,
    },
    {
      field: 'Query.search',
      as: 'wren',
      document:
        '{ search(type: REPOSITORY, query: "bulk fork:true sort:updated", first: 100) { nodes { __typename } totalCount } }',
      units: 10,
    },
    {
      field: 'Repository.sourceImport',
      as: 'wren',
      document: ownRepositories('sourceImport { status authorCount largeFileCount }'),
      units: 2,
    },
    {
      field: 'SourceImport.authors',
      as: 'wren',
      document: ownRepositories('sourceImport { authors(first: 10) { nodes { name email } totalCount } }'),
      units: 102,
    },
    {
      field: 'SourceImport.largeFiles',
      as: 'wren',
      document: ownRepositories('sourceImport { largeFiles(first: 10) { nodes { path } totalCount } }'),
      units: 102,
    },
    { field: 'ApiInsights.summary', as: 'wren', document: insights('summary { requestCount }'), units: 21 },
    {
      field: 'ApiInsights.timeSeries',
      as: 'wren',
      document: insights('timeSeries(step: "5m") { requestCount }'),
      units: 21,
    },
    {
      field: 'ApiInsights.routes',
      as: 'wren',
      document: insights('routes(first: 1) { nodes { route } }'),
      units: 21,
    },
    {
      field: 'ApiRouteUsage.timeSeries',
      as: 'wren',
      document: insights('routes(first: 20) { nodes { timeSeries(step: "1d") { requestCount } } }'),
      units: 41,
    },
    { field: 'Organization.apiInsights', as: 'wren', document: insights('from'), units: 1 },
    {
      field: 'ApiInsights.subjects',
      as: 'wren',
      document: insights('subjects(first: 1) { nodes { subjectName } }'),
      units: 21,
    },
    {
      field: 'ApiInsights.actors',
      as: 'wren',
      document: insights('actors(first: 1) { nodes { actorName } }'),
      units: 21,
    },
    ...[
      'followers(first: 100) { nodes { login } }',
      'following(first: 100) { nodes { login } }',
      'organizations(first: 100) { nodes { login } }',
      'signingKeys(first: 100) { nodes { title } }',
      'emails(first: 100) { nodes { email } }',
      'tokens(first: 100) { nodes { note } }',
      'invitations(first: 100) { nodes { role } }',
      'apps(first: 100) { nodes { slug } }',
      'repositoryTransfers(first: 100) { nodes { newName } }',
    ].map(
      (list): FieldCase => ({
        field: `User.${list.split('(')[0]}`,
        as: 'wren',
        document: `{ viewer { name ${list} } }`,
        units: 2,
      }),
    ),
    {
      field: 'Organization.membersWithRole',
      as: 'wren',
      document:
        '{ organization(login: "harbor-lab") { membersWithRole(first: 100) { edges { role node { login } } } } }',
      units: 2,
    },
    {
      field: 'Organization.apps',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { apps(first: 100) { nodes { slug } } } }',
      units: 2,
    },
    {
      field: 'App.installations',
      as: 'app',
      document: '{ viewerApp { installations(first: 100) { nodes { permissions { name level } } } } }',
      units: 2,
    },
    {
      field: 'Query.viewerInstallations',
      as: 'wren',
      document: '{ viewerInstallations(first: 100) { nodes { permissions { name level } } } }',
      units: 1,
    },
    {
      field: 'User.apps',
      as: 'wren',
      document: '{ viewer { apps(first: 100) { nodes { webhook { url } } } } }',
      units: 2,
    },
    {
      field: 'Webhook.deliveries',
      as: 'wren',
      document:
        '{ viewer { apps(first: 100) { nodes { webhook { deliveries(first: 5) { nodes { event } totalCount } } } } } }',
      units: 102,
    },
    {
      field: 'Webhook.deliveries',
      as: 'wren',
      document: webhook('deliveries(first: 100) { nodes { databaseId guid } }'),
      units: 2,
    },
    {
      field: 'DeliveryRequest.payload',
      as: 'wren',
      document: webhook('deliveries(first: 100) { nodes { request { payload } } }'),
      units: 102,
    },
  ];
}

/** A list of each of 100 repositories. */
function ownedCase(name: string, below: string): FieldCase {
  return { field: `Repository.${name}`, as: 'wren', document: ownRepositories(below), units: 102 };
}

const ownRepositories = (below: string): string => `{ viewer { repositories(first: 100) { nodes { ${below} } } } }`;
