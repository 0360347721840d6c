import assert from 'node:assert/strict';
import type { Benchmark } from './benchmark.ts';
import { asReader } from './reader.ts';

const path = '/api/v1/articles/recommended/';
const headers = await asReader();

const isFeed = (body: unknown): void => {
  const { count, results } = body as { count: number; results: { score: number; categories: unknown[] }[] };
  assert.ok(count >= 5);
  assert.equal(results.length, Math.min(count, 20));
  assert.ok(results.every(one => one.categories.length > 0 && one.score > 0));
};

/** The feed of a person with enough recommendations, which is nearly every request. */
export const recommended: Benchmark = {
  name: 'recommended',
  about: `GET ${path}: the recommendations of a person with their articles and categories, and the count; the session is looked up`,
  rounds: 2,
  seconds: 3,
  contenders: [
    { label: 'facade', server: 'gateway', request: { path, headers }, check: isFeed },
    { label: 'hand-written', server: 'hand-written', request: { path, headers }, check: isFeed },
  ],
  comparisons: [{ figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.2 }],
  same: { one: 'facade', other: 'hand-written', headers, paths: [path, `${path}?page=99`] },
};
