import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { diffTrees } from '../../src/git/diff-trees.ts';
import { exportRepository } from '../../src/git/export-repository.ts';
import { historyPage, isAncestor, mergeBases, newCommits, walkHistory } from '../../src/git/history.ts';
import { findLastCommit, pathHistory } from '../../src/git/path-history.ts';
import { reachableObjects } from '../../src/git/reachable.ts';
import { readCommit } from '../../src/git/read-objects.ts';
import { listRefs } from '../../src/git/refs.ts';
import type { Repository } from '../../src/git/repository.ts';
import { peelToCommit, resolveRevision } from '../../src/git/revision.ts';
import { findEntry, pathParts } from '../../src/git/tree-path.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers, randomHistory } from './random-history.ts';
import { cold, folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();

async function imported(git: SystemGit): Promise<Repository> {
  const repository = world.repository();
  await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  return cold(world, repository);
}

async function all<T, S>(items: AsyncIterable<T>, show: (item: T) => S): Promise<S[]> {
  const shown: S[] = [];
  for await (const item of items) shown.push(show(item));
  return shown;
}

const project = new SystemGit(join(import.meta.dirname, '..', '..'));
const isCheckout = (() => {
  try {
    return project.run('rev-parse', '--is-shallow-repository') === 'false';
  } catch {
    return false;
  }
})();

/** A mirror, because branches of the checkout can move while it is compared. */
function projectMirror(): SystemGit {
  const mirror = new SystemGit(folder());
  mirror.run('clone', '-q', '--mirror', project.path, '.');
  return mirror;
}

const repositories: [name: string, make: () => SystemGit][] = [
  ['a random history', () => randomHistory(300, 7)],
  ['another random history', () => randomHistory(120, 2026)],
  ...(isCheckout ? [['this project', projectMirror] as [string, () => SystemGit]] : []),
];

describe.each(repositories)('as the system git says: %s', (_name, make) => {
  const git = make();
  const pick = numbers(99);
  const commits = git.lines('rev-list', '--all');
  const some = <T>(from: readonly T[], count: number): T[] =>
    from.length <= count ? [...from] : Array.from({ length: count }, () => from[pick(from.length)] as T);
  let repository: Repository;

  beforeAll(async () => {
    repository = await imported(git);
  });

  test('refs and every reachable object', async () => {
    const refs = await listRefs(repository, { limit: 1000 });
    expect(refs.map(({ name, oid }) => `${oid} ${name}`)).toEqual(
      git.lines('for-each-ref', '--format=%(objectname) %(refname)'),
    );
    const objects = await all(
      reachableObjects(
        repository,
        refs.map(ref => ref.oid),
      ),
      ({ oid }) => oid,
    );
    expect(objects.sort()).toEqual(git.lines('rev-list', '--objects', '--no-object-names', '--all').sort());
  });

  test('history by date, complete and in pages', async () => {
    for (const { name, oid } of await listRefs(repository, { prefix: 'refs/heads/', limit: 100 })) {
      const listed = git.lines('rev-list', name);
      expect(await all(walkHistory(cold(world, repository), [oid]), node => node.oid)).toEqual(listed);
      const page = await historyPage(repository, [oid], { skip: 7, limit: 5 });
      expect(page.map(node => node.oid)).toEqual(listed.slice(7, 12));
    }
  });

  test('ancestors, merge bases and new commits', async () => {
    for (const [one, other] of some(commits, 60).map(oid => [oid, commits[pick(commits.length)] ?? oid] as const)) {
      const bases = git.bytes(['merge-base', '--all', one, other]).toString().trim().split('\n');
      expect((await mergeBases(repository, one, other)).sort()).toEqual(bases.sort());
      expect(await isAncestor(repository, one, other)).toBe(bases.includes(one));
      expect((await newCommits(repository, [one], [other])).map(node => node.oid)).toEqual(
        git.lines('rev-list', one, `^${other}`),
      );
    }
  });

  test('differences between trees', async () => {
    for (const [one, other] of some(commits, 40).map(oid => [oid, commits[pick(commits.length)] ?? oid] as const)) {
      const [before, after] = [await readCommit(repository, one), await readCommit(repository, other)];
      const found = await diffTrees(cold(world, repository), before.tree, after.tree);
      const letters = { added: 'A', deleted: 'D', modified: 'M', 'type-changed': 'T' };
      const shown = found.map(({ path, status, before, after }) => {
        const [old, current] = [before?.mode ?? '000000', after?.mode ?? '000000'];
        const none = '0'.repeat(40);
        return `:${old} ${current} ${before?.oid ?? none} ${after?.oid ?? none} ${letters[status]}\t${path}`;
      });
      const told = git.bytes(['diff-tree', '-r', '-z', '--no-renames', one, other]).toString('latin1');
      const fields = told.split('\0');
      const listed = Array.from(
        { length: (fields.length - 1) / 2 },
        (_, at) => `${fields[at * 2]}\t${fields[at * 2 + 1]}`,
      );
      expect(shown).toEqual(listed);
    }
  });

  test('history of paths', async () => {
    const tip = git.run('rev-parse', 'HEAD');
    const paths = git
      .bytes(['ls-tree', '-r', '-t', '-z', '--name-only', tip])
      .toString('latin1')
      .split('\0')
      .filter(Boolean);
    for (const path of some(paths, 40)) {
      const listed = git.lines(
        'rev-list',
        tip,
        '--',
        path.includes('\xff') ? ':(glob)odd/?a' : Buffer.from(path, 'latin1').toString(),
      );
      expect([path, ...(await all(pathHistory(repository, tip, path.split('/')), node => node.oid))]).toEqual([
        path,
        ...listed,
      ]);
    }
    expect(await all(pathHistory(repository, tip, ['no', 'such', 'file']), node => node.oid)).toEqual([]);
    const path = paths.find(one => !one.includes('\xff')) ?? '';
    const parts = path.split('/');
    const last = git.run('rev-list', '-1', tip, '--', Buffer.from(path, 'latin1').toString());
    expect((await findLastCommit(cold(world, repository), tip, parts))?.oid).toBe(last);
    const oldest = git.lines('rev-list', tip).length;
    expect(await findLastCommit(repository, tip, ['no'], { maxCommits: oldest - 1 })).toBeUndefined();
  });

  test('entries at paths', async () => {
    const tip = git.run('rev-parse', 'HEAD');
    const { tree } = await readCommit(repository, tip);
    const listed = git.bytes(['ls-tree', '-r', '-t', '-z', tip]).toString('latin1').split('\0').filter(Boolean);
    for (const line of some(listed, 100)) {
      const [facts = '', path = ''] = line.split('\t');
      const entry = await findEntry(repository, tree, path.split('/'));
      expect(`${entry?.mode.padStart(6, '0')} ${entry?.oid}`).toBe(facts.replace(/ \w+ /, ' '));
    }
    expect(await findEntry(repository, tree, ['no', 'such'])).toBeUndefined();
    expect(pathParts('')).toEqual([]);
    expect(pathParts('Ü/b')).toEqual(['\xc3\x9c', 'b']);
  });

  test('revisions', async () => {
    const branch = git.run('symbolic-ref', '--short', 'HEAD');
    const tip = git.run('rev-parse', 'HEAD');
    for (const name of [branch, `heads/${branch}`, `refs/heads/${branch}`, tip, tip.toUpperCase(), tip.slice(0, 12)]) {
      expect((await resolveRevision(repository, name))?.oid).toBe(tip);
    }
    for (const tag of git.lines('tag')) {
      const found = await resolveRevision(repository, tag);
      expect(found).toEqual({ oid: git.run('rev-parse', `refs/tags/${tag}`), ref: `refs/tags/${tag}` });
      expect(await peelToCommit(repository, found?.oid ?? '')).toBe(git.run('rev-parse', `${tag}^{commit}`));
    }
    for (const none of ['', 'no-such', 'dead', '0'.repeat(40), 'ab', 'a\0b', '-x', `${branch}^`]) {
      const found = await resolveRevision(repository, none);
      if (found) expect(found.oid.startsWith(none)).toBe(true);
    }
  });

  test('an export passes git fsck and has equal refs and objects', async () => {
    const path = join(folder(), 'exported.git');
    const head = git.run('symbolic-ref', 'HEAD');
    await exportRepository(repository, path, { head });
    const copy = new SystemGit(path);
    copy.run('fsck', '--strict', '--full');
    expect(copy.lines('for-each-ref')).toEqual(git.lines('for-each-ref'));
    expect(copy.lines('rev-list', '--objects', '--all')).toEqual(git.lines('rev-list', '--objects', '--all'));
  });
});
