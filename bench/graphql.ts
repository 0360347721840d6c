import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCursor } from '../schema/vocabulary/cursor.ts';
import type { Benchmark, Contender } from './benchmark.ts';
import { asReader } from './reader.ts';
import { articleCount } from './world.ts';

const listPath = '/api/v1/articles/?page=3';
const detailPath = '/api/v1/articles/7/';

const item = `id: databaseId headline summary image_url: imageUrl author source source_url: sourceUrl
  categories { id: databaseId name slug } read_time_minutes: readTimeMinutes published_at: publishedAt like_count: likeCount
  comment_count: commentCount is_liked: isLiked is_bookmarked: isBookmarked`;

const listDocument = `query Page($after: String) {
  articles(after: $after, first: 20) { totalCount pageInfo { hasNextPage } nodes { ${item} } }
}`;

const detailDocument = `query One($id: SafeInt!) {
  article(databaseId: $id) { ${item} body tags updated_at: updatedAt related { ${item} } }
}`;

const dashboardDocument = readFileSync(
  join(import.meta.dirname, '..', 'examples', 'operations', 'health-dashboard.graphql'),
  'utf8',
);

const headers = await asReader();

function graphql(
  label: string,
  query: string,
  variables: object,
  check: (data: Record<string, unknown>) => void,
): Contender {
  return {
    label,
    server: 'gateway',
    request: {
      path: '/graphql',
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    },
    check: body => check((body as { data: Record<string, unknown> }).data),
  };
}

const rest = (label: string, path: string, check: Contender['check']): Contender => ({
  label,
  server: 'gateway',
  request: { path, headers },
  check,
});

const isDefined = (body: unknown): void => assert.equal(typeof body, 'object');

interface Page {
  nodes: unknown[];
  totalCount: number;
}

/** A repeated document against the REST endpoint of the same data, by the same caller. */
export const graphqlEntryPoint: Benchmark = {
  name: 'graphql',
  about:
    'the GraphQL entry point against the REST endpoint of the same data: a list with its count, an article, a dashboard',
  rounds: 3,
  seconds: 3,
  contenders: [
    rest('list by REST', listPath, body => {
      assert.equal((body as { count: number }).count, articleCount);
    }),
    graphql('list by GraphQL', listDocument, { after: encodeCursor('ArticleConnection', 40) }, ({ articles }) => {
      assert.equal((articles as Page).totalCount, articleCount);
      assert.equal((articles as Page).nodes.length, 20);
    }),
    rest('article by REST', detailPath, body => {
      assert.equal((body as { id: number }).id, 7);
    }),
    graphql('article by GraphQL', detailDocument, { id: 7 }, ({ article }) => {
      assert.equal((article as { id: number }).id, 7);
    }),
    { ...rest('dashboard by REST', '/api/v1/health/dashboard/', isDefined), hasTimestamps: true },
    { ...graphql('dashboard by GraphQL', dashboardDocument, {}, isDefined), hasTimestamps: true },
  ],
  comparisons: [
    { figure: 'cpu', of: 'list by GraphQL', over: 'list by REST', bar: 1.2 },
    { figure: 'cpu', of: 'article by GraphQL', over: 'article by REST', bar: 1.2 },
    { figure: 'cpu', of: 'dashboard by GraphQL', over: 'dashboard by REST', bar: 1.2 },
  ],
};
