import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await testGateway();
const demo = await demoOf(gateway);
const authorization = `Bearer ${demo.users.juniper.classic_token}`;
const query = '{ viewer { login } }';

const get = (parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.request(`/graphql?${new URLSearchParams(parameters)}`, { headers });

describe('GET', () => {
  test('runs a query without a header that requires a preflight', async () => {
    const answer = await get({ query }, { authorization });
    expect(answer.status).toBe(200);
    expect(answer.json.data).toEqual({ viewer: { login: 'juniper' } });
  });

  test('takes variables, extensions and the name of the operation', async () => {
    const answer = await get({
      query: 'query A($first: Int!) { articles(first: $first) { nodes { headline } } } query B { __typename }',
      operationName: 'A',
      variables: '{"first":2}',
      extensions: '{}',
    });
    expect(answer.json.data.articles.nodes).toHaveLength(2);
  });

  test.each([
    ['mutation { createOrganization(input: { login: "by-get" }) { organization { login } } }', {}],
    [
      'query A { __typename } mutation B { createOrganization(input: { login: "by-get" }) { organization { login } } }',
      { operationName: 'B' },
    ],
  ])('does not run a mutation: %s', async (text, more) => {
    const answer = await get({ query: text, ...more }, { authorization });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.json.data).toBeUndefined();
    const rows = await sql<{ login: string }>`select login from account where login = 'by-get'`.execute(
      gateway.database.sql,
    );
    expect(rows.rows).toEqual([]);
  });

  test.each([
    [{}, 400],
    [{ query, variables: '{' }, 400],
    [{ query, variables: '[]' }, 400],
    [{ query, variables: '{"first":1,"first":2}' }, 400],
    [{ query, extensions: '{"a":{"b":1,"\\u0062":2}}' }, 400],
    [{ query: `{ __typename ${'#'.repeat(17_000)}` }, 431],
  ])('rejects %j', async (parameters, status) => {
    expect((await get(parameters as Record<string, string>)).status).toBe(status);
  });
});

describe('Accept', () => {
  const json = 'application/json; charset=utf-8';
  const graphqlJson = 'application/graphql-response+json; charset=utf-8';
  const accepted: [accept: string, type: string][] = [
    ['*/*', json],
    ['', json],
    [' ', json],
    ['application/*', json],
    ['application/json', json],
    ['application/graphql-response+json', graphqlJson],
    ['application/graphql-response+json, application/json;q=0.9', graphqlJson],
    ['application/json, application/graphql-response+json;q=0.9', json],
    [
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
      graphqlJson,
    ],
    ['multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json', graphqlJson],
    ['application/vnd.host.v3+json', json],
    ['application/vnd.host.merge-info-preview+json, application/vnd.other.nebula-preview', json],
    ['application/vnd.other.nebula-preview', json],
    ['text/plain, */*;q=0.1', json],
  ];
  const headers = { 'content-type': 'application/json', authorization };

  test.each(accepted)('«%s» gets %s, by POST and by GET', async (accept, type) => {
    const posted = await gateway.request('/graphql', {
      method: 'POST',
      headers: { ...headers, accept },
      body: JSON.stringify({ query }),
    });
    for (const answer of [posted, await get({ query }, { authorization, accept })]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(answer.json.data).toEqual({ viewer: { login: 'juniper' } });
    }
  });

  test.each([
    'text/plain',
    'text/event-stream',
    'application/xml',
    'application/json;q=0',
    'nonsense',
    'multipart/mixed',
  ])('«%s» is 406, and nothing runs', async accept => {
    const body = JSON.stringify({
      query: 'mutation { createOrganization(input: { login: "unaccepted" }) { organization { login } } }',
    });
    const answer = await gateway.request('/graphql', { method: 'POST', headers: { ...headers, accept }, body });
    expect(answer.status).toBe(406);
    expect(answer.json.errors[0]).toEqual({
      message: expect.stringContaining('application/json'),
      extensions: { code: 'NOT_ACCEPTABLE' },
    });
    const { rows } = await sql`select 1 from account where login = 'unaccepted'`.execute(gateway.database.sql);
    expect(rows).toEqual([]);
  });

  test('a POST that prefers HTML is an operation', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      headers: { ...headers, accept: 'text/html,*/*;q=0.8' },
      body: JSON.stringify({ query }),
    });
    expect(answer.json.data).toEqual({ viewer: { login: 'juniper' } });
  });
});
