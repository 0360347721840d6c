import { describe, expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { basic, demoOf } from '../harness/hosting.ts';

// The limits and the brand of an installation without settings.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const token = (await demoOf(gateway)).users.wren.classic_token;
const authorization = `Bearer ${token}`;
const viewer = JSON.stringify({ query: '{ viewer { login } }' });

/** `fetch` would add a type to a text, so that bodies are bytes. */
const post = (headers: Record<string, string>, body = viewer): Promise<Answer> =>
  gateway.request('/graphql', { method: 'POST', headers, body: Buffer.from(body) });

describe('the type of a body', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/vnd.github.v3+json',
    'application/vnd.host+json; charset=utf-8',
    'application/graphql-response+json',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    undefined,
  ])('%s is read with a credential', async type => {
    for (const credential of [authorization, `token ${token}`, basic('wren', token)]) {
      const answer = await post({ authorization: credential, ...(type === undefined ? {} : { 'content-type': type }) });
      expect([answer.status, answer.json.data]).toEqual([200, { viewer: { login: 'wren' } }]);
    }
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined])(
    '%s, which a page may send without a preflight, is refused without one',
    async type => {
      const answer = await post(type === undefined ? {} : { 'content-type': type });
      expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  test.each(['multipart/form-data; boundary=x', 'application/xml', 'image/png'])('%s is no JSON', async type => {
    expect((await post({ authorization, 'content-type': type })).status).toBe(415);
  });

  test('another charset is refused', async () => {
    expect((await post({ authorization, 'content-type': 'text/plain; charset=utf-16' })).status).toBe(415);
  });
});

describe('errors of a document', () => {
  const json = { 'content-type': 'application/json', authorization };
  const documents: [string, object][] = [
    ['GRAPHQL_PARSE_FAILED', { query: '{' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ nothing }' }],
    ['OPERATION_RESOLUTION_FAILURE', { query: 'query A { __typename } query B { __typename }' }],
    ['BAD_USER_INPUT', { query: 'query ($n: Int!) { articles(first: $n) { totalCount } }', variables: { n: 'x' } }],
    ['QUERY_TOO_MANY_ROOT_FIELDS', { query: `{ ${Array.from({ length: 50 }, (_, at) => `a${at}: __typename`)} }` }],
  ];

  test.each(documents)('%s is 200 for clients of JSON, and 400 for those of GraphQL over HTTP', async (code, asked) => {
    const body = JSON.stringify(asked);
    for (const accept of ['*/*', '', 'application/json', 'application/vnd.github.v3+json']) {
      const answer = await post({ ...json, accept }, body);
      expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([200, code]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    const strict = await post({ ...json, accept: 'application/graphql-response+json' }, body);
    expect([strict.status, strict.json.errors[0].extensions.code]).toEqual([400, code]);
  });

  test.each([
    ['{"query": ', 400],
    ['{}', 400],
    ['[]', 400],
  ])('%s is no request', async (body, status) => {
    expect((await post({ ...json, accept: 'application/json' }, body)).status).toBe(status);
  });

  test('an invalid credential is 401 for every client', async () => {
    const stranger = { ...json, accept: 'application/json', authorization: 'Bearer hostp_nobodys' };
    expect((await post(stranger)).status).toBe(401);
  });
});

describe('an object that does not exist', () => {
  const ask = async (query: string, variables: object = {}): Promise<Answer['json']> =>
    (await post({ 'content-type': 'application/json', authorization }, JSON.stringify({ query, variables }))).json;

  test('is null with an error', async () => {
    const { data, errors } = await ask(
      `query ($name: String!) {
        repository(owner: "wren", name: $name) { id } ...More
      } fragment More on Query { of: organization(login: "nobodys") { id } user(login: "harbor-lab") { id } }`,
      { name: 'nothing' },
    );
    expect(data).toEqual({ repository: null, of: null, user: null });
    const found = (path: string, message: string) => ({
      type: 'NOT_FOUND',
      path: [path],
      message,
      extensions: { code: 'NOT_FOUND' },
    });
    expect(errors).toMatchObject([
      found('repository', "Could not resolve to a Repository with the name 'wren/nothing'."),
      found('of', "Could not resolve to an Organization with the login of 'nobodys'."),
      found('user', "Could not resolve to a User with the login of 'harbor-lab'."),
    ]);
  });

  test('has one error, and below the root none', async () => {
    const { data, errors } = await ask(
      '{ repository(owner: "harbor-lab", name: "compass") { object(expression: "nope") { oid } } viewer { login } }',
    );
    expect([data.repository, errors]).toEqual([{ object: null }, undefined]);
    const skipped = await ask('{ repository(owner: "a", name: "b") @skip(if: true) { id } viewer { login } }');
    expect(skipped.errors).toBeUndefined();
  });
});
