import assert from 'node:assert/strict';
import { encodeCursor } from '../schema/vocabulary/cursor.ts';
import { anchors, type Benchmark } from './benchmark.ts';
import { articleCount } from './world.ts';

const path = '/api/v1/articles/?page=3';
const sofaPath = '/api/articles?page=3&first=20';

/** The published list's selection, as a client of `/graphql` would write it. */
const document = `query Page($after: String) {
  articles(after: $after, first: 20) {
    totalCount
    pageInfo { hasNextPage }
    nodes {
      id headline summary image_url: imageUrl author source source_url: sourceUrl categories { id name slug }
      read_time_minutes: readTimeMinutes published_at: publishedAt like_count: likeCount comment_count: commentCount
      is_liked: isLiked is_bookmarked: isBookmarked
    }
  }
}`;

interface Item {
  categories: unknown[];
}

function isPage(items: Item[], total: number): void {
  assert.equal(total, articleCount);
  assert.equal(items.length, 20);
  assert.ok(items.every(item => item.categories.length > 0));
}

const published = (body: unknown): void => {
  const { results, count } = body as { results: Item[]; count: number };
  isPage(results, count);
};

const graph = (body: unknown): void => {
  const { nodes, totalCount } = body as { nodes: Item[]; totalCount: number };
  isPage(nodes, totalCount);
};

/** A page of the article list, by every available way. */
export const list: Benchmark = {
  name: 'list',
  about: `GET ${path}: 20 of ${articleCount} articles with their categories, and the count`,
  rounds: 3,
  seconds: 4,
  contenders: [
    { label: 'facade', server: 'gateway', request: { path }, check: published },
    { label: 'hand-written', server: 'hand-written', request: { path }, check: published },
    { label: 'sofa-api', server: 'sofa', request: { path: sofaPath }, check: graph },
    {
      label: 'sofa-api, cut graph',
      server: 'sofa-cut',
      request: { path: sofaPath },
      check: graph,
      isInformational: true,
    },
    {
      label: 'hand-written, prepared',
      server: 'hand-written-prepared',
      request: { path },
      check: published,
      isInformational: true,
    },
    {
      label: 'hand-written, bare',
      server: 'hand-written-bare',
      request: { path },
      check: published,
      isInformational: true,
    },
    {
      label: 'GraphQL endpoint',
      server: 'gateway',
      request: {
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: document, variables: { after: encodeCursor('ArticleConnection', 40) } }),
      },
      check: body => graph((body as { data: { articles: unknown } }).data.articles),
      isInformational: true,
    },
  ],
  comparisons: [
    { figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.2 },
    { figure: 'throughput', of: 'facade', over: 'sofa-api', bar: 2 },
    { figure: 'cpu', of: 'facade', over: 'hand-written, prepared' },
    { figure: 'cpu', of: 'sofa-api, cut graph', over: 'facade' },
    { figure: 'throughput', of: 'facade', over: 'sofa-api, cut graph' },
  ],
  same: {
    varying: anchors,
    one: 'facade',
    other: 'hand-written',
    paths: [
      '/api/v1/articles/',
      path,
      '/api/v1/articles/?page=100',
      '/api/v1/articles/?page=101',
      '/api/v1/articles/?page=none',
      '/api/v1/articles/?page_size=7&page=2',
      '/api/v1/articles/?page_size=500',
      '/api/v1/articles/?source=other',
      '/api/v1/articles/?source=nobody',
      '/api/v1/articles/?categories__slug=mental-health&page=2',
      '/api/v1/articles/?categories__slug=no-such-thing',
      '/api/v1/articles/?ordering=-like_count,headline',
      '/api/v1/articles/?ordering=nonsense',
      '/api/v1/articles/?search=sleep&ordering=id',
      '/api/v1/articles/?search=%22blood%20pressure%22%20salt',
      '/api/v1/articles/?search=sleep&source=other&page=2',
    ],
  },
};
