import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeCommit } from '../../src/git/commit.ts';
import { isIndexed } from '../../src/git/commit-graph.ts';
import { walkHistory } from '../../src/git/history.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { findLastCommit, pathHistory } from '../../src/git/path-history.ts';
import { openRepository, type Repository, unlimitedSource } from '../../src/git/repository.ts';
import { encodeTree, modes } from '../../src/git/tree.ts';
import { author, cold, gitWorld } from './worlds.ts';

const world = await gitWorld();

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

function commit(root: GitObject, parents: readonly Oid[], seconds: number): GitObject {
  const committer = { ...author, seconds };
  return createObject(
    'commit',
    encodeCommit({ tree: root.oid, parents, author: committer, committer, message: `At ${seconds}` }),
  );
}

/** A line of commits, oldest first. Each changes `src/often`; those of `rare` change `docs/rare` as well. */
async function line(count: number, rare: readonly number[]): Promise<{ repository: Repository; commits: Oid[] }> {
  const repository = world.repository();
  const objects: GitObject[] = [];
  const commits: Oid[] = [];
  let docs = tree({ rare: blob('none') });
  for (let at = 0; at < count; at++) {
    const often = blob(`${at}`);
    if (rare.includes(at)) {
      const changed = blob(`rare ${at}`);
      docs = tree({ rare: changed });
      objects.push(changed);
    }
    const src = tree({ often });
    const root = tree({ docs, src });
    const made = commit(root, commits.slice(-1), 1_700_000_000 + at);
    objects.push(often, docs, src, root, made);
    commits.push(made.oid);
  }
  await world.store(repository, objects);
  return { repository, commits };
}

/** A reader of its own without cached objects, which counts statements and trees. */
function counted(repository: Repository): { repository: Repository; counts: { statements: number; trees: number } } {
  const counts = { statements: 0, trees: 0 };
  const read: Repository['read'] = async query => {
    counts.statements++;
    const rows = await world.database.read(query);
    counts.trees += rows.filter(row => (row as { type?: number }).type === 2).length;
    return rows;
  };
  return { repository: openRepository(unlimitedSource(read), repository.id), counts };
}

async function oids(walk: AsyncIterable<{ oid: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { oid } of walk) found.push(oid);
  return found;
}

async function indexed({ id }: Repository): Promise<{ segments: number; commits: number; queued: number }> {
  const [row] = await world.database.read<{ segments: number; commits: number; queued: number }>(sql`
    select count(*)::int as segments, coalesce(sum(size), 0)::int as commits,
      (select count(*)::int from git_unindexed_commit where repository_id = ${id}) as queued
    from git_commit_segment where repository_id = ${id}`);
  return row ?? { segments: 0, commits: 0, queued: 0 };
}

test('the walk of a path reads the segments once, and few trees', async () => {
  const rare = [3, 700, 2_290];
  const { repository, commits } = await line(2_300, rare);
  expect(await indexed(repository)).toEqual({ segments: 0, commits: 0, queued: 2_300 });
  expect(await indexCommits(world.context, repository.id)).toBe(2_300);
  expect(await indexed(repository)).toEqual({ segments: 3, commits: 2_300, queued: 0 });
  const tip = commits.at(-1) ?? '';
  const changes = [0, ...rare].map(at => commits[at]).reverse();

  const walk = counted(repository);
  expect(await oids(pathHistory(walk.repository, tip, ['docs', 'rare']))).toEqual(changes);
  // Two statements for the segments, and for each of a few batches two for the trees.
  expect(walk.counts.statements).toBeLessThanOrEqual(14);
  // One commit in a hundred is read for nothing.
  expect(walk.counts.trees).toBeLessThan(200);

  const last = counted(repository);
  expect((await findLastCommit(last.repository, tip, ['docs', 'rare']))?.oid).toBe(commits[2_290]);
  expect(last.counts.statements).toBeLessThanOrEqual(3);
  expect(last.counts.trees).toBeLessThan(20);

  // A second walk reads only trees, and what is known of the path nothing.
  await oids(pathHistory(walk.repository, tip, ['src']));
  const before = walk.counts.statements;
  expect(await oids(pathHistory(walk.repository, tip, ['src']))).toHaveLength(2_300);
  expect(walk.counts.statements).toBe(before);

  const whole = counted(repository);
  expect(await oids(walkHistory(whole.repository, [tip]))).toEqual(commits.toReversed());
  expect(whole.counts.statements).toBeLessThanOrEqual(3);
});

test('a page near the tip does not read the whole history', async () => {
  const { repository, commits } = await line(4_200, []);
  while ((await indexCommits(world.context, repository.id)) > 0);
  expect(await indexed(repository)).toEqual({ segments: 5, commits: 4_200, queued: 0 });
  const { repository: read, counts } = counted(repository);
  const page: string[] = [];
  for await (const { oid } of pathHistory(read, commits.at(-1) ?? '', ['src', 'often'])) {
    page.push(oid);
    if (page.length === 30) break;
  }
  expect(page).toEqual(commits.slice(-30).reverse());
  expect(counts.trees).toBeLessThanOrEqual(4 * 64);
  expect(read.cache.getSegments(repository.id)).toHaveLength(2);
});

