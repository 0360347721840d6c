import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { basic, demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { type GitOutput, remoteUrl, runGit, temporaryFolder } from './git-client.ts';

// The limits and the brand of an installation without settings.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;

const refsOf = (path: string, headers: Record<string, string> = {}) =>
  gateway.request(`/${path}.git/info/refs?service=git-upload-pack`, { headers });
const from = (address: string) => ({ 'x-forwarded-for': address });
/** git at an address: the gateway believes the proxy, which git is here. */
const gitAt = (address: string, ...args: string[]): Promise<GitOutput> =>
  runGit(temporaryFolder(), ['-c', `http.extraHeader=X-Forwarded-For: ${address}`, ...args]);

test('a request for a credential costs nothing', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  const path = `${world.owner}/${world.name}`;
  for (let at = 0; at < 70; at++) {
    const { status, headers } = await refsOf(at % 2 ? path : 'nobody/nothing', from('198.51.100.1'));
    expect([status, headers.get('www-authenticate'), headers.get('x-ratelimit-used')]).toEqual([
      401,
      expect.stringContaining('Basic'),
      '0',
    ]);
  }
  for (let at = 0; at < 70; at++) {
    const { status } = await gateway.request('/user', { headers: { 'user-agent': 't', ...from('198.51.100.1') } });
    expect(status).toBe(403);
  }
  const served = await refsOf('harbor-lab/compass', from('198.51.100.1'));
  expect([served.status, served.headers.get('x-ratelimit-used')]).toEqual([200, '1']);
});

test('callers with a token are served from an address that has used up its hour', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  await world.commit({ 'a.txt': 'one\n' });
  const address = '198.51.100.2';
  const call = () => gateway.request('/versions', { headers: { 'user-agent': 't', ...from(address) } });
  for (let at = 0; at < 60; at++) expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(403);
  for (const path of [`${world.owner}/${world.name}`, 'harbor-lab/compass']) {
    const { code, stderr } = await gitAt(address, 'clone', '-q', remoteUrl(gateway.url, path, token), '.');
    expect({ path, code, stderr }).toEqual({ path, code: 0, stderr: '' });
  }
  const refused = await refsOf('harbor-lab/compass', from(address));
  expect([refused.status, refused.headers.get('retry-after'), refused.text]).toEqual([
    401,
    expect.stringMatching(/^\d+$/),
    expect.stringContaining('rate limit'),
  ]);
  expect((await refsOf('harbor-lab/compass', { ...from(address), authorization: basic('x', token) })).status).toBe(200);
});

test('forty clones with one token at a time', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  await world.commit({ 'a.txt': 'one\n', 'b.bin': Buffer.alloc(200_000, 'x') });
  const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
  const clones = await Promise.all(
    Array.from({ length: 40 }, () => gitAt('198.51.100.3', 'clone', '-q', '--depth', '1', url, '.')),
  );
  expect(clones.filter(({ code }) => code !== 0)).toEqual([]);
}, 120_000);
