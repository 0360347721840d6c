import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { unlimitedSource } from '../../src/git/repository.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { SystemGit } from '../git/worlds.ts';
import { gitServer } from '../harness/git-server.ts';
import { call } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { importWorld } from '../hosting/source-imports/import-world.ts';
import { Clone, remoteUrl } from './git-client.ts';
import { commandLines, type MadeObject, made, madeTree, packOf, sendPush } from './packs.ts';

const imports = await importWorld();
const { gateway } = imports;
const token = imports.token.replace('Bearer ', '');

const blob = made('blob', 'one\n');
const plainTree = madeTree([{ name: 'a.txt', oid: blob.oid }]);
const folderTree = madeTree([{ name: 'b.txt', oid: blob.oid }]);
const person = 'A <a@example.org> 1112911993 -0700';
const commitOf = (tree: string, author = person, committer = person): MadeObject =>
  made('commit', `tree ${tree}\nauthor ${author}\ncommitter ${committer}\n\nOdd\n`);

/** Objects of well-known repositories, of which git fsck says an error and large hosts a warning. */
const odd: readonly [string, MadeObject[]][] = [
  ['zeroPaddedFilemode', withCommit(madeTree([{ mode: '040000', name: 'sub', oid: folderTree.oid }]), folderTree)],
  ['badTimezone', [blob, plainTree, commitOf(plainTree.oid, 'A <a@example.org> 1112911993 +051800')]],
  ['missingSpaceBeforeDate', [blob, plainTree, commitOf(plainTree.oid, person, 'A <a@example.org>1112911993 -0700')]],
];
/** Objects that hosts refuse. */
const refused: readonly [string, MadeObject[]][] = [
  ['hasDotgit', withCommit(madeTree([{ name: '.git', oid: blob.oid }]))],
  [
    'treeNotSorted',
    withCommit(
      madeTree([
        { name: 'b', oid: blob.oid },
        { name: 'a', oid: blob.oid },
      ]),
    ),
  ],
  ['missingEmail', [blob, plainTree, commitOf(plainTree.oid, 'A 1112911993 -0700')]],
  [
    'badDate',
    [blob, plainTree, commitOf(plainTree.oid, 'A <a@example.org> x1112911993 -0700', 'A <a@example.org>5 +051800')],
  ],
];

function withCommit(tree: MadeObject, ...below: MadeObject[]): MadeObject[] {
  return [blob, ...below, tree, commitOf(tree.oid)];
}

const tipOf = (objects: readonly MadeObject[]): string => objects.at(-1)?.oid ?? '';

/** A repository on disk with these objects. */
function sourceOf(objects: readonly MadeObject[]): SystemGit {
  const git = SystemGit.create();
  for (const { type, content } of objects)
    git.bytes(['hash-object', '-t', type, '-w', '--literally', '--stdin'], { input: content });
  git.run('update-ref', 'refs/heads/main', tipOf(objects));
  return git;
}

const sources = new Map([...odd, ...refused].map(([id, objects]) => [id, join(sourceOf(objects).path, '.git')]));
const server = await gitServer({ repositories: Object.fromEntries(sources) });

let world: World;
beforeAll(async () => {
  world = await newWorld(gateway, token);
});

async function push(objects: readonly MadeObject[], ref: string): Promise<string> {
  const body = Buffer.concat([Buffer.from(commandLines([{ ref, to: tipOf(objects) }])), packOf(objects)]);
  const { status, text } = await sendPush(gateway, world, token, body);
  expect(status).toBe(200);
  return text;
}

const importFrom = (id: string, repositoryId: number) =>
  importRepository(
    {
      ...unlimitedSource(query => gateway.database.read(query)),
      transaction: work => inTransaction(gateway.database, work),
      now: () => new Date(),
    },
    { repositoryId, path: sources.get(id) ?? '' },
  );

