import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const json = { accept: 'application/json' };
const tagOf = async (world: World, path: string, headers: Record<string, string>): Promise<string> =>
  (await world.get(path, headers)).headers.get('etag') ?? '';

const submodule = (url: string) => ({
  '.gitmodules': `[submodule "one"]\n\tpath = vendor/one\n\turl = ${url}\n`,
  'vendor/one': { mode: '160000', oid: 'a'.repeat(40) },
  'README.md': '# One\n',
});

test('a tag differs with the media type, the API version, the submodules and the name of the repository', async () => {
  const world = await newWorld(gateway, token);
  await world.commit(submodule('https://one.example.org/x.git'));
  const folder = await tagOf(world, '/contents/vendor', json);
  const others = [
    await tagOf(world, '/contents/vendor', { accept: 'application/vnd.host.object+json' }),
    await tagOf(world, '/contents/vendor', { ...json, 'x-host-api-version': '2026-03-10' }),
  ];
  expect(new Set([folder, ...others]).size).toBe(3);
  const file = await tagOf(world, '/contents/README.md', json);
  expect(await tagOf(world, '/contents/README.md', { accept: 'application/vnd.host.raw' })).not.toBe(file);

  await world.commit(submodule('https://two.example.org/x.git'));
  expect(await tagOf(world, '/contents/vendor', json)).not.toBe(folder);

  const renamed = `${world.name}-renamed`;
  await call(gateway, 'PATCH', `/repos/${world.owner}/${world.name}`, `Bearer ${token}`, { name: renamed });
  const path = `/repos/${world.owner}/${renamed}/contents/README.md`;
  const answer = await gateway.request(path, { headers: { 'user-agent': 'test', ...json, 'if-none-match': file } });
  expect([answer.status, answer.json.url]).toEqual([200, expect.stringContaining(renamed)]);
});

test('an answer with a download URL that works once is never 304 and not stored; its tag serves If-Match', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  await world.commit({ 'a.txt': 'one', 'README.md': '# One\n' });
  for (const path of ['/contents/a.txt', '/contents', '/readme']) {
    const first = await world.get(path, json);
    const tag = first.headers.get('etag') ?? '';
    expect([tag, first.headers.get('cache-control')]).toEqual([expect.stringMatching(/^W\/"/), 'no-store']);
    for (const condition of [
      { 'if-none-match': tag },
      { 'if-none-match': '*' },
      { 'if-modified-since': first.headers.get('last-modified') ?? gateway.clock.now.toUTCString() },
    ]) {
      const again = await world.get(path, { ...json, ...condition });
      expect([again.status, again.headers.get('etag')]).toEqual([200, tag]);
      expect(again.text).not.toBe(first.text);
    }
  }
  const { json: file, headers } = await world.get('/contents/a.txt', json);
  const put = (tag: string) =>
    gateway.request(`/repos/${world.owner}/${world.name}/contents/a.txt`, {
      method: 'PUT',
      headers: { 'user-agent': 'test', authorization: `Bearer ${token}`, 'if-match': tag },
      body: JSON.stringify({ message: 'Two', content: 'dHdv', sha: file.sha }),
    });
  expect((await put('"other"')).status).toBe(412);
  expect((await put(headers.get('etag') ?? '')).status).toBe(200);
});

test('Vary names every header that chooses an answer, without a credential too', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one' });
  const { headers } = await gateway.request(`/repos/${world.owner}/${world.name}/contents/a.txt`, {
    headers: { 'user-agent': 'test', ...json },
  });
  const named = (headers.get('vary') ?? '').split(', ');
  expect(named).toEqual(expect.arrayContaining(['Accept', 'Authorization', 'X-Host-Api-Version', 'Accept-Encoding']));
});

test('the tag of an archive differs with the name of the repository, which is that of its folder', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one' });
  const tag = async (name: string) => {
    const answer = await fetch(`${gateway.url}/codeload/${world.owner}/${name}/legacy.tar.gz/main`, { method: 'HEAD' });
    return answer.headers.get('etag');
  };
  const before = await tag(world.name);
  const renamed = `${world.name}-renamed`;
  await call(gateway, 'PATCH', `/repos/${world.owner}/${world.name}`, `Bearer ${token}`, { name: renamed });
  expect(before).toMatch(/^"/);
  expect(await tag(renamed)).not.toBe(before);
});
