import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl } from './git-client.ts';

const gateway = await testGateway({ settings: { REPOSITORY_MAX_MB: '1' } });
const token = (await demoOf(gateway)).users.wren.classic_token;

test('a repository beyond its limit takes no objects at any door, and can be read and tidied up', async () => {
  const world = await newWorld(gateway, token);
  const base = `/repos/${world.owner}/${world.name}`;
  await world.commit({ 'a.txt': 'one' });
  const clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, token));
  // The push that crosses the limit is accepted.
  await clone.commit({ 'large.txt': 'a line of text\n'.repeat(100_000) });
  await clone.run('push', '-q', 'origin', 'main', 'main:side');
  await clone.commit({ 'b.txt': 'two' });
  const { code, stderr } = await clone.attempt('push', 'origin', 'main');
  expect(code).toBe(1);
  expect(stderr).toContain('remote: error: The repository has more than 1 MB, which is the limit');
  expect((await world.put('/contents/c.txt', { message: 'c', content: 'Yw==' })).status).toBe(403);
  const tree = await clone.run('rev-parse', 'origin/main^{tree}');
  const commit = await call(gateway, 'POST', `${base}/git/commits`, `Bearer ${token}`, { message: 'c', tree });
  expect([commit.status, commit.json.message]).toEqual([403, expect.stringContaining('which is the limit')]);
  await clone.run('push', '-q', 'origin', '--delete', 'side');
  await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`));
});
