import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const get = (path: string, token?: string) => call(gateway, 'GET', path, token && `Bearer ${token}`);
const names = async (path: string, token?: string): Promise<string[]> => {
  const { status, json } = await get(path, token);
  expect({ path, status }).toEqual({ path, status: 200 });
  return json.map((one: { full_name: string }) => one.full_name);
};
const [wren, juniper, linh] = [users.wren.classic_token, users.juniper.classic_token, users.linh.classic_token];
const inLab = ['harbor-lab/compass', 'harbor-lab/ledger', 'harbor-lab/tides'];

describe('GET /user/repos', () => {
  test.each([
    ['', [...inLab, 'juniper/notebook']],
    ['?affiliation=owner', ['juniper/notebook']],
    ['?affiliation=organization_member', inLab],
    ['?affiliation=owner,organization_member&visibility=private', ['harbor-lab/ledger', 'juniper/notebook']],
    ['?visibility=public', ['harbor-lab/compass', 'harbor-lab/tides']],
    ['?type=owner', ['juniper/notebook']],
    ['?type=member', inLab],
    ['?type=private', ['harbor-lab/ledger', 'juniper/notebook']],
    ['?type=all&direction=desc', [...inLab, 'juniper/notebook'].toReversed()],
    ['?sort=full_name&direction=desc&per_page=1&page=2', ['harbor-lab/tides']],
    ['?since=2027-01-01T00:00:00Z', []],
    ['?before=2020-01-01T00:00:00Z', []],
    ['?since=2020-01-01T00:00:00Z&before=2027-01-01T00:00:00Z', [...inLab, 'juniper/notebook']],
  ])('%s', async (query, expected) => {
    expect(await names(`/user/repos${query}`, juniper)).toEqual(expected);
  });

  test('an order by time is descending by default', async () => {
    const [newest] = await names('/user/repos?sort=updated', juniper);
    const [oldest] = await names('/user/repos?sort=updated&direction=asc', juniper);
    const created = await names('/user/repos?sort=created&direction=asc', juniper);
    expect(newest).not.toBe(oldest);
    expect(await names('/user/repos?sort=created', juniper)).toEqual(created.toReversed());
  });

  test('collaborations of a user', async () => {
    expect(await names('/user/repos?affiliation=collaborator', linh)).toEqual(['harbor-lab/tides']);
  });

  test.each(['visibility=all', 'affiliation=owner'])('type and %s exclude each other', async other => {
    const { status, json } = await get(`/user/repos?type=owner&${other}`, wren);
    expect(status).toBe(422);
    expect(json.message).toBe('If you specify visibility or affiliation, you cannot specify type.');
  });

  test.each(['sort=size', 'visibility=secret', 'affiliation=owner,friend', 'since=yesterday'])(
    '%s is 422',
    async query => {
      expect((await get(`/user/repos?${query}`, wren)).status).toBe(422);
    },
  );
});

describe('GET /users/{username}/repos', () => {
  test.each([
    ['/users/juniper/repos', undefined, []],
    ['/users/juniper/repos', juniper, ['juniper/notebook']],
    ['/users/juniper/repos?type=member', juniper, inLab],
    ['/users/juniper/repos?type=all', wren, []],
    ['/users/tomas/repos?type=all', wren, ['tomas/compass']],
    ['/users/harbor-lab/repos', undefined, ['harbor-lab/compass', 'harbor-lab/tides']],
  ])('%s', async (path, token, expected) => {
    expect(await names(path, token)).toEqual(expected);
  });

  test('an unknown user is 404', async () => {
    expect((await get('/users/nobody-at-all/repos')).status).toBe(404);
  });
});

describe('GET /orgs/{org}/repos', () => {
  test.each([
    ['?sort=full_name', undefined, ['harbor-lab/compass', 'harbor-lab/tides']],
    ['?sort=full_name', juniper, inLab],
    ['?sort=full_name&type=private', juniper, ['harbor-lab/ledger']],
    ['?sort=full_name&type=public', juniper, ['harbor-lab/compass', 'harbor-lab/tides']],
    ['?type=forks', juniper, []],
    ['?sort=full_name&type=sources', juniper, inLab],
    ['?type=member', linh, ['harbor-lab/tides']],
  ])('%s', async (query, token, expected) => {
    expect(await names(`/orgs/harbor-lab/repos${query}`, token)).toEqual(expected);
  });

  test('a user is no organization', async () => {
    expect((await get('/orgs/wren/repos')).status).toBe(404);
  });

  test('organizations left out for single sign-on are named', async () => {
    const { headers, json } = await get('/orgs/northgate/repos', users.tomas.classic_token);
    expect(json.map((one: { name: string }) => one.name)).toEqual(['handbook']);
    expect(headers.get('x-host-sso')).toMatch(/^partial-results; organizations=\d+$/);
  });
});

test('GET /repos/{owner}/{repo}/forks', async () => {
  expect(await names('/repos/harbor-lab/compass/forks')).toEqual(['tomas/compass']);
  for (const sort of ['newest', 'oldest', 'stargazers', 'watchers']) {
    expect(await names(`/repos/harbor-lab/compass/forks?sort=${sort}`)).toEqual(['tomas/compass']);
  }
  expect((await get('/repos/harbor-lab/ledger/forks')).status).toBe(404);
});
