import { expect, test } from '@jest/globals';
import { newCommits, walkHistory } from '../../src/git/history.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { createObject, type GitObject, isObjectType } from '../../src/git/object.ts';
import { pathHistory } from '../../src/git/path-history.ts';
import type { Repository } from '../../src/git/repository.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers, randomHistory } from './random-history.ts';
import { cold, folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();

/** Stores all objects. Unlike an import, it leaves the commits in the queue of the index. */
async function storeAll(repository: Repository, git: SystemGit): Promise<void> {
  const output = git.bytes(['cat-file', '--batch', '--batch-all-objects']);
  const objects: GitObject[] = [];
  for (let at = 0; at < output.length; ) {
    const start = output.indexOf('\n', at) + 1;
    const [, type = '', size] = output.toString('latin1', at, start).trimEnd().split(' ');
    const end = start + Number(size);
    if (isObjectType(type)) objects.push(createObject(type, output.subarray(start, end)));
    at = end + 1;
  }
  await world.store(repository, objects);
}

/** The same repository as it was at an older commit. */
function clonedAt(git: SystemGit, commit: string): SystemGit {
  git.run('branch', 'early', commit);
  const clone = new SystemGit(folder());
  clone.run('clone', '-q', '--bare', '--single-branch', '--no-tags', '--branch', 'early', git.path, '.');
  git.run('branch', '-D', 'early');
  return clone;
}

async function oids(walk: AsyncIterable<{ oid: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { oid } of walk) found.push(oid);
  return found;
}

/** Every path that ever existed, files and directories, as latin1 characters, and some that never did. */
function allPaths(git: SystemGit): string[] {
  const listed = git.bytes(['log', '--all', '-m', '--root', '--no-renames', '--name-only', '-z', '--format=']);
  const paths = new Set<string>();
  for (const path of listed.toString('latin1').split(/[\0\n]/)) {
    const parts = path.split('/').filter(Boolean);
    for (let length = 1; length <= parts.length; length++) paths.add(parts.slice(0, length).join('/'));
  }
  return [...paths];
}

/** Paths are bytes, which arguments cannot be. */
function systemHistory(git: SystemGit, tip: string, path: string): string[] {
  const input = Buffer.from(`${tip}\n--\n${path}\n`, 'latin1');
  const listed = git.bytes(['rev-list', '--stdin'], { input, env: { GIT_LITERAL_PATHSPECS: '1' } });
  return listed.toString().split('\n').filter(Boolean);
}

test.each([
  [150, 11],
  [150, 12],
  [1_300, 13],
])(
  'a random history of %i commits (seed %i), indexed in two parts, is that of the system git',
  async (commits, seed) => {
    const git = randomHistory(commits, seed);
    const pick = numbers(seed);
    const all = git.lines('rev-list', '--all');
    const tips = git.lines('for-each-ref', '--format=%(objectname)', 'refs/heads');
    const paths = allPaths(git);
    const chosen = [
      ...Array.from({ length: 16 }, () => paths[pick(paths.length)] ?? ''),
      ...paths.filter(path => path.includes('\xff')).slice(-1),
      ...['src', 'SRC', 'no/such/file'],
    ];
    const assertEqual = async (repository: Repository): Promise<void> => {
      for (const path of chosen) {
        const tip = tips[pick(tips.length)] ?? '';
        const found = await oids(pathHistory(cold(world, repository), tip, path.split('/')));
        expect([path, ...found]).toEqual([path, ...systemHistory(git, tip, path)]);
      }
      for (const tip of tips) {
        expect(await oids(walkHistory(cold(world, repository), [tip]))).toEqual(git.lines('rev-list', tip));
      }
      const [one = '', other = one] = tips;
      const added = await newCommits(cold(world, repository), [one], [other]);
      expect(added.map(({ oid }) => oid)).toEqual(git.lines('rev-list', one, `^${other}`));
    };
    const repository = world.repository();
    const early = clonedAt(git, git.lines('rev-list', 'main')[Math.floor(commits / 10)] ?? '');
    const first = early.lines('rev-list', '--all').length;
    await importRepository(world.context, { repositoryId: repository.id, path: early.path });
    expect(await indexCommits(world.context, repository.id)).toBe(0);
    await storeAll(repository, git);
    await assertEqual(repository);
    expect(await indexCommits(world.context, repository.id)).toBe(all.length - first);
    await assertEqual(repository);
  },
  600_000,
);
