import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type GraphQLNamedType, type GraphQLOutputType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { readConfig } from '../../src/config/config.ts';
import { inTransaction } from '../../src/db/database.ts';
import {
  createServiceCredentialCommand,
  listServiceCredentialsCommand,
  revokeServiceCredentialCommand,
} from '../../src/hosting/credentials/service-credentials.commands.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { subscribe } from '../harness/subscription.ts';
import { until } from '../jobs/job-harness.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings: { RATE_LIMIT_FACTOR: '1' } });
const demo = await demoOf(gateway);
const service = demo.tokens.service;
const bearer = `Bearer ${service}`;
const refusal = 'A service credential reads counts of the installation, at /graphql.';
const counts = '{ hostingInsights { apiRequests { requestCount } } healthInsights { countedUntil } }';

/** Runs a command at the time of the gateway's clock, and returns what it prints. */
async function command(work: (surroundings: Parameters<typeof listServiceCredentialsCommand>[0]) => Promise<void>) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  await inTransaction(gateway.database, db => work({ db, now: gateway.clock.now, write }));
  return lines;
}

describe('the command line', () => {
  test('creates, lists and revokes a credential, whose secret it stores as a hash alone', async () => {
    const [token = ''] = await command(one => createServiceCredentialCommand({ name: ' usage board ' }, one));
    expect(token).toMatch(/^host_svc_[0-9A-Za-z]{42}$/);
    const { rows } = await sql<{ row: string }>`select c::text as row from host_credential c
      where last_eight = ${token.slice(-8)}`.execute(gateway.database.sql);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(token.slice(0, -8));
    const listed = async (): Promise<string> =>
      (await command(listServiceCredentialsCommand)).find(line => line.includes(token.slice(-8))) ?? '';
    expect(await listed()).toMatch(
      /^\d+ {2}usage board {2}….{8} {2}created 2026-10-01T08:10Z {2}never expires {2}never used$/,
    );
    expect((await graphql(gateway, counts, token)).errors).toBeUndefined();
    await until('the use is listed', async () =>
      /last used 2026-10-01T08:10Z$/.test(await listed()) ? true : undefined,
    );
    const [id = ''] = (await listed()).split(' ');
    expect(await command(one => revokeServiceCredentialCommand(id, one))).toEqual([
      `Revoked the service credential ${id}.`,
    ]);
    await until('the gateway knows', async () => {
      const { status } = await call(gateway, 'POST', '/graphql', `Bearer ${token}`, { query: counts });
      return status === 401 ? true : undefined;
    });
    expect(await listed()).toContain('revoked 2026-10-01T08:10Z');
    await expect(command(one => revokeServiceCredentialCommand(id, one))).rejects.toThrow('to revoke');
  });

  test('refuses names and times that mean nothing, and credentials of other kinds', async () => {
    const create = (options: { name: string; expires?: string }) =>
      command(one => createServiceCredentialCommand(options, one));
    for (const name of ['', '  ', 'a'.repeat(201), 'a\nb']) await expect(create({ name })).rejects.toThrow('The name');
    for (const expires of ['', 'tomorrow', '2027-01-01', '2027-13-01T00:00:00Z', '2026-09-30T00:00:00Z', '1'])
      await expect(create({ name: 'board', expires })).rejects.toThrow('--expires must be');
    const { rows } = await sql<{
      id: number;
    }>`select min(id) as id from host_credential where kind = 'classic'`.execute(gateway.database.sql);
    for (const id of [String(rows[0]?.id), '0', '-1', 'x', '1e3', '9'.repeat(30)])
      await expect(command(one => revokeServiceCredentialCommand(id, one))).rejects.toThrow('no service credential');
  });

  test('a credential ends at its time', async () => {
    const expires = '2026-10-01T09:00:00+00:00';
    const [token = ''] = await command(one => createServiceCredentialCommand({ name: 'short', expires }, one));
    const before = gateway.clock.now;
    expect((await graphql(gateway, counts, token)).errors).toBeUndefined();
    gateway.clock.now = new Date('2026-10-01T09:00:00Z');
    expect((await call(gateway, 'POST', '/graphql', `Bearer ${token}`, { query: counts })).status).toBe(401);
    gateway.clock.now = before;
  });
});

