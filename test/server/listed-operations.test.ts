import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { documentPolicy } from '../../src/server/document-policy.ts';
import { readListedOperations } from '../../src/server/listed-operations.ts';
import { createAccounts } from '../harness/accounts.ts';
import { type Answer, type TestGateway, testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await testGateway();
const strict = await testGateway({ beside: gateway, settings: { GRAPHQL_DOCUMENTS: 'listed' } });
const demo = await demoOf(gateway);
const authorization = `Bearer ${demo.users.juniper.classic_token}`;

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

const variables: Record<string, object> = {
  'repository.graphql': { owner: 'harbor-lab', name: 'compass' },
  'organization-repositories.graphql': { login: 'harbor-lab' },
};

describe('a listed operation', () => {
  test('exists', () => {
    expect(operations.length).toBeGreaterThanOrEqual(5);
  });

  test.each(operations)('$file runs by its hash alone, by POST and by GET', async ({ file, text }) => {
    const body = { extensions: persisted(text), variables: variables[file] ?? {} };
    const posted = await post(gateway, body, { authorization });
    expect([posted.status, posted.json.errors]).toEqual([200, undefined]);
    expect(Object.keys(posted.json.data)).not.toEqual([]);
    const search = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
    const got = await gateway.request(`/graphql?${search}`, { headers: { authorization } });
    expect(got.json.data).toEqual(posted.json.data);
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
    expect(code(await strict.request(`/graphql?${new URLSearchParams({ query })}`))).toEqual([
      403,
      'DOCUMENT_NOT_LISTED',
    ]);
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
