import { expect, test } from '@jest/globals';
import { newCommits, walkHistory } from '../../src/git/history.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { findLastCommit, pathHistory } from '../../src/git/path-history.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers, randomHistory } from './random-history.ts';
import { cold, gitWorld, type SystemGit } from './worlds.ts';

const world = await gitWorld();

async function imported(git: SystemGit): Promise<Repository> {
  const repository = world.repository();
  await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  return openRepository(world.database.read, repository.id);
}

async function oids(walk: AsyncIterable<{ oid: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { oid } of walk) found.push(oid);
  return found;
}

/** Every path that ever existed, files and directories, as latin1 characters, and some that never did. */
function allPaths(git: SystemGit): string[] {
  const listed = git.bytes(['log', '--all', '-m', '--root', '--no-renames', '--name-only', '-t', '-z', '--format=']);
  const paths = new Set(['no', 'no/such/file', 'A', 'SRC', 'deep/none']);
  for (const path of listed.toString('latin1').split(/[\0\n]/)) {
    const parts = path.split('/').filter(Boolean);
    for (let length = 1; length <= parts.length; length++) paths.add(parts.slice(0, length).join('/'));
  }
  return [...paths];
}

test.each([
  [300, 11],
  [300, 12],
  [2500, 13],
])('a random history of %i commits (seed %i)', async (commits, seed) => {
  const git = randomHistory(commits, seed);
  const repository = await imported(git);
  const tips = git.lines('for-each-ref', '--format=%(objectname)', 'refs/heads');
  const paths = allPaths(git);
  const pick = numbers(seed);
  const chosen = Array.from({ length: 60 }, () => paths[pick(paths.length)] ?? '');
  const walks = async (): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (const tip of tips) {
      results.push(await oids(walkHistory(cold(world, repository), [tip])));
      for (const path of chosen) {
        results.push([path, await oids(pathHistory(cold(world, repository), tip, path.split('/')))]);
        const limited = { maxCommits: 1 + pick.length };
        results.push((await findLastCommit(cold(world, repository), tip, path.split('/'), limited))?.oid);
      }
    }
    return results;
  };
  const before = await walks();
  expect(await indexCommits(world.context, repository.id)).toBe(git.lines('rev-list', '--all').length);
  expect(await walks()).toEqual(before);
  for (const path of chosen.filter(one => !one.includes('\xff'))) {
    const said = git.lines('rev-list', tips[0] ?? '', '--', `:(literal)${Buffer.from(path, 'latin1')}`);
    expect([path, await oids(pathHistory(repository, tips[0] ?? '', path.split('/')))]).toEqual([path, said]);
  }
  // Segments that grow: half of the commits are not indexed, in other processes and in this one.
  const [one = '', other = one] = tips;
  expect(await oids(newCommitsOf(repository, one, other))).toEqual(git.lines('rev-list', one, `^${other}`));
});

async function* newCommitsOf(repository: Repository, tip: string, known: string) {
  yield* await newCommits(cold(world, repository), tip, [known]);
}
