import assert from 'node:assert/strict';
import { anchors, type Benchmark } from './benchmark.ts';

/** A quotation, which has no other words and no ranking, as the server written by hand. In few articles: a term in half of them takes PostgreSQL 50 ms and measures only that. */
const path = '/api/v1/articles/?search=%22reflux%22&page=2';

const isPage = (body: unknown): void => {
  const { count, results } = body as { count: number; results: unknown[] };
  assert.ok(count > 40 && count < 200);
  assert.equal(results.length, 20);
};

/** A full-text search over all articles. */
export const search: Benchmark = {
  name: 'search',
  about: `GET ${path}: a word, looked for in headline, summary, author, body and category names`,
  rounds: 2,
  seconds: 3,
  contenders: [
    { label: 'facade', server: 'gateway', request: { path }, check: isPage },
    { label: 'hand-written', server: 'hand-written', request: { path }, check: isPage },
  ],
  comparisons: [{ figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.2 }],
  same: {
    varying: anchors,
    one: 'facade',
    other: 'hand-written',
    paths: [path, '/api/v1/articles/?search=%22acid%20reflux%22%20%22meals%22'],
  },
};
