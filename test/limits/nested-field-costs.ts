import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { DemoHosting } from '../../seeds/hosting/demo-credentials.ts';
import { compass, type FieldCase } from './field-cost-table.ts';

/** At least one case for each field below the root with a declared cost or a page. */
export function nestedFieldCases(demo: DemoHosting): FieldCase[] {
  const insights = (below: string): string =>
    `{ apiInsights(organization: "harbor-lab", minTimestamp: "2026-10-01T00:00:00Z") { ${below} } }`;
  const webhook = (below: string): string =>
    `{ node(id: "${encodeGlobalId('App', Number(demo.app.id))}") { ... on App { webhook { ${below} } } } }`;
  return [
    {
      field: 'Organization.events',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { events(first: 100) { nodes { databaseId } totalCount } } }',
      units: 2,
    },
    {
      field: 'User.events',
      as: 'wren',
      document: '{ repositoryOwner(login: "wren") { events(first: 100) { nodes { databaseId } pageInfo { total } } } }',
      units: 2,
    },
    {
      field: 'User.receivedEvents',
      as: 'wren',
      document: '{ user(login: "wren") { receivedEvents(first: 1) { nodes { databaseId } } } }',
      units: 16,
    },
    {
      field: 'User.repositories',
      as: 'wren',
      document: '{ viewerRepositories(first: 100) { nodes { owner { repositories(first: 5) { nodes { name } } } } } }',
      units: 101,
    },
    {
      field: 'Organization.ruleSuites',
      as: 'wren',
      document:
        '{ organization(login: "harbor-lab") { ruleSuites(first: 100, timePeriod: MONTH, repositoryName: "compass", actorName: "wren") { nodes { databaseId } totalCount } } }',
      units: 22,
    },
    {
      field: 'Organization.rulesets',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { rulesets(first: 100) { nodes { databaseId } } } }',
      units: 2,
    },
    {
      field: 'Repository.events',
      as: 'wren',
      document: '{ viewerRepositories(first: 100) { nodes { events(first: 1) { nodes { databaseId } } } } }',
      units: 101,
    },
    {
      field: 'Repository.networkCount',
      as: 'wren',
      document:
        '{ repositoryOwner(login: "wren") { repositories(first: 100) { nodes { stars forks watchers networkCount } } } }',
      units: 402,
    },
    {
      field: 'Repository.ruleSuites',
      as: 'wren',
      document: `{ repository(${compass}) { ruleSuites(first: 100, ref: "main") { nodes { databaseId } totalCount } } }`,
      units: 12,
    },
    {
      field: 'Repository.rulesets',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 100) { nodes { databaseId } } } }`,
      units: 2,
    },
    {
      field: 'Repository.sourceImport',
      as: 'wren',
      document: '{ viewerRepositories(first: 100) { nodes { sourceImport { status } } } }',
      units: 101,
    },
    {
      field: 'Article.related',
      as: 'reader',
      document: '{ articles(first: 100) { nodes { id related { id headline } } } }',
      units: 302,
    },
    { field: 'ChatGroup.participants', as: 'reader', document: '{ chatGroups { participants { id } } }', units: 220 },
    { field: 'ApiInsights.summary', as: 'wren', document: insights('summary { totalRequestCount }'), units: 21 },
    {
      field: 'ApiInsights.timeSeries',
      as: 'wren',
      document: insights('timeSeries(increment: "5m") { totalRequestCount }'),
      units: 21,
    },
    {
      field: 'ApiInsights.routes',
      as: 'wren',
      document: insights('routes(first: 1) { nodes { apiRoute } }'),
      units: 21,
    },
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
    ].map(
      (list): FieldCase => ({
        field: `User.${list.split('(')[0]}`,
        as: 'wren',
        document: `{ viewer { ${list} } }`,
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
      document: '{ viewerApp { installations(first: 100) { nodes { permissions } } } }',
      units: 2,
    },
    { field: 'App.webhook', as: 'app', document: '{ viewerApp { webhook { url } } }', units: 2 },
    {
      field: 'Webhook.deliveries',
      as: 'wren',
      document: webhook('deliveries(first: 100) { nodes { databaseId guid } }'),
      units: 3,
    },
    {
      field: 'DeliveryRequest.payload',
      as: 'wren',
      document: webhook('deliveries(first: 100) { nodes { request { payload } } }'),
      units: 103,
    },
  ];
}
