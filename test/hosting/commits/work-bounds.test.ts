import { expect, test } from '@jest/globals';
import { inTransaction } from '../../../src/db/database.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../../src/git/object.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { emptyTree, encodeTree, modes } from '../../../src/git/tree.ts';
import { push } from '../../../src/hosting/pushes/push.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { WORK_MAX_STEPS: '2000000' },
});
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const bearer = `Bearer ${token}`;

const context = {
  ...unlimitedSource(gateway.database.read),
  now: () => gateway.clock.now,
  transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
};

/** Ten trees of ten entries, each of which is the next tree: ten billion paths to the leaf. */
function bomb(leaf: GitObject): { root: Oid; objects: GitObject[] } {
  const objects = [leaf];
  for (let level = 0; level < 10; level++) {
    const { oid, type } = objects.at(-1) as GitObject;
    const mode = type === 'tree' ? modes.directory : modes.file;
    const entries = Array.from({ length: 10 }, (_, n) => ({ mode, name: Buffer.from(`d${n}`), oid }));
    objects.push(createObject('tree', encodeTree(entries)));
  }
  return { root: (objects.at(-1) as GitObject).oid, objects };
}

const leafOf = (...lines: string[]): GitObject => createObject('blob', Buffer.from(lines.join('\n')));

async function pushCommit(world: World, branch: string, leaf: GitObject, parents: Oid[]): Promise<Oid> {
  const { root, objects } = bomb(leaf);
  const person = { name: 'A', email: 'a@example.org', seconds: 1_790_000_000, zone: '+0000' };
  const fields = { tree: root, parents, author: person, committer: person, message: branch };
  const commit = createObject('commit', encodeCommit(fields));
  await push(context, {
    repositoryId: world.id,
    objects: [...objects, commit],
    updates: [{ ref: `refs/heads/${branch}`, to: commit.oid }],
  });
  return commit.oid;
}

test('commits of ten billion files are shown, compared, and merged or refused', async () => {
  const world = await newWorld(gateway, token);
  const at = `/repos/${world.owner}/${world.name}`;
  const base = await pushCommit(world, 'main', leafOf('1', '2', '3', '4', '5', ''), []);
  const ours = await pushCommit(world, 'ours', leafOf('one', '2', '3', '4', '5', ''), [base]);
  const theirs = await pushCommit(world, 'theirs', leafOf('1', '2', '3', '4', 'five', ''), [base]);

  const shown = await world.get(`/commits/${base}`);
  expect(shown.status).toBe(200);
  expect(shown.json.files.length).toBeGreaterThanOrEqual(30);
  expect(shown.json.files[0].filename).toBe(Array(10).fill('d0').join('/'));
  const compared = await world.get('/compare/ours...theirs');
  expect([compared.status, compared.json.files.length]).toEqual([200, 300]);
  expect((await world.get(`/commits/${base}`, { accept: 'application/vnd.host.diff' })).status).toBe(406);

  const merged = await call(gateway, 'POST', `${at}/merges`, bearer, { base: 'ours', head: 'theirs' });
  expect(merged.status).toBe(201);
  expect(merged.json.commit.tree.sha).toBe(bomb(leafOf('one', '2', '3', '4', 'five', '')).root);
  expect(merged.json.parents.map(({ sha }: { sha: string }) => sha)).toEqual([ours, theirs]);
});

test('a commit of ten billion directories without a file is refused as too much work', async () => {
  const world = await newWorld(gateway, token);
  const commit = await pushCommit(world, 'main', emptyTree, []);
  const { status, json } = await world.get(`/commits/${commit}`);
  expect([status, json.message]).toEqual([422, expect.stringContaining('WORK_MAX_STEPS')]);
});

test('the history of a path has at most 4,095 bytes of it', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'a/b': 'x' });
  const document = `query($path: String!, $owner: String!, $name: String!) {
    repository(owner: $owner, name: $name) { object(expression: "main") { ... on Commit {
      history(first: 1, path: $path) { nodes { oid } } } } } }`;
  const ask = (path: string) => graphql(gateway, document, token, { path, owner: world.owner, name: world.name });
  const { errors } = await ask('a/'.repeat(16_000));
  expect(errors).toEqual([expect.objectContaining({ message: 'The path has more than 4095 bytes.' })]);
  const { data } = await ask('a/'.repeat(2_047));
  expect(data.repository.object.history.nodes).toEqual([]);
});
