import { describe, expect, test } from '@jest/globals';
import { encodeCommit } from '../../src/git/commit.ts';
import { diffTreePairs, diffTrees } from '../../src/git/diff-trees.ts';
import { isAncestor, mergeBases, newCommits, walkHistory } from '../../src/git/history.ts';
import { indexCommits } from '../../src/git/index-commits.ts';
import { mergeCommits } from '../../src/git/merge-commits.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { reachableObjects } from '../../src/git/reachable.ts';
import { findObjects, readBatches } from '../../src/git/read-objects.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import { emptyTree, encodeTree, modes, type TreeEntry } from '../../src/git/tree.ts';
import { WorkBudget, type WorkLimits } from '../../src/workers/work-budget.ts';
import { numbers } from './random-history.ts';
import { gitWorld } from './worlds.ts';

const world = await gitWorld();

/** The limits of a request, unless given otherwise. */
const limited = (repository: Repository, limits: Partial<WorkLimits> = {}): Repository =>
  openRepository(
    {
      read: query => world.database.read(query),
      workBudget: new WorkBudget({
        steps: 20_000_000,
        objects: 400_000,
        bytes: 512 * 1024 * 1024,
        milliseconds: 60_000,
        ...limits,
      }),
    },
    repository.id,
  );

const blob = (text: string): GitObject => createObject('blob', Buffer.from(text));
const entry = (name: string, { oid, type }: GitObject): TreeEntry => ({
  mode: type === 'tree' ? modes.directory : modes.file,
  name: Buffer.from(name),
  oid,
});
const tree = (...entries: TreeEntry[]): GitObject => createObject('tree', encodeTree(entries));

/** Trees of `width` entries that are all the next tree, `depth` times: `width` ** `depth` files at the end of `width` objects. */
function bomb(leaf: GitObject, { width, depth, name = 'd' }: { width: number; depth: number; name?: string }) {
  const objects = [leaf];
  for (let level = 0; level < depth; level++) {
    const below = objects.at(-1) as GitObject;
    objects.push(tree(...Array.from({ length: width }, (_, n) => entry(`${name}${n}`, below))));
  }
  return { root: (objects.at(-1) as GitObject).oid, objects };
}

function commitOf(treeOid: Oid, parents: readonly Oid[], seconds: number): GitObject {
  const person = { name: 'A', email: 'a@example.org', seconds, zone: '+0000' };
  return createObject(
    'commit',
    encodeCommit({ tree: treeOid, parents, author: person, committer: person, message: 'x' }),
  );
}

describe('trees that expand to ten billion files', () => {
  test('the first files are listed, in the order of their paths', async () => {
    const { root, objects } = bomb(blob('x'), { width: 10, depth: 10 });
    const stored = world.repository();
    await world.store(stored, objects);
    const found = await diffTrees(limited(stored, { steps: 400_000 }), undefined, root, { maxFiles: 300 });
    const path = (n: number) => [...`${n}`.padStart(10, '0')].map(digit => `d${digit}`).join('/');
    expect(found.map(one => one.path)).toEqual(Array.from({ length: 301 }, (_, n) => path(n)));
    await expect(diffTrees(limited(stored), undefined, root)).rejects.toMatchObject({ limit: 'steps' });
    await expect(diffTreePairs(limited(stored), [{ before: undefined, after: root }])).rejects.toMatchObject({
      limit: 'steps',
    });
  });

  test('without any file the comparison ends at the budget', async () => {
    const { root, objects } = bomb(emptyTree, { width: 10, depth: 10 });
    const stored = world.repository();
    await world.store(stored, objects);
    const search = diffTrees(limited(stored, { steps: 1_000_000 }), undefined, root, { maxFiles: 300 });
    await expect(search).rejects.toMatchObject({ limit: 'steps' });
  });

  test('three of them are merged once for each three directories', async () => {
    const sides = ['base\n', 'ours\n', 'theirs\n'].map((text, at) => {
      const content = `${at === 1 ? 'ours' : 'one'}\ntwo\nthree\nfour\n${at === 2 ? 'theirs' : 'five'}\n`;
      expect(text).not.toBe('');
      return bomb(blob(content), { width: 10, depth: 10 });
    });
    const [base, ours, theirs] = sides.map(({ root }) => root) as [Oid, Oid, Oid];
    const root = commitOf(base, [], 1);
    const [one, other] = [commitOf(ours, [root.oid], 2), commitOf(theirs, [root.oid], 3)];
    const stored = world.repository();
    await world.store(stored, [...sides.flatMap(({ objects }) => objects), root, one, other]);
    const merged = await mergeCommits(limited(stored, { steps: 100_000 }), one.oid, other.oid);
    const expected = bomb(blob('ours\ntwo\nthree\nfour\ntheirs\n'), { width: 10, depth: 10 });
    expect(merged.tree).toBe(expected.root);
    expect(merged.objects).toHaveLength(11);
  });
});

