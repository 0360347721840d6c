import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { app } from '../../seeds/hosting/demo-accounts.ts';
import type { BulkWorld } from '../harness/bulk-world.ts';

export type Caller = 'anonymous' | 'reader' | 'newcomer' | 'wren' | 'app' | 'service';

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
export const deep = 'owner: "harbor-lab", name: "bulk-2"';

/** At least one case for each query field. */
export function fieldCases(world: BulkWorld): FieldCase[] {
  const counted = '{ nodes { id } totalCount }';
  const repository =
    '{ name diskUsage pushedAt viewerPermission owner { login } parent { name } networkRoot { name } }';
  const articles = Array.from({ length: 97 }, (_, index) => encodeGlobalId('Article', world.article - index));
  const severalKinds = ['Repository', 'User', 'Category']
    .map(type => encodeGlobalId(type, 1))
    .concat(articles)
    .map(id => JSON.stringify(id))
    .join(', ');
  return [
    {
      field: 'Query.articles',
      as: 'reader',
      document: `{ articles(first: 100, search: "walking") ${counted} }`,
      units: 102,
    },
    {
      field: 'Query.articles',
      as: 'reader',
      document: `{ articles(first: 100, after: "${encodeCursor('ArticleConnection', 1900)}") { nodes { id body } totalCount } }`,
      units: 21,
    },
    { field: 'Query.meta', as: 'anonymous', units: 0 },
    {
      field: 'Query.node',
      as: 'anonymous',
      document: `{ node(id: "${encodeGlobalId('Article', world.article)}") { id } }`,
      units: 1,
    },
    {
      field: 'Query.nodes',
      as: 'anonymous',
      document: `{ nodes(ids: [${severalKinds}]) { id ... on Article { body } } }`,
      units: 5,
    },
    { field: 'Query.organization', as: 'wren', args: 'login: "harbor-lab"', units: 16 },
    { field: 'Query.publicEvents', as: 'anonymous', args: 'first: 100', units: 7 },
    { field: 'Query.accounts', as: 'anonymous', document: `{ accounts(first: 100) ${counted} }`, units: 5 },
    { field: 'Query.organizations', as: 'anonymous', document: `{ organizations(first: 100) ${counted} }`, units: 5 },
    {
      field: 'Query.publicRepositories',
      as: 'anonymous',
      document: `{ publicRepositories(first: 100) ${counted} }`,
      units: 10,
    },
    { field: 'Query.rateLimit', as: 'anonymous', units: 0 },
    {
      field: 'Query.openedArticle',
      as: 'reader',
      document: `{ openedArticle(databaseId: ${world.article}) { headline body related { headline } } }`,
      units: 4,
    },
    {
      field: 'Query.recommendedArticles',
      as: 'newcomer',
      document: '{ recommendedArticles(first: 100) { nodes { databaseId } totalCount } }',
      units: 100,
    },
    { field: 'Query.repository', as: 'wren', document: `{ repository(${compass}) ${repository} }`, units: 1 },
    {
      field: 'Query.viewerRepositoryInvitation',
      as: 'wren',
      document: `{ viewerRepositoryInvitation(repository: { ${compass} }) { permission createdAt isExpired } }`,
      units: 1,
    },
    { field: 'Query.repositoryOwner', as: 'wren', args: 'login: "wren"', units: 5 },
    { field: 'Query.user', as: 'wren', args: 'login: "wren"', units: 5 },
    { field: 'Query.accountAsUser', as: 'wren', args: 'login: "wren"', units: 5 },
    {
      field: 'Query.accountStars',
      as: 'wren',
      document: '{ accountStars(login: "wren", first: 100) { nodes { name } totalCount } }',
      units: 1,
    },
    { field: 'Query.viewer', as: 'wren', units: 5 },
    { field: 'Query.viewerApp', as: 'app', units: 5 },
    { field: 'Query.appBySlug', as: 'wren', args: `slug: "${app.slug}"`, units: 5 },
    { field: 'Query.userFollows', as: 'wren', args: 'login: "wren", target: "robin"', units: 1 },
    { field: 'Query.healthViewer', as: 'reader', document: '{ healthViewer { email aboutMe conditions } }', units: 1 },
    {
      field: 'Query.article',
      as: 'reader',
      document: `{ article(databaseId: ${world.article}) { headline body likeCount categories { name } } }`,
      units: 1,
    },
    { field: 'Query.articleCategories', as: 'anonymous', document: '{ articleCategories { name slug } }', units: 1 },
    {
      field: 'Query.communityGroups',
      as: 'reader',
      document:
        '{ communityGroups(first: 100, search: "meets") { nodes { name memberCount isMember createdBy { fullName } } totalCount } }',
      units: 20,
    },
    {
      field: 'Query.communityGroup',
      as: 'reader',
      document: `{ communityGroup(id: "${encodeGlobalId('CommunityGroup', world.communityGroup)}") { name description memberCount } }`,
      units: 1,
    },
  ];
}
