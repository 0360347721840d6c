import { expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { testGateway } from '../../harness/gateway.ts';
import { onBranch } from '../../harness/git-mutations.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld, type World } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const hello = { message: 'Hello', content: base64('hello\n') };

const defaultBranchOf = async (world: World): Promise<unknown> => (await world.get('')).json.default_branch;

test('the branch of the first file becomes the default branch', async () => {
  const world = await newWorld(gateway, token);
  expect((await world.put('/contents/a', { ...hello, branch: 'work/one' })).status).toBe(201);
  expect(await defaultBranchOf(world)).toBe('work/one');
  expect((await world.get('/contents/a')).status).toBe(200);
  const { json } = await world.get('/contents/a', { accept: 'application/json' });
  expect(json.url).toMatch(/ref=work%2Fone$/);
  const next = await world.put('/contents/b', hello);
  expect([next.status, next.json.commit.parents.length]).toEqual([201, 1]);
});

test('so does the branch of the first commit over GraphQL; several files start a repository', async () => {
  const world = await newWorld(gateway, token);
  const addition = (path: string) => `{ path: "${path}", contents: "aGk=" }`;
  const document = `mutation { createCommitOnBranch(input: { ${onBranch(world.owner, world.name, 'trunk')},
    message: { headline: "Begin" }, fileChanges: { additions: [${addition('a')}, ${addition('b/c')}] } }) {
    commit { oid history(first: 2) { totalCount } } } }`;
  const made = await graphql(gateway, document, token);
  expect(made.errors).toBeUndefined();
  expect(made.data.createCommitOnBranch.commit.history.totalCount).toBe(1);
  expect(await defaultBranchOf(world)).toBe('trunk');
  expect((await world.get('/contents')).json.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
});

test('a later branch, a tag and the default branch itself leave it', async () => {
  const world = await newWorld(gateway, token);
  const { json } = await world.put('/contents/a', hello);
  const repositoryId = encodeGlobalId('Repository', world.id);
  for (const name of ['refs/heads/later', 'refs/tags/v1']) {
    const made = await graphql(
      gateway,
      `mutation { createRef(input: { repositoryId: "${repositoryId}", name: "${name}", oid: "${json.commit.sha}" }) { ref { id } } }`,
      token,
    );
    expect(made.errors).toBeUndefined();
  }
  expect(await defaultBranchOf(world)).toBe('main');
});

test('the events of the first push name the default branch that it makes', async () => {
  const world = await newWorld(gateway, token);
  await world.put('/contents/a', { ...hello, branch: 'trunk' });
  const { json } = await world.get('/events');
  const made = json.find(({ type, payload }: { type: string; payload: { ref_type?: string } }) => {
    return type === 'CreateEvent' && payload.ref_type === 'branch';
  });
  expect(made?.payload).toMatchObject({ ref: 'trunk', master_branch: 'trunk' });
});