test('differences from several trees are those from each of them', async () => {
  const [a, b, c] = [blob('a'), blob('b'), blob('c')];
  const inner = (one: GitObject, two: GitObject) => tree(entry('x', one), entry('y', two));
  const trees = [
    tree(entry('dir', inner(a, b)), entry('file', a), entry('turned', inner(a, a))),
    tree(entry('dir', inner(b, b)), entry('file', b), entry('turned', a)),
    tree(entry('dir', inner(c, b)), entry('file', b), entry('new', c), entry('turned', b)),
    tree(entry('dir', c)),
  ];
  const stored = world.repository();
  await world.store(stored, [a, b, c, inner(a, b), inner(b, b), inner(c, b), inner(a, a), ...trees]);
  const repository = limited(stored);
  const oids = [...trees.map(({ oid }) => oid), undefined];
  for (const after of oids) {
    for (const before of oids) {
      for (const other of oids) {
        const listed = await diffTreePairs(repository, [
          { before, after },
          { before: other, after },
          { before, after, others: [other, after === before ? other : before] },
        ]);
        const [one = [], two = [], both = []] = listed.map(differences => differences.map(({ path }) => path));
        expect(both).toEqual(one.filter(path => two.includes(path)));
      }
    }
  }
});

test('150 directories of 1,000 files are walked', async () => {
  const oid = (n: number): Oid => `${n}`.padStart(40, '0');
  const folders = Array.from({ length: 150 }, (_, folder) =>
    tree(
      ...Array.from({ length: 1_000 }, (_, n) => ({
        mode: modes.file,
        name: Buffer.from(`f${n}`),
        oid: oid(folder * 1_000 + n),
      })),
    ),
  );
  const root = tree(...folders.map((one, n) => entry(`d${n}`, one)));
  const stored = world.repository();
  await world.store(stored, [...folders, root]);
  const found = new Map<string, number>();
  for await (const { type } of reachableObjects(limited(stored), [root.oid]))
    found.set(type, (found.get(type) ?? 0) + 1);
  expect(Object.fromEntries(found)).toEqual({ tree: 151, blob: 150_000 });
});

test('objects are read by some megabytes at a time, in the order of their ids', async () => {
  const stored = world.repository();
  const trees = Array.from({ length: 12 }, (_, folder) =>
    tree(
      ...Array.from({ length: 50_000 }, (_, n) => ({
        mode: modes.file,
        name: Buffer.from(`a-name-of-${folder}-${n}`),
        oid: '1'.repeat(40),
      })),
    ),
  );
  await world.store(stored, trees);
  const repository = limited(stored);
  const oids = [...trees.map(one => one.oid), 'f'.repeat(40), ...trees.map(one => one.oid)];
  const batches: Oid[][] = [];
  for await (const batch of readBatches(repository, oids)) {
    batches.push([...batch.oids]);
    const bytes = [...batch.found.values()].reduce((sum, { content }) => sum + content.length, 0);
    expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    for (const object of batch.found.values()) expect(object.isUnprepared).toBe(false);
  }
  expect(batches.flat()).toEqual([...new Set(oids)]);
  expect(batches.length).toBeGreaterThan(2);
  await expect(findObjects(limited(stored, { bytes: 10 * 1024 * 1024 }), oids)).rejects.toMatchObject({
    limit: 'bytes',
  });
});