describe.each(odd)('%s', (id, objects) => {
  test('a push takes it and warns', async () => {
    const said = await push(objects, `refs/heads/${id}`);
    expect(said).toContain(`ok refs/heads/${id}`);
    expect(said).toMatch(new RegExp(`warning: object [0-9a-f]{40}: ${id}`));
  });

  test('an import from disk takes it and warns', async () => {
    const target = await newWorld(gateway, token);
    const { warnings } = await importFrom(id, target.id);
    expect(warnings.join('\n')).toMatch(new RegExp(`warning: object [0-9a-f]{40}: ${id}`));
    const clone = await Clone.of(remoteUrl(gateway.url, `${target.owner}/${target.name}`, token));
    expect(await clone.run('rev-parse', 'HEAD')).toBe(tipOf(objects));
  });

  test('an import from a source takes it and keeps the warning for the owner', async () => {
    const { path } = await imports.target();
    await imports.ask('PUT', path, '', { vcs_url: `${server.url}/${id}` });
    const done = await imports.settled(path);
    expect(done.status).toBe('complete');
    expect(done.status_text).toMatch(new RegExp(`^Done\\.\\nwarning: object [0-9a-f]{40}: ${id}`));
  }, 60_000);
});

describe.each(refused)('%s', (id, objects) => {
  test('a push refuses it', async () => {
    const said = await push(objects, `refs/heads/${id}`);
    expect(said).toContain(`ng refs/heads/${id} unpacker error`);
    expect(said).toMatch(new RegExp(`error: object [0-9a-f]{40}: ${id}`));
  });

  test('an import from disk refuses it', async () => {
    const target = await newWorld(gateway, token);
    await expect(importFrom(id, target.id)).rejects.toThrow(id);
    expect((await target.get('/branches')).json).toEqual([]);
  });

  test('an import from a source refuses it', async () => {
    const { path } = await imports.target();
    await imports.ask('PUT', path, '', { vcs_url: `${server.url}/${id}` });
    const done = await imports.settled(path);
    expect(done.status).toBe('error');
    expect(done.error_message).toContain(id);
  }, 60_000);
});

test('a fork has the objects of its parent', async () => {
  const [, objects = []] = odd[0] ?? [];
  await push(objects, 'refs/heads/main');
  const { token: other } = await inTransaction(gateway.database, async db => {
    const { rows } = await sql<{ id: number }>`insert into account (kind, login, created_at, updated_at)
      values ('user', 'forker', now(), now()) returning id`.execute(db);
    return insertCredential(
      db,
      { kind: 'classic', accountId: Number(rows[0]?.id), scopes: ['repo'] },
      gateway.clock.now,
    );
  });
  const made = await call(gateway, 'POST', `/repos/${world.owner}/${world.name}/forks`, `Bearer ${other}`, {});
  expect(made.status).toBe(202);
  const clone = await Clone.of(remoteUrl(gateway.url, made.json.full_name, other));
  expect(await clone.run('rev-parse', 'origin/main')).toBe(tipOf(objects));
});

describe('refs', () => {
  test('a deletion of a ref that does not exist succeeds with a warning', async () => {
    const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
    const clone = await Clone.empty();
    for (const options of [[], ['--atomic']]) {
      const { code, stderr } = await clone.attempt('push', ...options, url, ':refs/heads/absent', ':refs/tags/absent');
      expect([code, stderr]).toEqual([0, expect.stringContaining('warning: Deleting a non-existent ref')]);
    }
    await clone.commit({ 'c.txt': 'three' });
    const { code } = await clone.attempt('push', url, ':refs/heads/absent', 'HEAD:refs/heads/beside');
    expect(code).toBe(0);
  });

  test.each(['refs/pull/1/head', 'refs/pull/1/merge', 'refs/pull/x'])(
    '%s is written by the installation alone',
    async ref => {
      const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
      const clone = await Clone.empty();
      await clone.commit({ 'd.txt': 'four' });
      const { code, stderr } = await clone.attempt('push', url, `HEAD:${ref}`);
      expect(code).toBe(1);
      expect(stderr).toMatch(/deny updating a hidden ref/);
      const tip = (await world.get('/git/ref/heads/main')).json.object.sha;
      const made = await call(gateway, 'POST', `/repos/${world.owner}/${world.name}/git/refs`, `Bearer ${token}`, {
        ref,
        sha: tip,
      });
      expect(made.status).toBe(422);
      expect((await world.get(`/git/matching-refs/${ref.slice('refs/'.length)}`)).json).toEqual([]);
    },
  );
});
