import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const token = (await demoOf(gateway)).users.wren.classic_token;
const world = await newWorld(gateway, token);
const sha = await world.commit({ 'README.md': '# One\n', 'docs/a.txt': 'one\n' }, { message: 'First' });
const path = `/${world.owner}/${world.name}`;
const get = (at: string) => gateway.request(at, { headers: { 'user-agent': 'curl/8', accept: '*/*' } });
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZnWmDJUgzQ4XRFyK9rLe+bxyrPrpCCu4D7Cj8Jz5Mp';
/** The address that a redirect leads to. */
async function followed(at: string) {
  const { status, headers } = await get(at);
  expect([at, status]).toEqual([at, 302]);
  return get(headers.get('location') ?? '');
}

test.each(['main', 'refs/heads/main', sha])('archives and files of %s', async ref => {
  const tar = await followed(`${path}/archive/${ref}.tar.gz`);
  expect([tar.status, tar.headers.get('content-type')]).toEqual([200, 'application/x-gzip']);
  expect((await followed(`${path}/archive/${ref}.zip`)).headers.get('content-type')).toBe('application/zip');
  expect((await followed(`${path}/raw/${ref}/docs/a.txt`)).text).toBe('one\n');
});

test('a commit as a mail and as a diff', async () => {
  const mail = await get(`${path}/commit/${sha}.patch`);
  expect([mail.status, mail.text]).toEqual([200, expect.stringMatching(`^From ${sha} `)]);
  const diff = await get(`${path}/commit/${sha}.diff`);
  expect([diff.status, diff.text]).toEqual([200, expect.stringMatching(/^diff --git a\/README.md/)]);
});

test.each(['', '/sub/package', '.git'])('go get of a module%s', async tail => {
  const { status, text, headers } = await get(`${path}${tail}?go-get=1`);
  const host = gateway.url.replace('http://', '');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain(`<meta name="go-import" content="${host}${path} git ${gateway.url}${path}.git">`);
});

test('go get says nothing of what exists, and writes no markup of the address', async () => {
  expect((await get('/nobody/nothing?go-get=1')).text).toContain('/nobody/nothing.git');
  expect((await get('/a%22%3E/b"><b>?x=1&go-get=1')).text).not.toContain('<b>');
});

test('public keys of a user, as authorized_keys has them', async () => {
  const keys = [key, 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDPnnR1c9QDT4M+9iAlw3zVMSxVhMnDrW+DbVXWsCwMH'];
  for (const [at, one] of keys.entries()) {
    const body = JSON.stringify({ title: `Key ${at}`, key: `${one} wren@example.org` });
    const headers = { 'user-agent': 'curl/8', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await gateway.request('/user/keys', { method: 'POST', headers, body })).status).toBe(201);
  }
  const own = await get('/Wren.keys');
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(own.text).toBe(keys.map(one => `${one}\n`).join(''));
  const none = await get('/juniper.keys');
  expect([none.status, none.text]).toEqual([200, '']);
  const pgp = await get('/wren.gpg');
  expect([pgp.status, pgp.text]).toEqual([200, expect.stringMatching(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\n/)]);
  for (const absent of ['/nobody.keys', '/harbor-lab.keys', '/nobody.gpg'])
    expect([absent, (await get(absent)).status]).toEqual([absent, 404]);
  expect((await gateway.request('/wren.keys', { method: 'POST', headers: { 'user-agent': 'curl/8' } })).status).toBe(
    405,
  );
});

test('the address to install an app', async () => {
  const { json } = await followed('/apps/harbor-pilot/installations/new');
  expect(json.slug).toBe('harbor-pilot');
});