describe('a service credential', () => {
  const ask = (query: string, variables = {}) => call(gateway, 'POST', '/graphql', bearer, { query, variables });

  test('reads counts, within limits of its own, and introspects', async () => {
    const { status, json, headers } = await ask(counts);
    expect([status, json.errors]).toEqual([200, undefined]);
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(5000);
    expect(headers.get('x-ratelimit-resource')).toBe('graphql');
    expect((await ask('{ __schema { queryType { name } } __typename }')).json.data.__schema.queryType.name).toBe(
      'Query',
    );
  });

  test('is the only one that reads them', async () => {
    const { wren } = demo.users;
    for (const query of ['{ hostingInsights { from } }', '{ healthInsights { from } }']) {
      const codes = [undefined, wren.classic_token, wren.fine_grained_token, ...Object.values(demo.tokens)]
        .filter(token => token !== service)
        .map(async token => (await graphql(gateway, query, token)).errors[0].extensions.code);
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['UNAUTHENTICATED', 'FORBIDDEN']));
    }
  });

  test.each([
    ['a public field', '{ articles(first: 1) { totalCount } }'],
    ['a public field beside counts', '{ hostingInsights { from } articles(first: 1) { totalCount } }'],
    ['a public field under another name', '{ hostingInsights: articleCategories { slug } }'],
    [
      'a field in a fragment',
      '{ ...F } fragment F on Query { ... on Query { repository(owner: "a", name: "b") { name } } }',
    ],
    ['a person', '{ healthViewer { id } }'],
    ['the user', '{ viewer { login } }'],
    ['an organization', '{ organization(login: "harbor-lab") { login } }'],
    ['a search', '{ search(query: "compass", type: REPOSITORY, first: 1) { repositoryCount } }'],
    ['limits', '{ rateLimit { remaining } }'],
    ['a node', `{ node(id: "${encodeGlobalId('Person', 1)}") { id } }`],
    ['nodes', `{ nodes(ids: ["${encodeGlobalId('Repository', 1)}"]) { id } }`],
    ['a public mutation', 'mutation { openGuestHealthSession(input: {}) { __typename } }'],
    ['a mutation', 'mutation { createRepository(input: { name: "x", visibility: PRIVATE }) { repository { name } } }'],
  ])('does not reach %s', async (_what, query) => {
    const { status, json } = await ask(query);
    const isUnknown = json.errors?.[0].extensions.code === 'GRAPHQL_VALIDATION_FAILED';
    expect({ query, isUnknown }).toEqual({ query, isUnknown: false });
    expect([status, json.data, json.errors[0].message]).toEqual([403, undefined, refusal]);
    expect(json.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'service_credential' });
  });

  test('does not reach subscriptions', async () => {
    const query = 'subscription($id: ID!) { sourceImportUpdated(repositoryId: $id) { status } }';
    const id = await globalIdOf(gateway, 'harbor-lab/compass');
    const events = subscribe(gateway, service, query, { id });
    const closed = await events.next().catch((event: unknown) => event);
    expect(closed).toMatchObject({ code: 4403, reason: 'Forbidden' });
  });

  test('does not reach any path of either REST API, nor files, archives and git', async () => {
    for (const [method, path] of [
      ['GET', '/repos/harbor-lab/compass'],
      ['GET', '/repos/harbor-lab/no-such-repository'],
      ['GET', '/repos/harbor-lab/needle'],
      ['GET', '/api/v3/orgs/harbor-lab'],
      ['GET', '/user'],
      ['GET', '/rate_limit'],
      ['GET', '/search/repositories?q=compass'],
      ['GET', '/raw/harbor-lab/compass/main/README.md'],
      ['GET', '/codeload/harbor-lab/compass/legacy.zip/main'],
      ['GET', '/login/oauth/authorize?client_id=x'],
      ['PUT', '/repos/harbor-lab/compass/contents/a.txt'],
      ['DELETE', '/repos/harbor-lab/compass'],
      ['POST', '/user/repos'],
    ] as const) {
      const { status, json } = await call(gateway, method, path, bearer, method === 'GET' ? undefined : {});
      expect({ path, status, message: json.message }).toEqual({ path, status: 403, message: refusal });
    }
    for (const [method, path] of [
      ['GET', '/api/v1/articles/'],
      ['GET', '/api/v1/health/goals/'],
      ['POST', '/api/v1/auth/login/'],
      ['POST', '/api/v1/auth/guest/'],
    ] as const) {
      const { status, json } = await call(gateway, method, path, bearer, method === 'GET' ? undefined : {});
      expect({ path, status, detail: json.detail }).toEqual({ path, status: 403, detail: refusal });
    }
    for (const header of [basic('git', service), basic(service, 'x'), bearer]) {
      for (const path of ['info/refs?service=git-upload-pack', 'info/refs?service=git-receive-pack']) {
        const { status, text } = await call(gateway, 'GET', `/harbor-lab/compass.git/${path}`, header);
        expect([status, text.trim()]).toEqual([403, refusal]);
      }
    }
  });

  test('opens no page but its own', async () => {
    const open = (path: string) => call(gateway, 'GET', path, bearer, undefined, { accept: 'text/html' });
    for (const path of ['/harbor-lab/compass', '/harbor-lab', '/health', '/orgs/harbor-lab/dashboards/api-usage'])
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    for (const path of ['/dashboards/service', '/dashboards/service/health', '/dashboards/service/feeds'])
      expect([path, (await open(path)).status]).toEqual([path, 200]);
  });
});

test('counts lead to numbers, times and words alone', () => {
  const graph = buildGraph(readConfig({}));
  const strings: string[] = [];
  const visit = (type: GraphQLNamedType): void => {
    if (!isObjectType(type)) throw new Error(`${type.name} is no type of counts.`);
    expect(type.getInterfaces()).toEqual([]);
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      if (!isLeafType(named)) visit(named);
      else if (named.name === 'String') strings.push(`${type.name}.${field.name}`);
      else expect(['ID', 'Uri', 'JSONObject']).not.toContain(named.name);
    }
  };
  for (const root of ['hostingInsights', 'healthInsights'])
    visit(getNamedType(graph.getQueryType()?.getFields()[root]?.type as GraphQLOutputType));
  // Organizations are public, and so are the names of routes and categories.
  expect(strings.toSorted()).toEqual([
    'ApiOrganizationCounts.organizationLogin',
    'ApiRouteCounts.route',
    'ArticleViewCounts.categorySlug',
  ]);
});

test('an unknown token with the prefix is none', async () => {
  const { status } = await call(gateway, 'POST', '/graphql', `Bearer host_svc_${randomUUID()}`, { query: counts });
  expect(status).toBe(401);
});
