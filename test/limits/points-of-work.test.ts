import { describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { pointsOfWork } from '../../src/limits/points-of-work.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { contracts } from '../contract/contracts.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: 'on' } });
const graph = buildGraph(readConfig({}));
const operations = contracts.flatMap(({ product, endpoints }) =>
  endpoints.map(({ operation }) => ({ product: product.name, operation })),
);
const pointsOf = (route: string): number | undefined =>
  operations.find(({ operation }) => `${operation.method} ${operation.path.replaceAll('{+', '{')}` === route)?.operation
    .points;

/** Method → paths of the code hosting API that its contract documents. */
const documented: Record<string, readonly string[]> = {
  GET: [
    '/repos/{owner}/{repo}/contents/{path}',
    '/repos/{owner}/{repo}/readme',
    '/repos/{owner}/{repo}/readme/{dir}',
    '/repos/{owner}/{repo}/tarball/{ref}',
    '/repos/{owner}/{repo}/git/commits/{commit_sha}',
    '/orgs/{org}/rulesets/rule-suites',
    '/orgs/{org}/rulesets/rule-suites/{rule_suite_id}',
    '/orgs/{org}/insights/api/route-stats/{actor_type}/{actor_id}',
    '/orgs/{org}/insights/api/subject-stats',
    '/orgs/{org}/insights/api/summary-stats',
    '/orgs/{org}/insights/api/summary-stats/users/{user_id}',
    '/orgs/{org}/insights/api/summary-stats/{actor_type}/{actor_id}',
    '/orgs/{org}/insights/api/time-stats',
    '/orgs/{org}/insights/api/time-stats/users/{user_id}',
    '/orgs/{org}/insights/api/time-stats/{actor_type}/{actor_id}',
    '/orgs/{org}/insights/api/user-stats/{user_id}',
    '/events',
    '/networks/{owner}/{repo}/events',
    '/orgs/{org}/events',
    '/repos/{owner}/{repo}/events',
    '/users/{username}/events',
    '/users/{username}/events/orgs/{org}',
    '/users/{username}/events/public',
    '/users/{username}/received_events',
    '/users/{username}/received_events/public',
    '/app/hook/config',
    '/app/hook/deliveries',
    '/app/hook/deliveries/{delivery_id}',
    '/repos/{owner}/{repo}/import',
    '/repos/{owner}/{repo}/import/authors',
    '/repos/{owner}/{repo}/import/large_files',
  ],
  PUT: ['/repos/{owner}/{repo}/contents/{path}', '/repos/{owner}/{repo}/import'],
  POST: ['/repos/{owner}/{repo}/git/commits', '/app/hook/deliveries/{delivery_id}/attempts'],
  PATCH: [
    '/app/hook/config',
    '/repos/{owner}/{repo}/import',
    '/repos/{owner}/{repo}/import/authors/{author_id}',
    '/repos/{owner}/{repo}/import/lfs',
  ],
  DELETE: ['/repos/{owner}/{repo}/contents/{path}', '/repos/{owner}/{repo}/import'],
};

describe('Points of an endpoint', () => {
  test.each(Object.entries(documented))('of a documented %s are the published ones', (method, paths) => {
    expect(paths.map(path => [path, pointsOf(`${method} ${path}`)])).toEqual(
      paths.map(path => [path, method === 'GET' ? 1 : 5]),
    );
  });

  test('of the health API are those of a read or a write', () => {
    const health = operations.filter(({ product }) => product === 'health');
    expect(health.filter(({ operation: { kind, points } }) => points !== (kind === 'mutation' ? 5 : 1))).toEqual([]);
  });

  test('are not fewer than those of a read or a write, unless they are declared with a reason', () => {
    const declared = operations.filter(({ operation }) => operation.pointsReason !== undefined);
    const derived = operations.filter(({ operation }) => operation.pointsReason === undefined);
    expect(derived.filter(({ operation: { kind, points } }) => points < (kind === 'mutation' ? 5 : 1))).toEqual([]);
    expect(declared.map(({ operation }) => [operation.name, operation.points]).toSorted()).toEqual([
      ['CheckToken', 1],
      ['GetContent', 1],
      ['GetReadme', 1],
      ['GetReadmeInDirectory', 1],
      ['SearchRepositories', 30],
      ['SearchUsers', 30],
    ]);
  });

  test('grow with the work of its operation', () => {
    expect(pointsOf('GET /repos/{owner}/{repo}/compare/{basehead}')).toBe(4);
    expect(pointsOf('GET /repos/{owner}/{repo}/commits/{ref}')).toBe(7);
    expect(pointsOf('GET /repos/{owner}/{repo}/commits')).toBe(5);
    expect(pointsOf('GET /repos/{owner}/{repo}/contributors')).toBe(2);
    expect(pointsOf('POST /repos/{owner}/{repo}/git/trees')).toBe(7);
    expect(pointsOf('GET /repos/{owner}/{repo}')).toBe(1);
    expect(pointsOf('POST /user/repos')).toBe(5);
  });
});

describe('The work of an operation', () => {
  const work = (source: string): number => {
    const [definition, ...fragments] = parse(source).definitions as never[];
    return pointsOfWork(graph, definition as never, fragments);
  };

  test('counts filters and page sizes that variables may give, and no skipped rows', () => {
    expect(work('{ articles(first: 100) { nodes { id } } }')).toBe(0);
    expect(work('query ($s: String) { articles(first: 1, search: $s) { nodes { id } } }')).toBe(1);
    expect(work('query ($n: Int) { articles(first: $n) { nodes { related { id } } } }')).toBe(3);
    expect(work('query ($after: String) { articles(first: 1, after: $after) { nodes { id } } }')).toBe(0);
    expect(work('query ($s: String) { ...F } fragment F on Query { articles(search: $s) { nodes { id } } }')).toBe(1);
  });
});

test('A costly endpoint is refused before 900 requests in a minute, and others of the caller are not', async () => {
  const demo = await demoOf(gateway);
  const token = `Bearer ${demo.users.juniper.classic_token}`;
  const path = '/repos/harbor-lab/compass/commits/main';
  const statuses: number[] = [];
  for (let at = 0; at < 129; at++) statuses.push((await call(gateway, 'GET', path, token)).status);
  expect(statuses).toEqual([...Array.from({ length: 128 }, () => 200), 403]);
  const refused = await call(gateway, 'GET', path, token);
  expect(refused.json.message).toMatch(/^You have exceeded a secondary rate limit/);
  expect((await call(gateway, 'GET', '/repos/harbor-lab/compass', token)).status).toBe(200);
});
