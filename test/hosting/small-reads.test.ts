import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

// What clients of GitHub read in passing, on the settings of a start.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const token = (await demoOf(gateway)).users.wren.classic_token;
const get = (path: string, headers: Record<string, string> = {}) =>
  call(gateway, 'GET', `/api/v3${path}`, `Bearer ${token}`, undefined, headers);
const compass = '/repos/harbor-lab/compass';

test('the id of a commit is its own ETag', async () => {
  const accept = 'application/vnd.github.sha';
  const { text: sha, headers } = await get(`${compass}/commits/main`, { accept });
  expect(headers.get('etag')).toBe(`"${sha}"`);
  const again = await get(`${compass}/commits/main`, { accept, 'if-none-match': `"${sha}"` });
  expect([again.status, again.text]).toEqual([304, '']);
  const stale = await get(`${compass}/commits/main`, { accept, 'if-none-match': `"${'0'.repeat(40)}"` });
  expect([stale.status, stale.text]).toEqual([200, sha]);
});

test('other texts have one too', async () => {
  const accept = 'application/vnd.github.diff';
  const { headers } = await get(`${compass}/commits/main`, { accept });
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(/^(W\/)?"[0-9a-f]{64}"$/);
  expect((await get(`${compass}/commits/main`, { accept, 'if-none-match': etag })).status).toBe(304);
});

test('refs as a namespace and as one', async () => {
  const names = async (path: string) => (await get(path)).json.map((one: { ref: string }) => one.ref);
  const all = await names(`${compass}/git/refs`);
  for (const folder of ['heads', 'tags'])
    expect(await names(`${compass}/git/refs/${folder}`)).toEqual(
      all.filter((one: string) => one.startsWith(`refs/${folder}/`)),
    );
  expect((await get(`${compass}/git/refs/heads/main`)).json.ref).toBe('refs/heads/main');
  expect((await get(`${compass}/git/refs/heads/nothing`)).status).toBe(404);
});

test('meta and zen', async () => {
  expect((await get('/meta')).json).toMatchObject({ verifiable_password_authentication: false, hooks: [] });
  for (const accept of ['*/*', 'application/vnd.github.v3+json']) {
    const { status, text, headers } = await get('/zen', { accept });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
});

test.each(['/user/gpg_keys', '/users/wren/gpg_keys', '/user/ssh_signing_keys', '/users/wren/ssh_signing_keys'])(
  '%s is empty',
  async path => {
    const { status, json } = await get(path);
    expect([status, json]).toEqual([200, []]);
  },
);

test('checks of a ref are none, and of no ref missing', async () => {
  expect((await get(`${compass}/commits/main/check-runs`)).json).toEqual({ total_count: 0, check_runs: [] });
  expect((await get(`${compass}/commits/main/check-suites`)).json).toEqual({ total_count: 0, check_suites: [] });
  expect((await get(`${compass}/commits/nope/check-runs`)).status).toBe(404);
});
