import { expect, test } from '@jest/globals';
import { encodeCommit } from '../../src/git/commit.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { lastChanges } from '../../src/git/last-changes.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { findLastCommit } from '../../src/git/path-history.ts';
import { findObject } from '../../src/git/read-objects.ts';
import { openRepository, type Repository, unlimitedSource } from '../../src/git/repository.ts';
import { encodeTree, entryKind, modes } from '../../src/git/tree.ts';
import { findEntry, pathParts } from '../../src/git/tree-path.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { randomHistory } from './random-history.ts';
import { author, cold, gitWorld } from './worlds.ts';

const world = await gitWorld();
const enough = { maxCommits: 10_000, maxTreeBytes: 64 * 1024 * 1024 };

/** Names and commits of a directory, by one walk for each entry. */
async function oneByOne(repository: Repository, tip: Oid, path: string): Promise<[string, Oid | undefined][]> {
  const commit = await findObject(repository, tip);
  const root = commit?.commit.tree ?? '';
  const entry = await findEntry(repository, root, pathParts(path));
  const folder = path === '' ? root : entry && entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
  const names = (await findObject(repository, folder ?? ''))?.tree.entries.map(({ name }) => name.toString('latin1'));
  const found: [string, Oid | undefined][] = [];
  for (const name of names ?? [])
    found.push([name, (await findLastCommit(repository, tip, [...pathParts(path), name]))?.oid]);
  return found.sort();
}

const sorted = (changes: Map<string, { oid: Oid }>): [string, Oid][] =>
  [...changes].map(([name, { oid }]): [string, Oid] => [name, oid]).sort();

test('equal those of a walk for each entry, with merges and wrong dates, before and after indexing', async () => {
  const git = randomHistory(250, 7);
  const repository = world.repository();
  await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  const tips = git.lines('for-each-ref', '--format=%(objectname)', 'refs/heads');
  for (const isIndexed of [false, true]) {
    if (isIndexed) await indexCommits(world.context, repository.id);
    for (const tip of tips) {
      for (const path of ['', 'src', 'a', 'lib/deep', 'no/such/folder']) {
        const expected = await oneByOne(cold(world, repository), tip, path);
        const found = sorted(await lastChanges(cold(world, repository), tip, pathParts(path), enough));
        expect([path, ...found]).toEqual([path, ...expected]);
      }
    }
  }
}, 60_000);

const blob = (text: string): GitObject => createObject('blob', Buffer.from(text));
const tree = (files: Record<string, GitObject>): GitObject =>
  createObject(
    'tree',
    encodeTree(
      Object.entries(files).map(([name, { oid, type }]) => ({
        mode: type === 'tree' ? modes.directory : modes.file,
        name: Buffer.from(name),
        oid,
      })),
    ),
  );

test('of 10,000 files take few statements, and stop at the limits', async () => {
  const repository = world.repository();
  const first = blob('first');
  const folders: Record<string, GitObject> = {};
  const objects: GitObject[] = [first];
  for (let at = 0; at < 100; at++) {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, file) => [`f${100 + file}`, first]));
    const folder = tree({ ...files, own: blob(`${at}`) });
    objects.push(folder, blob(`${at}`));
    folders[`d${100 + at}`] = folder;
  }
  const commits: Oid[] = [];
  const commit = (root: GitObject): void => {
    const committer = { ...author, seconds: 1_700_000_000 + commits.length };
    const made = createObject(
      'commit',
      encodeCommit({ tree: root.oid, parents: commits.slice(-1), author: committer, committer, message: 'x' }),
    );
    objects.push(root, made);
    commits.push(made.oid);
  };
  commit(tree(folders));
  for (let at = 0; at < 100; at++) {
    const changed = blob(`changed ${at}`);
    const folder = tree({ [`f${100 + at}`]: changed });
    folders[`d${100 + at}`] = folder;
    objects.push(changed, folder);
    commit(tree(folders));
  }
  await world.store(repository, objects);
  const tip = commits.at(-1) ?? '';
  let statements = 0;
  const counting = openRepository(
    unlimitedSource(query => {
      statements++;
      return world.database.read(query);
    }),
    repository.id,
  );
  const found = await lastChanges(counting, tip, [], enough);
  expect(sorted(found)).toEqual(commits.slice(1).map((oid, at) => [`d${100 + at}`, oid]));
  expect(statements).toBeLessThanOrEqual(12);

  const within = await lastChanges(cold(world, repository), tip, [], { ...enough, maxCommits: 10 });
  expect(sorted(within)).toEqual(commits.slice(-10).map((oid, at) => [`d${190 + at}`, oid]));
  const byBytes = await lastChanges(cold(world, repository), tip, [], { ...enough, maxTreeBytes: 40_000 });
  expect(byBytes.size).toBeGreaterThan(0);
  expect(byBytes.size).toBeLessThan(100);
  for (const [name, { oid }] of byBytes) expect(found.get(name)?.oid).toBe(oid);
});
