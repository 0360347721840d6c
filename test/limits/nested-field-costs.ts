import type { DemoHosting } from '../../seeds/hosting/demo-credentials.ts';
import type { BulkWorld } from '../harness/bulk-world.ts';
import { compass, type FieldCase } from './field-cost-table.ts';

/** At least one case for each field below the root with a declared cost or a page. */
export function nestedFieldCases(world: BulkWorld, demo: DemoHosting): FieldCase[] {
  const insights = (below: string): string =>
    `{ organization(login: "harbor-lab") { apiInsights(from: "2026-10-01T00:00:00Z") { ${below} } } }`;
  const webhook = (below: string): string => `{ appWebhook(appId: ${demo.app.id}) { ${below} } }`;
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
        '{ viewer { repositories(first: 100) { nodes { owner { repositories(first: 5) { nodes { name } } } } } } }',
      units: 102,
    },
    {
      field: 'Organization.ruleSuites',
      as: 'wren',
      document:
        '{ organization(login: "harbor-lab") { ruleSuites(first: 100, period: MONTH, repositoryName: "compass", actorLogin: "wren") { nodes { databaseId } totalCount } } }',
      units: 23,
    },
    {
      field: 'Organization.rulesets',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { rulesets(first: 100) { nodes { databaseId } } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleset',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleset(databaseId: 1) { name } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleSuite',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleSuite(databaseId: 1) { ref } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleOutcomes',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleOutcomes(period: MONTH) { ruleType failCount } } }',
      units: 11,
    },
    {
      field: 'Repository.events',
      as: 'wren',
      document: '{ viewer { repositories(first: 100) { nodes { events(first: 1) { nodes { type } } } } } }',
      units: 302,
    },
    {
      field: 'Repository.networkForkCount',
      as: 'wren',
      document:
        '{ repositoryOwner(login: "wren") { repositories(first: 100) { nodes { stargazerCount forkCount networkForkCount } } } }',
      units: 302,
    },
    ownedCase('stargazers', 'stargazers(first: 5) { edges { starredAt node { login } } }'),
    ownedCase('watchers', 'watchers(first: 5) { nodes { login } totalCount }'),
    ownedCase('collaborators', 'collaborators(first: 5) { edges { permission node { login } } }'),
    ownedCase('forks', 'forks(first: 5) { nodes { name } totalCount }'),
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
      field: 'Repository.ruleSuites',
      as: 'wren',
      document: `{ repository(${compass}) { ruleSuites(first: 100, ref: "main") { nodes { databaseId } totalCount } } }`,
      units: 13,
    },
    {
      field: 'Repository.ruleSuite',
      as: 'wren',
      document: `{ repository(${compass}) { ruleSuite(databaseId: 1) { ref } } }`,
      units: 3,
    },
    {
      field: 'Repository.ruleOutcomes',
      as: 'wren',
      document: `{ repository(${compass}) { ruleOutcomes(period: MONTH) { ruleType passCount } } }`,
      units: 11,
    },
    {
      field: 'Repository.ruleset',
      as: 'wren',
      document: `{ repository(${compass}) { ruleset(databaseId: 1) { name } } }`,
      units: 2,
    },
    {
      field: 'Repository.branchRules',
      as: 'wren',
      document: `{ repository(${compass}) { branchRules(branch: "main", first: 100) { nodes { type } } } }`,
      units: 2,
    },
    {
      field: 'RepositoryRuleset.rules',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 5) { nodes { rules(first: 50) { nodes { type } } } } } }`,
      units: 2,
    },
    {
      field: 'RepositoryRuleset.bypassActors',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 5) { nodes { bypassActors(first: 50) { nodes { bypassMode } } } } } }`,
      units: 2,
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
      document: '{ viewer { repositories(first: 100) { nodes { sourceImport { status } } } } }',
      units: 102,
    },
    {
      field: 'Article.comments',
      as: 'reader',
      document: `{ article(databaseId: ${world.article}) { comments(first: 100, search: "remark") { nodes { text } totalCount } } }`,
      units: 103,
    },
    {
      field: 'ArticleComment.replies',
      as: 'reader',
      document: `{ article(databaseId: ${world.article}) { comments(first: 100) { nodes { replies(first: 10) { nodes { text } totalCount } } } } }`,
      units: 103,
    },
    {
      field: 'Category.articles',
      as: 'anonymous',
      document: '{ articleCategories { articles(first: 3) { totalCount nodes { headline } } } }',
      units: 101,
    },
    {
      field: 'Category.articles',
      as: 'anonymous',
      document: '{ articleCategories { articles(first: 3, search: "walking") { totalCount nodes { headline } } } }',
      units: 301,
    },
    {
      field: 'Person.bookmarks',
      as: 'reader',
      document: '{ healthViewer { bookmarks(first: 100, search: "walking") { nodes { id } totalCount } } }',
      units: 56,
    },
    {
      field: 'Person.recommendations',
      as: 'reader',
      document:
        '{ healthViewer { recommendations(first: 100, search: "walking") { nodes { reason article { headline } } totalCount } } }',
      units: 56,
    },
    {
      field: 'Article.related',
      as: 'reader',
      document: '{ articles(first: 100) { nodes { id related { id headline } } } }',
      units: 302,
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
    {
      field: 'AppWebhook.deliveries',
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
  const document = `{ viewer { repositories(first: 100) { nodes { ${below} } } } }`;
  return { field: `Repository.${name}`, as: 'wren', document, units: 102 };
}
