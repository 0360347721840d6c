import { expect, test } from '@jest/globals';
import { exportRepository } from '../../../src/git/export-repository.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import { createRef, inRepository } from '../../harness/git-mutations.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function done(document: string) {
  const { data, errors } = await graphql(gateway, `mutation { ${document} }`, token);
  expect(errors).toBeUndefined();
  return data;
}

async function commitOf(world: World, treeOid: string): Promise<string> {
  const input = `{ ${inRepository(world.owner, world.name)}, message: "m", treeOid: "${treeOid}" }`;
  return (await done(`createGitCommit(input: ${input}) { commit { oid } }`)).createGitCommit.commit.oid;
}

test('a commit of the empty tree, which was never stored, as the first of a repository', async () => {
  const world = await newWorld(gateway, token);
  const oid = await commitOf(world, empty);
  await done(createRef({ id: world.id }, 'refs/heads/main', oid));
  expect((await world.get('/contents')).json).toEqual([]);
  const git = new SystemGit(folder());
  await exportRepository(openRepository(unlimitedSource(gateway.database.read), world.id), git.path);
  git.run('fsck', '--strict', '--no-dangling');
  expect(git.run('rev-parse', 'main^{tree}')).toBe(empty);
  expect((await world.put('/contents/a', { message: 'm', content: '' })).status).toBe(201);
});

test('trees with and without a base start a repository', async () => {
  const world = await newWorld(gateway, token);
  for (const base of ['', `, baseTreeOid: "${empty}"`]) {
    const input = `{ ${inRepository(world.owner, world.name)}${base}, entries: [{ path: "a", content: "1" }, { path: "b/c", content: "2" }] }`;
    const { createTree } = await done(`createTree(input: ${input}) { tree { oid entries { name } } }`);
    expect(createTree.tree.entries).toEqual([{ name: 'a' }, { name: 'b' }]);
    const ref = `refs/heads/${base === '' ? 'one' : 'two'}`;
    await done(createRef({ id: world.id }, ref, await commitOf(world, createTree.tree.oid)));
  }
  expect((await world.get('')).json.default_branch).toBe('one');
  expect((await world.get('/contents/b/c')).status).toBe(200);
});

test('over REST a repository without branches takes no commit', async () => {
  const world = await newWorld(gateway, token);
  const path = `/repos/${world.owner}/${world.name}/git/commits`;
  const send = () => call(gateway, 'POST', path, `Bearer ${token}`, { message: 'm', tree: empty });
  expect([(await send()).status, (await send()).json.message]).toEqual([409, 'Git Repository is empty.']);
  await world.commit({ a: 'a' });
  expect((await send()).json.tree.sha).toBe(empty);
});
