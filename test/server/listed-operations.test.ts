import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { documentPolicy } from '../../src/server/document-policy.ts';
import { readListedOperations } from '../../src/server/listed-operations.ts';
import { createAccounts } from '../harness/accounts.ts';
import { type Answer, type TestGateway, testGateway } from '../harness/gateway.ts';
import { demoOf, globalIdOf } from '../harness/hosting.ts';

const gateway = await testGateway({ settings: { SOURCE_IMPORTS: 'on' } });
const strict = await testGateway({ beside: gateway, settings: { GRAPHQL_DOCUMENTS: 'listed' } });
const demo = await demoOf(gateway);
const authorization = `Bearer ${demo.users.juniper.classic_token}`;
const administrator = `Bearer ${demo.users.wren.classic_token}`;
const [person] = await createAccounts(gateway, 1);
const health = `Bearer ${person?.access}`;

const folder = join(import.meta.dirname, '..', '..', 'examples', 'operations');
const operations = readdirSync(folder)
  .filter(file => file.endsWith('.graphql'))
  .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8').replace(/\n$/, '') }));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(text) } });
const textOf = (file: string): string => operations.find(one => one.file === `${file}.graphql`)?.text ?? '';

const post = (at: TestGateway, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  at.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const code = ({ status, json }: Answer): unknown => [status, json.errors?.[0].extensions.code];

const lab = { login: 'harbor-lab' };
const compass = { owner: 'harbor-lab', name: 'compass' };

/** The caller and the variables of each operation, without a credential where anyone may run it, and the field that has a value. */
const runs: Record<string, { as?: string; variables?: object; field: string }> = {
  'active-goals': { as: health, field: 'healthViewer.goals.nodes' },
  articles: { field: 'articles.nodes' },
  'branch-heads': { as: authorization, variables: compass, field: 'repository.refs.nodes.0.target.messageHeadline' },
  'categories-with-articles': { field: 'articleCategories.0.articles.totalCount' },
  'failed-deliveries': {
    as: administrator,
    variables: { ...lab, since: '2026-01-01T00:00:00Z' },
    field: 'organization.apps.nodes.0.webhook.deliveries.nodes',
  },
  'folder-texts': {
    as: authorization,
    variables: { ...compass, expression: 'HEAD:docs' },
    field: 'repository.object.entries.0.object.text',
  },
  'health-dashboard': { as: health, field: 'healthViewer.dashboard.last30Days.symptoms.reportCount' },
  'health-week': { as: health, field: 'healthViewer.dashboard.last7Days' },
  'hosting-dashboard': { as: authorization, field: 'viewer.repositories.nodes.0.defaultBranchRef.name' },
  'my-organizations': { as: administrator, field: 'viewer.organizations.nodes.0.ruleSuites.totalCount' },
  'organization-administration': {
    as: administrator,
    variables: lab,
    field: 'organization.membersWithRole.edges.0.role',
  },
  'organization-api-usage': {
    as: administrator,
    variables: { ...lab, from: gateway.clock.now.toISOString() },
    field: 'organization.apiInsights.routes.nodes',
  },
  'organization-repositories': { as: authorization, variables: lab, field: 'organization.repositories.nodes.0' },
  'path-history': {
    as: authorization,
    variables: { ...compass, path: 'docs' },
    field: 'repository.object.history.nodes.0.messageHeadline',
  },
  'rate-limit': { as: authorization, field: 'rateLimit' },
  'repositories-by-id': {
    as: authorization,
    variables: { ids: [await globalIdOf(gateway, 'harbor-lab/compass')] },
    field: 'nodes.0.nameWithOwner',
  },
  repository: { as: authorization, variables: compass, field: 'repository.createdAt' },
  'rule-outcomes': { as: administrator, variables: lab, field: 'organization.ruleOutcomes' },
  'token-expiry': { as: authorization, field: 'viewer.tokens.nodes.0.lastEight' },
  'unread-chats': { as: health, field: 'healthViewer.chats.nodes' },
  viewer: { as: authorization, field: 'viewer.login' },
};

const valueAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], data);

