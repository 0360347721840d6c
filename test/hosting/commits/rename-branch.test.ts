import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { acceptInvitations, call, demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;
const pathOf = ({ owner, name }: World): string => `/repos/${owner}/${name}`;
const rename = (world: World, branch: string, newName: unknown, token = wren.classic_token) =>
  call(
    gateway,
    'POST',
    `${pathOf(world)}/branches/${encodeURIComponent(branch)}/rename`,
    `Bearer ${token}`,
    newName === undefined ? {} : { new_name: newName },
  );
const branchesOf = async (world: World): Promise<string[]> =>
  (await world.get('/branches')).json.map(({ name }: { name: string }) => name);

async function twoBranches(): Promise<{ world: World; sha: string }> {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.txt': 'a' });
  const { json } = await world.get('/branches/main');
  await call(gateway, 'POST', `${pathOf(world)}/git/refs`, `Bearer ${wren.classic_token}`, {
    ref: 'refs/heads/topic/one',
    sha: json.commit.sha,
  });
  return { world, sha: json.commit.sha };
}

test('a branch gets another name, with slashes or without', async () => {
  const { world, sha } = await twoBranches();
  const { status, json } = await rename(world, 'topic/one', 'topic/two');
  expect([status, json.name, json.commit.sha]).toEqual([201, 'topic/two', sha]);
  expect(await branchesOf(world)).toEqual(['main', 'topic/two']);
  expect((await rename(world, 'topic/two', 'done')).status).toBe(201);
  expect(await branchesOf(world)).toEqual(['done', 'main']);
});

test('the default branch stays the default branch', async () => {
  const { world } = await twoBranches();
  expect((await rename(world, 'main', 'trunk')).status).toBe(201);
  expect((await world.get('')).json.default_branch).toBe('trunk');
  expect((await world.get('/contents/a.txt')).status).toBe(200);
  // Someone who writes, and may not change settings, renames the others only.
  await call(gateway, 'PUT', `${pathOf(world)}/collaborators/tomas`, `Bearer ${wren.classic_token}`, {
    permission: 'push',
  });
  await acceptInvitations(gateway, tomas.classic_token);
  expect((await rename(world, 'topic/one', 'mine', tomas.classic_token)).status).toBe(201);
  expect((await rename(world, 'trunk', 'theirs', tomas.classic_token)).status).toBe(403);
  expect(await branchesOf(world)).toEqual(['mine', 'trunk']);
});

test('refused names, and branches that do not exist', async () => {
  const { world } = await twoBranches();
  for (const name of ['topic/one', 'main', 'a..b', '', 'x.lock', undefined, 7])
    expect([name, (await rename(world, 'main', name)).status]).toEqual([name, 422]);
  expect((await rename(world, 'nowhere', 'x')).status).toBe(404);
  expect((await rename(world, 'main', 'x', tomas.classic_token)).status).toBeGreaterThanOrEqual(403);
  expect(await branchesOf(world)).toEqual(['main', 'topic/one']);
  expect((await world.get('')).json.default_branch).toBe('main');
});

test('rules that refuse the deletion keep the branch and the default branch', async () => {
  const { world } = await twoBranches();
  const conditions = { ref_name: { include: ['~ALL'], exclude: [] } };
  const rules = { name: 'Keep', target: 'branch', enforcement: 'active', conditions, rules: [{ type: 'deletion' }] };
  await call(gateway, 'POST', `${pathOf(world)}/rulesets`, `Bearer ${wren.classic_token}`, rules);
  for (const branch of ['main', 'topic/one']) expect((await rename(world, branch, 'other')).status).toBe(409);
  expect(await branchesOf(world)).toEqual(['main', 'topic/one']);
  expect((await world.get('')).json.default_branch).toBe('main');
});

test('of two renames at a time, one wins', async () => {
  const { world } = await twoBranches();
  const answers = await Promise.all(['x', 'y'].map(name => rename(world, 'main', name)));
  expect(answers.map(({ status }) => status).toSorted()[0]).toBe(201);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const [winner] = answers.filter(({ status }) => status === 201).map(({ json }) => json.name);
  expect(await branchesOf(world)).toEqual(['topic/one', winner]);
  expect((await world.get('')).json.default_branch).toBe(winner);
});

test('the former names of a branch lead to it until another branch has one', async () => {
  const { world, sha } = await twoBranches();
  const lead = async (name: string) => {
    const { status, headers, json } = await world.get(`/branches/${name}`);
    return status === 301 ? [status, headers.get('location'), json.url] : [status];
  };
  const at = (name: string) => {
    const url = `${gateway.url}${pathOf(world)}/branches/${name}`;
    return [301, url, url];
  };
  await rename(world, 'topic/one', 'two');
  expect(await lead('topic/one')).toEqual(at('two'));
  await rename(world, 'two', 'topic/three');
  expect([await lead('topic/one'), await lead('two')]).toEqual([at('topic/three'), at('topic/three')]);
  // A name that is taken again leads nowhere, nor after its branch is gone.
  await call(gateway, 'POST', `${pathOf(world)}/git/refs`, `Bearer ${wren.classic_token}`, {
    ref: 'refs/heads/two',
    sha,
  });
  expect(await lead('two')).toEqual([200]);
  await call(gateway, 'DELETE', `${pathOf(world)}/git/refs/heads/two`, `Bearer ${wren.classic_token}`);
  expect(await lead('two')).toEqual([404]);
  // Back to the first name.
  await rename(world, 'topic/three', 'topic/one');
  expect([await lead('topic/one'), await lead('topic/three')]).toEqual([[200], at('topic/one')]);
  await call(gateway, 'DELETE', `${pathOf(world)}/git/refs/heads/topic/one`, `Bearer ${wren.classic_token}`);
  expect([await lead('topic/one'), await lead('topic/three'), await lead('never')]).toEqual([[404], [404], [404]]);
});

test('a refused renaming leads nowhere', async () => {
  const { world } = await twoBranches();
  await rename(world, 'topic/one', 'main');
  expect((await world.get('/branches/topic/one')).status).toBe(200);
  await rename(world, 'nowhere', 'somewhere');
  expect((await world.get('/branches/nowhere')).status).toBe(404);
});
