import { expect, test } from '@jest/globals';
import { apiVersions } from '../../rest-facade/hosting/versions.ts';
import { contracts } from '../contract/contracts.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const published = contracts.find(one => one.product.name === 'hosting')?.endpoints ?? [];
const reads = published.filter(one => one.operation.method === 'GET').map(one => one.operation.path);

test('GET /versions lists the accepted versions, newest first', async () => {
  const { status, json } = await gateway.request('/versions');
  expect([status, json]).toEqual([200, ['2026-03-10', '2022-11-28']]);
  expect(json).toEqual(apiVersions);
  for (const version of json) {
    const answer = await gateway.request('/versions', { headers: { 'X-Host-Api-Version': version } });
    expect([answer.status, answer.headers.get('x-host-api-version-selected')]).toEqual([200, version]);
  }
  const { status: refused, json: why } = await gateway.request('/', {
    headers: { 'X-Host-Api-Version': '2020-01-01' },
  });
  expect([refused, why.status, why.documentation_url]).toEqual([400, '400', `${gateway.url}/docs/rest`]);
});

/** Published keys of the API root, with their paths. */
const addresses: Record<string, [path: string, template: string]> = {
  current_user_url: ['/user', '/user'],
  events_url: ['/events', '/events'],
  organization_url: ['/orgs/{org}', '/orgs/{org}'],
  rate_limit_url: ['/rate_limit', '/rate_limit'],
  repository_url: ['/repos/{owner}/{repo}', '/repos/{owner}/{repo}'],
  user_url: ['/users/{username}', '/users/{user}'],
};

test.each(['', '/api/v3', '/api/v3/'])('GET / at «%s» has the URLs of served paths below it', async base => {
  const { status, json } = await gateway.request(base || '/');
  expect(status).toBe(200);
  const served = Object.entries(addresses).filter(([, [path]]) => reads.includes(path));
  const at = `${gateway.url}${base.replace(/\/$/, '')}`;
  // `test/contract/links.test.ts` follows all of them.
  expect(json).toMatchObject(Object.fromEntries(served.map(([key, [, template]]) => [key, `${at}${template}`])));
});

test('every operation links to its documentation', () => {
  const without = published.filter(one => !/^\/rest\/[\w/-]+#[\w-]+$/.test(one.operation.docsPath ?? ''));
  expect(without.map(one => one.operation.file)).toEqual([]);
});