describe('a listed operation', () => {
  test('has a run in the table', () => {
    expect(operations.map(({ file }) => file.replace('.graphql', '')).toSorted()).toEqual(Object.keys(runs).toSorted());
  });

  test.each(operations)('$file runs by its hash alone, by POST and by GET', async ({ file, text }) => {
    const { as, variables = {}, field } = runs[file.replace('.graphql', '')] ?? { field: '' };
    const headers = as === undefined ? {} : { authorization: as };
    const body = { extensions: persisted(text), variables };
    const posted = await post(gateway, body, headers);
    expect([posted.status, posted.json.errors]).toEqual([200, undefined]);
    // With limits off, the state of the limits is null.
    if (field !== 'rateLimit') expect(valueAt(posted.json.data, field) ?? null).not.toBeNull();
    const search = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
    const got = await gateway.request(`/graphql?${search}`, { headers });
    expect([got.status, got.json.data]).toEqual([200, posted.json.data]);
  });

  test('that does not fit the graph stops the start, and the message names the file', () => {
    expect(() => readListedOperations(buildSchema('type Query { nothing: Int }'))).toThrow(
      /^examples\/operations\/[a-z-]+\.graphql: Cannot query field/,
    );
  });
});

describe('persisted queries of clients', () => {
  const text = '{ articles(first: 1) { nodes { headline } } }';

  test('are sent once and run by their hash from then on', async () => {
    const extensions = persisted(text);
    expect(code(await post(gateway, { extensions }))).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND']);
    const first = await post(gateway, { query: text, extensions });
    expect(first.json.data.articles.nodes).toHaveLength(1);
    expect((await post(gateway, { extensions })).json.data).toEqual(first.json.data);
  });

  test('cannot take the hash of another text', async () => {
    const answer = await post(gateway, { query: text, extensions: persisted(textOf('articles')) });
    expect(code(answer)).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('with GRAPHQL_DOCUMENTS=listed', () => {
  const listed = textOf('articles');
  const unlisted = '{ articles(first: 1) { nodes { id } } }';
  let guest = '';
  let member = '';
  beforeAll(async () => {
    const accounts = await createAccounts(gateway, [{ is_guest: true }, {}]);
    [guest = '', member = ''] = accounts.map(({ access }) => `Bearer ${access}`);
  });

  test('a stranger runs a listed operation, by its hash or its text', async () => {
    for (const body of [{ extensions: persisted(listed) }, { query: listed }, { query: `${listed}\n` }]) {
      expect((await post(strict, body)).json.data.articles.nodes).not.toEqual([]);
    }
  });

  test.each([
    ['a query', unlisted],
    ['a mutation', 'mutation { closeHealthSession(input: { refreshToken: "x" }) { clientMutationId } }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['an invalid document', '{ nothing }'],
    ['a listed operation with another beside it', `${listed} query Another { __typename }`],
  ])('a stranger does not run %s', async (_, query) => {
    expect(code(await post(strict, { query }))).toEqual([403, 'DOCUMENT_NOT_LISTED']);
    const byGet = await strict.request(`/graphql?${new URLSearchParams({ query })}`);
    const refusal = query.startsWith('mutation') ? [405, 'BAD_REQUEST'] : [403, 'DOCUMENT_NOT_LISTED'];
    expect(code(byGet)).toEqual(refusal);
  });

  test('a guest is a stranger', async () => {
    expect(code(await post(strict, { query: unlisted }, { authorization: guest }))).toEqual([
      403,
      'DOCUMENT_NOT_LISTED',
    ]);
  });

  test('an authenticated caller runs any document, and a stranger does not run it from the cache afterwards', async () => {
    for (const authenticated of [authorization, member]) {
      const answer = await post(
        strict,
        { query: unlisted, extensions: persisted(unlisted) },
        { authorization: authenticated },
      );
      expect(answer.json.data.articles.nodes).toHaveLength(1);
    }
    for (const body of [{ query: unlisted }, { extensions: persisted(unlisted) }]) {
      expect(code(await post(strict, body))).toEqual([403, 'DOCUMENT_NOT_LISTED']);
    }
  });

  test('an invalid credential is 401 with its challenge', async () => {
    const answer = await post(strict, { query: unlisted }, { authorization: 'Bearer nonsense' });
    expect(code(answer)).toEqual([401, 'BAD_CREDENTIAL']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  });

  test('a guest subscribes to no unlisted document over WebSocket', () => {
    const policy = documentPolicy('listed', new Map());
    const person = { kind: 'person' as const, ip: '', userId: 1, sessionId: '' };
    expect(policy.refusal({ ...person, isGuest: true }, 'subscription { x }')?.extensions.code).toBe(
      'DOCUMENT_NOT_LISTED',
    );
    expect(policy.refusal({ ...person, isGuest: false }, 'subscription { x }')).toBeUndefined();
  });
});