describe('histories', () => {
  const counted = (repository: Repository): { repository: Repository; statements: () => number } => {
    let statements = 0;
    const { workBudget } = limited(repository, { steps: 100_000 });
    const read: Repository['read'] = query => {
      statements++;
      return world.database.read(query);
    };
    return { repository: openRepository({ read, workBudget }, repository.id), statements: () => statements };
  };

  test('two thousand roots below two octopus merges are all merge bases, in a hundred thousand steps', async () => {
    const roots = Array.from({ length: 2_000 }, (_, n) => commitOf(emptyTree.oid, [], n + 1));
    const parents = roots.map(({ oid }) => oid);
    const [one, other] = [commitOf(emptyTree.oid, parents, 5_000), commitOf(emptyTree.oid, parents, 5_001)];
    const last = commitOf(emptyTree.oid, [one.oid, other.oid], 5_002);
    const stored = world.repository();
    await world.store(stored, [emptyTree, ...roots, one, other, last]);
    const bases = counted(stored);
    expect(await mergeBases(bases.repository, one.oid, other.oid)).toEqual(parents.toReversed());
    expect(bases.statements()).toBeLessThan(20);
    const added = counted(stored);
    expect(await newCommits(added.repository, [last.oid], [one.oid])).toHaveLength(2);
    expect(added.statements()).toBeLessThan(20);
    expect(await isAncestor(counted(stored).repository, parents[0] as Oid, last.oid)).toBe(true);
    const all = [];
    for await (const { oid } of walkHistory(counted(stored).repository, [last.oid])) all.push(oid);
    expect(all).toHaveLength(2_003);
  });

  test('the new commits of many tips are found in one walk', async () => {
    const stored = world.repository();
    const known = [commitOf(emptyTree.oid, [], 1)];
    for (let n = 2; n <= 300; n++) known.push(commitOf(emptyTree.oid, [(known.at(-1) as GitObject).oid], n));
    const heads = known.map(({ oid }, n) => commitOf(emptyTree.oid, [oid], 1_000 + n));
    await world.store(stored, [emptyTree, ...known, ...heads]);
    const { repository, statements } = counted(stored);
    const tips = [...heads, ...known].map(({ oid }) => oid);
    const found = await newCommits(repository, tips, [(known.at(-1) as GitObject).oid]);
    expect(found.map(({ oid }) => oid)).toEqual(heads.map(({ oid }) => oid).toReversed());
    expect(statements()).toBeLessThan(10);
  });

  test('merge bases of random graphs whose dates are wrong are those of the definition', async () => {
    const pick = numbers(20_261_128);
    for (let round = 0; round < 24; round++) {
      const commits: GitObject[] = [];
      const ancestors = new Map<Oid, Set<Oid>>();
      for (let n = 0; n < 30; n++) {
        const parents = [...new Set(Array.from({ length: pick(4) }, () => commits[pick(n)]?.oid ?? ''))].filter(
          Boolean,
        );
        const commit = commitOf(emptyTree.oid, parents, 1_000 + pick(40));
        if (ancestors.has(commit.oid)) continue;
        ancestors.set(commit.oid, new Set([commit.oid, ...parents.flatMap(oid => [...(ancestors.get(oid) ?? [])])]));
        commits.push(commit);
      }
      const stored = world.repository();
      await world.store(stored, [emptyTree, ...commits]);
      // With positions in the index, and without.
      if (round % 2 === 0) while ((await indexCommits(world.context, stored.id)) > 0);
      const repository = limited(stored);
      for (let pair = 0; pair < 20; pair++) {
        const [one, other] = [commits[pick(commits.length)]?.oid ?? '', commits[pick(commits.length)]?.oid ?? ''];
        const common = [...(ancestors.get(one) ?? [])].filter(oid => ancestors.get(other)?.has(oid));
        const best = common.filter(oid => !common.some(rival => rival !== oid && ancestors.get(rival)?.has(oid)));
        expect((await mergeBases(repository, one, other)).sort()).toEqual(best.sort());
        expect(await isAncestor(repository, one, other)).toBe(ancestors.get(other)?.has(one));
      }
    }
  });
});