test('commits are indexed once when two processes index a repository', async () => {
  const { repository, commits } = await line(1_100, [5]);
  await Promise.all([1, 2].map(() => indexCommits(world.context, repository.id)));
  while ((await indexCommits(world.context, repository.id)) > 0);
  expect(await indexed(repository)).toEqual({ segments: 2, commits: 1_100, queued: 0 });
  const tip = commits.at(-1) ?? '';
  expect(await oids(walkHistory(cold(world, repository), [tip]))).toEqual(commits.toReversed());
});

test('new commits are found on top of the index, before and after they are indexed', async () => {
  const { repository, commits } = await line(50, [10]);
  await indexCommits(world.context, repository.id);
  const note = blob('note');
  const root = tree({ note });
  const deleted = commit(root, commits.slice(-1), 1_700_001_000);
  // Dates before those of its parents, and parents that are stored later than dated.
  const early = commit(root, [deleted.oid], 5);
  await world.store(repository, [note, root, deleted, early]);
  const expected = [deleted.oid, commits[10], commits[0]];
  for (const queued of [2, 0]) {
    expect((await indexed(repository)).queued).toBe(queued);
    const { repository: read, counts } = counted(repository);
    expect(await oids(pathHistory(read, early.oid, ['docs', 'rare']))).toEqual(expected);
    expect(counts.statements).toBeLessThan(12);
    expect(await oids(pathHistory(read, early.oid, ['note']))).toEqual([deleted.oid]);
    if (queued > 0) await indexCommits(world.context, repository.id);
  }
  expect(await indexed(repository)).toEqual({ segments: 1, commits: 52, queued: 0 });
});

test('commits that change too many files, lack a tree or a parent, or have hundreds of parents', async () => {
  const repository = world.repository();
  const file = blob('content');
  const other = blob('other');
  const few = tree({ file });
  const many = tree(Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`file-${at}`, file])));
  const both = tree({ file: other, many });
  const first = commit(few, [], 1);
  const large = commit(both, [first.oid], 2);
  const missing = commit(tree({ file: other, lost: tree({ none: file }) }), [large.oid], 3);
  const lostTree = tree({ file: other, lost: tree({ none: file }) });
  const roots = Array.from({ length: 300 }, (_, at) => commit(few, [], 10 + at));
  const octopus = commit(few, [missing.oid, ...roots.map(({ oid }) => oid)], 1_000);
  const tip = commit(both, [octopus.oid], 1_001);
  const shallow = commit(few, ['ab'.repeat(20)], 2_000);
  await world.store(repository, [file, other, few, many, both, lostTree, first, large, missing, ...roots]);
  await world.store(repository, [octopus, tip, shallow]);
  const walks = async (): Promise<unknown[]> => [
    await oids(pathHistory(cold(world, repository), tip.oid, ['file'])),
    await oids(pathHistory(cold(world, repository), large.oid, ['many', 'file-599'])),
    await oids(walkHistory(cold(world, repository), [tip.oid])),
    await oids(pathHistory(cold(world, repository), missing.oid, ['lost', 'none'])).catch(({ code }) => code),
    await oids(pathHistory(cold(world, repository), shallow.oid, ['file'])).catch(({ code }) => code),
  ];
  const before = await walks();
  expect(before[1]).toEqual([large.oid]);
  expect(await indexCommits(world.context, repository.id)).toBe(306);
  expect(await walks()).toEqual(before);
  // The one with hundreds of parents is not indexed; its child is.
  expect(await indexed(repository)).toEqual({ segments: 1, commits: 305, queued: 0 });
  const nodes = [];
  for await (const node of walkHistory(cold(world, repository), [tip.oid])) nodes.push(node);
  expect(nodes.filter(node => node.parents.length > 255 && isIndexed(node))).toEqual([]);
});

test('the newest commit of a path is not looked for in many commits that are not indexed yet', async () => {
  const { repository, commits } = await line(600, [3]);
  const find = async (path: string[], maxUnindexed: number): Promise<{ oid: string | undefined; wasCut: boolean }> => {
    let wasCut = false;
    const onUnindexed = (): void => {
      wasCut = true;
    };
    const options = { maxUnindexed, onUnindexed };
    const found = await findLastCommit(cold(world, repository), commits.at(-1) ?? '', path, options);
    return { oid: found?.oid, wasCut };
  };
  expect(await find(['src', 'often'], 256)).toEqual({ oid: commits.at(-1), wasCut: false });
  expect(await find(['docs', 'rare'], 256)).toEqual({ oid: undefined, wasCut: true });
  await indexCommits(world.context, repository.id);
  expect(await find(['docs', 'rare'], 256)).toEqual({ oid: commits[3], wasCut: false });
});
