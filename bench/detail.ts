import assert from 'node:assert/strict';
import type { Benchmark } from './benchmark.ts';

const path = '/api/v1/articles/30/';

const isArticle = (answer: unknown): void => {
  const { id, body, categories, related } = answer as {
    id: number;
    body: string;
    categories: unknown[];
    related: unknown[];
  };
  assert.equal(id, 30);
  assert.ok(body.length > 500);
  assert.ok(categories.length > 0);
  assert.equal(related.length, 3);
};

/** One article with all its relations. */
export const detail: Benchmark = {
  name: 'detail',
  about: `GET ${path}: one article, its body, its categories and three related articles with theirs`,
  rounds: 2,
  seconds: 3,
  contenders: [
    { label: 'facade', server: 'gateway', request: { path }, check: isArticle },
    { label: 'hand-written', server: 'hand-written', request: { path }, check: isArticle },
  ],
  comparisons: [{ figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.2 }],
  same: {
    one: 'facade',
    other: 'hand-written',
    paths: [
      path,
      '/api/v1/articles/1/',
      '/api/v1/articles/1999/',
      '/api/v1/articles/999999/',
      '/api/v1/articles/none/',
    ],
  },
};
