import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { unlimitedSource } from '../../../src/git/repository.ts';
import { indexQueuedCommits } from '../../../src/hosting/commits/commits.tasks.ts';
import { importRepository } from '../../../src/hosting/pushes/import-repository.ts';
import { SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo' });
const { wren, tomas } = (await demoOf(gateway)).users;

/** Numbers of commits of a repository. */
async function commitsOf(id: number): Promise<{ stored: number; indexed: number; queued: number }> {
  const [row] = await gateway.database.read<{ stored: number; indexed: number; queued: number }>(sql`select
    (select count(*)::int from git_object where repository_id = ${id} and type = 1) as stored,
    (select coalesce(sum(size), 0)::int from git_commit_segment where repository_id = ${id}) as indexed,
    (select count(*)::int from git_unindexed_commit where repository_id = ${id}) as queued`);
  return row ?? { stored: 0, indexed: 0, queued: 0 };
}

const index = (): Promise<void> => indexQueuedCommits(gateway.database, () => false);

test('the job indexes the commits of the demo data', async () => {
  const [{ id } = { id: 0 }] = await gateway.database.read<{ id: number }>(sql`
    select r.id from repository r join account o on o.id = r.owner_id where o.login = 'harbor-lab' and r.name = 'compass'`);
  const { stored } = await commitsOf(id);
  expect(stored).toBeGreaterThan(0);
  expect(await commitsOf(id)).toEqual({ stored, indexed: 0, queued: stored });
  const ask = () =>
    graphql(
      gateway,
      `{ repository(owner: "harbor-lab", name: "compass") { object(expression: "main") { ... on Commit {
        all: history { nodes { oid } } readme: history(path: "README.md") { nodes { oid } } docs: history(path: "docs") { nodes { oid } } } } } }`,
      wren.classic_token,
    );
  const before = await ask();
  expect(before.data.repository.object.docs.nodes.length).toBeGreaterThan(0);
  await index();
  expect(await commitsOf(id)).toEqual({ stored, indexed: stored, queued: 0 });
  expect(await ask()).toEqual(before);
});

test('a stopped job leaves the queue as it is', async () => {
  const { put, id } = await newWorld(gateway, wren.classic_token);
  expect((await put('/contents/a', { message: 'a', content: base64('a') })).status).toBe(201);
  await indexQueuedCommits(gateway.database, () => true);
  expect(await commitsOf(id)).toEqual({ stored: 1, indexed: 0, queued: 1 });
});

test('commits of every way to write are indexed, and shared with forks', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const base = `/repos/${world.owner}/${world.name}`;
  const bearer = `Bearer ${wren.classic_token}`;
  const { json: written } = await world.put('/contents/a/b', { message: 'contents', content: base64('one') });
  const head = written.commit;
  await index();
  const { status, json: made } = await call(gateway, 'POST', `${base}/git/commits`, bearer, {
    message: 'git data',
    tree: head.tree.sha,
    parents: [head.sha],
  });
  expect([status, await commitsOf(world.id)]).toEqual([201, { stored: 2, indexed: 1, queued: 1 }]);
  const { data } = await graphql(
    gateway,
    `mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`,
    wren.classic_token,
    {
      input: {
        branch: { repositoryNameWithOwner: `${world.owner}/${world.name}`, branchName: 'main' },
        expectedHeadOid: head.sha,
        message: { headline: 'on branch' },
        fileChanges: { additions: [{ path: 'a/c', contents: base64('two') }] },
      },
    },
  );
  const onBranch = data.createCommitOnBranch.commit.oid;
  const git = SystemGit.create();
  for (const message of ['one', 'two']) git.run('commit', '-q', '--allow-empty', '-m', message);
  git.run('branch', '-m', 'imported');
  const context = {
    ...unlimitedSource(gateway.database.read),
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(gateway.database, work),
    now: () => gateway.clock.now,
  };
  await importRepository(context, { repositoryId: world.id, path: git.path });
  expect(await commitsOf(world.id)).toEqual({ stored: 5, indexed: 5, queued: 0 });
  const { data: forked } = await graphql(
    gateway,
    `mutation($input: ForkRepositoryInput!) { forkRepository(input: $input) { repository { databaseId } } }`,
    tomas.classic_token,
    { input: { repository: { named: { owner: world.owner, name: world.name } } } },
  );
  const forkId = forked.forkRepository.repository.databaseId;
  expect(await commitsOf(forkId)).toEqual({ stored: 5, indexed: 5, queued: 0 });
  await index();
  for (const id of [world.id, forkId]) expect(await commitsOf(id)).toEqual({ stored: 5, indexed: 5, queued: 0 });
  // The file was changed by the first commit, and the newest one of the branch did not touch it.
  const answer = await world.get(`/contents/a/b?ref=${onBranch}`);
  expect(answer.headers.get('last-modified')).toBe(new Date(head.committer.date).toUTCString());
  expect(made.parents[0].sha).toBe(head.sha);

  await gateway.database.read(sql`delete from repository where id = ${forkId}`);
  expect(await commitsOf(forkId)).toEqual({ stored: 0, indexed: 0, queued: 0 });
  expect((await commitsOf(world.id)).indexed).toBe(5);
});
