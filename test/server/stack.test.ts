import { ApolloServer } from '@apollo/server';
import { expect, jest, test } from '@jest/globals';
import express from 'express';
import { testGateway } from '../harness/gateway.ts';

// Before the gateway makes its app and its servers, which copy or call these methods.
const byExpress = jest.spyOn(express.application as unknown as { handle(): void }, 'handle');
const byApollo = jest.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
const gateway = await testGateway();

/** Requests that have passed through each package while `work` ran. */
async function counted(work: () => Promise<unknown>): Promise<{ express: number; apollo: number }> {
  byExpress.mockClear();
  byApollo.mockClear();
  await work();
  return { express: byExpress.mock.calls.length, apollo: byApollo.mock.calls.length };
}

const json = { 'content-type': 'application/json' };
const html = { accept: 'text/html' };

test.each<[string, string, RequestInit]>([
  ['a list of the health contract', '/api/v1/articles/', {}],
  ['a write of the health contract', '/api/v1/auth/login/', { method: 'POST', headers: json, body: '{}' }],
  ['a list of the hosting contract', '/repos/harbor-lab/compass/branches', { headers: { 'user-agent': 'tests' } }],
  ['a path that nothing has', '/nothing/at/all/of/it', {}],
  ['a method that nothing has', '/api/v1/articles/', { method: 'DELETE' }],
  ['a page', '/harbor-lab/compass', { headers: html }],
  ['the start page', '/', { headers: html }],
  ['a file of a page', '/favicon.ico', {}],
  ['git', '/harbor-lab/compass.git/info/refs?service=git-upload-pack', {}],
  ['a download', '/raw/harbor-lab/compass/main/README.md', {}],
  ['a document', '/openapi/health.json', {}],
  ['a check', '/livez', {}],
  [
    'a preflight',
    '/graphql',
    { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' } },
  ],
])('Express alone serves %s', async (_, path, init) => {
  expect(await counted(() => gateway.request(path, init))).toEqual({ express: 1, apollo: 0 });
});

test('Express serves every path outside of the contracts', async () => {
  const paths = [...new Set(gateway.routes.map(({ path }) => path))].filter(path => !path.includes('graphql'));
  const found = await counted(() => Promise.all(paths.map(path => gateway.request(path))));
  expect(found).toEqual({ express: paths.length, apollo: 0 });
});

test.each(['/graphql', '/api/graphql', '/graphql/health', '/graphql/hosting'])(
  'Apollo Server answers queries, mutations, errors and the page of %s',
  async path => {
    const post = (body: unknown) =>
      gateway.request(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    const requests: (() => Promise<unknown>)[] = [
      () => post({ query: '{ __typename }' }),
      () => post({ query: 'mutation { nothing }' }),
      () => post({ query: '{' }),
      () => post([{ query: '{ __typename }' }]),
      () => post({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
      () => gateway.request(`${path}?query=%7B__typename%7D`),
      () => gateway.request(path, { headers: html }),
    ];
    for (const request of requests) expect(await counted(request)).toEqual({ express: 1, apollo: 1 });
  },
);

test('what is refused before it is read does not reach Apollo Server', async () => {
  const found = await counted(async () => {
    await gateway.request('/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });
    await gateway.request('/graphql', { method: 'POST', headers: json, body: '{]' });
    await gateway.request('/graphql', { method: 'POST', headers: { ...json, accept: 'text/plain' }, body: '{}' });
  });
  expect(found).toEqual({ express: 3, apollo: 0 });
});
