import { applyChanges } from '../../src/git/apply-changes.ts';
import { measureTree } from '../../src/git/archives/measure-tree.ts';
import { createTar, createTarGz } from '../../src/git/archives/tar.ts';
import { TreeWalk } from '../../src/git/archives/tree-walk.ts';
import { createZip } from '../../src/git/archives/zip.ts';
import { changedPaths, compareEntries } from '../../src/git/changed-paths.ts';
import { diffTreePairs, diffTrees } from '../../src/git/diff-trees.ts';
import { historyPage, isAncestor, mergeBases, newCommits, walkHistory } from '../../src/git/history.ts';
import { lastChanges } from '../../src/git/last-changes.ts';
import { mergeCommits } from '../../src/git/merge-commits.ts';
import { createObject, type Oid } from '../../src/git/object.ts';
import { findLastCommit, pathHistory } from '../../src/git/path-history.ts';
import { mergePlainly } from '../../src/git/plain-merge.ts';
import { assertConnected, assertStored, reachableObjects } from '../../src/git/reachable.ts';
import { findObjects, readTree } from '../../src/git/read-objects.ts';
import type { Repository } from '../../src/git/repository.ts';
import { followSteps } from '../../src/git/revision-suffix.ts';
import { findEntries, findEntry } from '../../src/git/tree-path.ts';
import { walkObjects } from '../../src/git/walk-objects.ts';
import { type BudgetedSizes, type Case, exported } from './complexity.ts';
import {
  blobOid,
  chain,
  commitOf,
  crissCross,
  deepTree,
  fileEntry,
  folderEntry,
  octopus,
  opened,
  openedForLittle,
  stored,
  treeBomb,
  treeOf,
  wideTree,
} from './git-histories.ts';
import { requestBudget } from './request-budgets.ts';
import { userLimits } from './user-limits.ts';

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}

/** Levels of trees whose paths double with each: up to ten million there is a size in between for what has no budget. */
const bombSizes: BudgetedSizes = { steps: [6, 10, 12, 14, 16, 18, 20, 40], maxCpuMs: 1_000 };
const wideSizes = { from: 1_000, largest: userLimits.treeEntries };
const deepSizes = { from: 32, largest: userLimits.pathParts - 1 };

const diffs: Case[] = [
  {
    name: 'differences of two tree bombs',
    covers: exported('src/git/diff-trees.ts', 'diffTrees', 'diffTreePairs', 'treesOf'),
    sizes: bombSizes,
    prepare: async (size, world) => {
      const [one, other] = [treeBomb(size, 1), treeBomb(size, 2)];
      const repository = await stored(world, [...one.objects, ...other.objects]);
      return () => diffTrees(openedForLittle(world, repository), one.top, other.top);
    },
  },
  {
    name: 'differences of an empty tree and a tree bomb, for many commits',
    covers: exported('src/git/diff-trees.ts', 'diffTreePairs'),
    sizes: bombSizes,
    prepare: async (size, world) => {
      const bomb = treeBomb(size);
      const repository = await stored(world, bomb.objects);
      const pairs = Array.from({ length: 4 }, () => ({ before: undefined, after: bomb.top }));
      return () => diffTreePairs(openedForLittle(world, repository), pairs);
    },
  },
  {
    name: 'differences of two directories of many files',
    covers: exported('src/git/diff-trees.ts', 'diffTrees'),
    sizes: wideSizes,
    prepare: async (size, world) => {
      const [one, other] = [wideTree(size), wideTree(size, { from: 1 })];
      const repository = await stored(world, [...one.objects, ...other.objects]);
      return () => diffTrees(opened(world, repository), one.top, other.top);
    },
  },
  {
    name: 'differences of two deep trees',
    covers: exported('src/git/diff-trees.ts', 'diffTrees'),
    sizes: deepSizes,
    prepare: async (size, world) => {
      const [one, other] = [deepTree(size, 1), deepTree(size, 2)];
      const repository = await stored(world, [...one.objects, ...other.objects]);
      return () => diffTrees(opened(world, repository), one.top, other.top);
    },
  },
  {
    name: 'changed paths of a tree bomb',
    covers: exported('src/git/changed-paths.ts', 'changedPaths'),
    sizes: bombSizes,
    prepare: async (size, world) => {
      const bomb = treeBomb(size);
      const repository = await stored(world, bomb.objects);
      const pairs = Array.from({ length: 64 }, () => ({ before: undefined, after: bomb.top }));
      return () => changedPaths(openedForLittle(world, repository), pairs, 512);
    },
  },
  {
    name: 'changed entries of two directories of many files',
    covers: exported('src/git/changed-paths.ts', 'compareEntries'),
    sizes: wideSizes,
    prepare: size => {
      const [one, other] = [wideTree(size), wideTree(size, { from: 1 })];
      return () => compareEntries(one.objects[0]?.content, other.objects[0]?.content, requestBudget());
    },
  },
];

const merges: Case[] = [
  {
    name: 'a merge of three tree bombs',
    covers: exported('src/git/merge-commits.ts', 'mergeCommits'),
    sizes: bombSizes,
    prepare: async (size, world) => {
      // Each side changes a file of its own in every directory, so that no side is equal to another.
      const bombs = [0, 1, 2].map(side => {
        const objects = [treeOf([1, 2].map(one => fileEntry(`f${one}`, blobOid(one === side ? 2 : 1))))];
        for (let level = 0; level < size; level++) {
          const below = objects.at(-1)?.oid ?? '';
          objects.push(treeOf([folderEntry('a', below), folderEntry('b', below)]));
        }
        return { objects, top: objects.at(-1)?.oid ?? '' };
      });
      const [base, ours, theirs] = bombs.map(({ top }) => top) as [Oid, Oid, Oid];
      const root = commitOf(treeOf([folderEntry('d', base)]).oid, [], 0);
      const tips = [ours, theirs].map((tree, at) => commitOf(treeOf([folderEntry('d', tree)]).oid, [root.oid], at + 1));
      const roots = [base, ours, theirs].map(tree => treeOf([folderEntry('d', tree)]));
      const repository = await stored(world, [...bombs.flatMap(({ objects }) => objects), ...roots, root, ...tips]);
      return () => mergeCommits(openedForLittle(world, repository), tips[0]?.oid ?? '', tips[1]?.oid ?? '');
    },
  },
  {
    name: 'a merge of directories of many files',
    covers: exported('src/git/plain-merge.ts', 'mergePlainly'),
    sizes: wideSizes,
    prepare: async (size, world) => {
      const sides = [0, 1, 2].map(side => {
        const entries = Array.from({ length: size }, (_, at) =>
          fileEntry(`f${at}`, blobOid(at % 3 === side ? side : 9)),
        );
        return treeOf(entries);
      });
      const repository = await stored(world, sides);
      const [base = '', ours = '', theirs = ''] = sides.map(({ oid }) => oid);
      return () => mergePlainly(opened(world, repository), { base, ours, theirs });
    },
  },
  {
    name: 'a merge of deep trees',
    covers: exported('src/git/plain-merge.ts', 'mergePlainly'),
    sizes: deepSizes,
    prepare: async (size, world) => {
      const sides = [0, 1, 2].map(side => {
        const objects = [treeOf([1, 2].map(one => fileEntry(`f${one}`, blobOid(one === side ? 2 : 1))))];
        for (let level = 1; level < size; level++) objects.push(treeOf([folderEntry('a', objects.at(-1)?.oid ?? '')]));
        return { objects, top: objects.at(-1)?.oid };
      });
      const repository = await stored(
        world,
        sides.flatMap(({ objects }) => objects),
      );
      const [base = '', ours = '', theirs = ''] = sides.map(({ top }) => top);
      return () => mergePlainly(opened(world, repository), { base, ours, theirs });
    },
  },
  {
    name: 'a merge after criss-cross merges',
    covers: [
      ...exported('src/git/merge-commits.ts', 'mergeCommits'),
      ...exported('src/git/merge-graph.ts', 'ancestorLevels', 'copyGraph'),
    ],
    sizes: { from: 4, largest: 2_000 },
    prepare: async (size, world) => {
      // From 1: git aborts at an entry whose id is 0.
      const tree = wideTree(1, { from: 1 });
      const { objects, tips } = crissCross(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      return () => mergeCommits(opened(world, repository), ...tips);
    },
  },
];

const histories: Case[] = [
  {
    name: 'merge bases of two merges of many roots',
    covers: exported('src/git/history.ts', 'mergeBases', 'isAncestor'),
    sizes: { from: 100, largest: 6_400 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const [one, other] = [octopus(size, tree.top, 1), octopus(size, tree.top, 2)];
      const repository = await stored(world, [...tree.objects, ...one.objects, ...other.objects]);
      return () => mergeBases(opened(world, repository), one.top, other.top);
    },
  },
  {
    name: 'merge bases after many criss-cross merges',
    covers: exported('src/git/history.ts', 'mergeBases'),
    sizes: { from: 500, largest: 8_000 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, tips } = crissCross(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      return () => mergeBases(opened(world, repository), ...tips);
    },
  },
  {
    name: 'ancestors of a merge of many roots',
    covers: [
      ...exported('src/git/history.ts', 'isAncestor', 'walkHistory', 'historyPage', 'newCommits'),
      ...exported('src/git/commit-graph.ts', 'CommitGraph'),
      ...exported('src/git/date-queue.ts', 'CommitDateQueue'),
    ],
    sizes: { from: 250, largest: 16_000 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, top } = octopus(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      const first = objects[0]?.oid ?? '';
      return async () => {
        await drain(walkHistory(opened(world, repository), [top]));
        await historyPage(opened(world, repository), [top], { skip: size - 10, limit: 10 });
        await newCommits(opened(world, repository), [top], [first]);
        await isAncestor(opened(world, repository), first, top);
      };
    },
  },
  {
    name: 'a long history',
    covers: [
      ...exported('src/git/history.ts', 'isAncestor', 'walkHistory', 'historyPage', 'newCommits', 'mergeBases'),
      ...exported('src/git/revision-suffix.ts', 'followSteps'),
    ],
    sizes: { from: 250, largest: 16_000 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, top } = chain(size, () => tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      const first = objects[0]?.oid ?? '';
      return async () => {
        await drain(walkHistory(opened(world, repository), [top]));
        await newCommits(opened(world, repository), [top], [first]);
        await mergeBases(opened(world, repository), first, top);
        await followSteps(
          opened(world, repository),
          top,
          Array.from({ length: Math.min(size - 1, 1_000) }, () => 1),
        );
      };
    },
  },
  {
    name: 'new commits beside many known branches',
    covers: exported('src/git/history.ts', 'newCommits'),
    sizes: { from: 250, largest: userLimits.refs },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const known = Array.from({ length: size }, (_, at) => commitOf(tree.top, [], at));
      const tip = commitOf(tree.top, [known[0]?.oid ?? ''], size);
      const repository = await stored(world, [...tree.objects, ...known, tip]);
      const oids = known.map(({ oid }) => oid);
      return () => newCommits(opened(world, repository), [tip.oid], oids);
    },
  },
  {
    name: 'the history of a file in a long history that changes it',
    covers: exported('src/git/path-history.ts', 'pathHistory', 'findLastCommit'),
    sizes: { from: 250, largest: 8_000 },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => treeOf([fileEntry('f', blobOid(at))]));
      const { objects, top } = chain(size, at => trees[at]?.oid ?? '');
      const repository = await stored(world, [...trees, ...objects]);
      return () => drain(pathHistory(opened(world, repository), top, ['f']));
    },
  },
  {
    name: 'the history of a missing file after a merge of many roots',
    covers: exported('src/git/path-history.ts', 'pathHistory', 'findLastCommit'),
    sizes: { from: 100, largest: 6_400 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, top } = octopus(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      return () => findLastCommit(opened(world, repository), top, ['missing']);
    },
  },
  {
    name: 'the history of a path of many parts',
    covers: exported('src/git/path-history.ts', 'findLastCommit'),
    sizes: { from: 64, largest: userLimits.pathParts },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, top } = chain(50, () => tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      const parts = Array.from({ length: size }, () => 'a');
      return () => findLastCommit(opened(world, repository), top, parts);
    },
  },
  {
    name: 'last changes in a directory after a merge of many roots',
    covers: exported('src/git/last-changes.ts', 'lastChanges'),
    sizes: { from: 100, largest: 6_400 },
    prepare: async (size, world) => {
      const tree = wideTree(20);
      const { objects, top } = octopus(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      const limits = { maxCommits: 10_000, maxTreeBytes: 64 * 1024 * 1024 };
      return () => lastChanges(opened(world, repository), top, [], limits);
    },
  },
  {
    name: 'last changes of many entries in a long history',
    covers: exported('src/git/last-changes.ts', 'lastChanges'),
    sizes: { from: 50, largest: 2_000 },
    prepare: async (size, world) => {
      const commits = 200;
      const trees = Array.from({ length: commits }, (_, commit) =>
        treeOf(Array.from({ length: size }, (_, at) => fileEntry(`f${at}`, blobOid(at < commit ? 1 : 0)))),
      );
      const { objects, top } = chain(commits, at => trees[at]?.oid ?? '');
      const repository = await stored(world, [...trees, ...objects]);
      const limits = { maxCommits: 10_000, maxTreeBytes: 16 * 1024 * 1024 };
      return () => lastChanges(opened(world, repository), top, [], limits);
    },
  },
];

const walks: Case[] = [
  {
    name: 'a walk over many directories of 1,000 files',
    covers: [
      ...exported('src/git/walk-objects.ts', 'walkObjects'),
      ...exported('src/git/reachable.ts', 'reachableObjects', 'assertConnected'),
    ],
    sizes: { from: 10, largest: 300 },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => wideTree(1_000, { from: at * 1_000 }));
      const root = treeOf(trees.map(({ top }, at) => folderEntry(`d${at}`, top)));
      const repository = await stored(world, [root, ...trees.flatMap(({ objects }) => objects)]);
      return async () => {
        let count = 0;
        for await (const _ of reachableObjects(opened(world, repository), [root.oid])) count++;
        if (count !== size * 1_001 + 1) throw new TypeError(`Only ${count} objects are reached.`);
      };
    },
  },
  {
    name: 'a walk over a tree bomb',
    covers: exported('src/git/walk-objects.ts', 'walkObjects'),
    sizes: bombSizes,
    prepare: async (size, world) => {
      const bomb = treeBomb(size);
      const repository = await stored(world, bomb.objects);
      return () => drain(reachableObjects(openedForLittle(world, repository), [bomb.top]));
    },
  },
  {
    name: 'a walk over a merge of many roots',
    covers: exported('src/git/walk-objects.ts', 'walkObjects'),
    sizes: { from: 250, largest: 16_000 },
    prepare: async (size, world) => {
      const tree = wideTree(1);
      const { objects, top } = octopus(size, tree.top);
      const repository = await stored(world, [...tree.objects, ...objects]);
      const seen = new Set<Oid>();
      const take = (oids: Iterable<Oid>): Oid[] => [...oids].filter(oid => !seen.has(oid) && seen.add(oid));
      return () => {
        seen.clear();
        return drain(walkObjects(opened(world, repository), [top], { take }));
      };
    },
  },
  {
    name: 'the connectivity of many new objects',
    covers: exported('src/git/reachable.ts', 'assertConnected', 'assertStored'),
    sizes: { from: 10, largest: 100 },
    prepare: async (size, world) => {
      const blobs = Array.from({ length: 1_000 }, (_, at) => createObject('blob', Buffer.from(`${at}`)));
      const repository = await stored(world, blobs);
      const trees = Array.from({ length: size }, (_, tree) =>
        treeOf(blobs.map(({ oid }, at) => fileEntry(`${tree}-${at}`, oid))),
      );
      const wanted = new Map(blobs.map(({ oid }) => [oid, 'blob' as const]));
      return async () => {
        await assertConnected(opened(world, repository), trees);
        await assertStored(opened(world, repository), wanted);
      };
    },
  },
  {
    name: 'many large trees that are read together',
    covers: exported(
      'src/git/read-objects.ts',
      'findObjects',
      'findObject',
      'readObject',
      'readTree',
      'decodeRows',
      'decodeRow',
      'decodeWhole',
    ),
    sizes: { from: 4, largest: 200 },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => wideTree(5_000, { from: at }));
      const repository = await stored(
        world,
        trees.flatMap(({ objects }) => objects),
      );
      const oids = trees.map(({ top }) => top);
      return () => findObjects(opened(world, repository), oids);
    },
  },
  {
    name: 'a directory of many files',
    covers: exported('src/git/read-objects.ts', 'readTree'),
    sizes: wideSizes,
    prepare: async (size, world) => {
      const tree = wideTree(size);
      const repository = await stored(world, tree.objects);
      return () => readTree(opened(world, repository), tree.top);
    },
  },
  {
    name: 'an entry at a path of many parts',
    covers: exported('src/git/tree-path.ts', 'findEntry', 'findEntries', 'findCachedEntry'),
    sizes: deepSizes,
    prepare: async (size, world) => {
      const deep = deepTree(size);
      const repository = await stored(world, deep.objects);
      const parts = [...Array.from({ length: size - 1 }, () => 'a'), 'f'];
      return async () => {
        await findEntries(opened(world, repository), [deep.top], parts);
        if (!(await findEntry(opened(world, repository), deep.top, parts)))
          throw new TypeError('The entry is not found.');
      };
    },
  },
  {
    name: 'many changes of one directory',
    covers: exported('src/git/apply-changes.ts', 'applyChanges'),
    sizes: { from: 100, largest: 5_000 },
    prepare: async (size, world) => {
      const tree = wideTree(size);
      const repository = await stored(world, tree.objects);
      const changes = Array.from({ length: size }, (_, at) => ({
        path: `f${at}`,
        entry: { mode: '100644', oid: blobOid(7) },
      }));
      return () => applyChanges(opened(world, repository), tree.top, changes);
    },
  },
  {
    name: 'many changes of long paths',
    covers: exported('src/git/apply-changes.ts', 'applyChanges'),
    sizes: { from: 1, largest: 60 },
    prepare: async (size, world) => {
      const repository = await stored(world, []);
      const changes = Array.from({ length: size }, (_, at) => ({
        path: `${at}/${'a/'.repeat(2_000)}f`,
        entry: { mode: '100644', oid: blobOid(7) },
      }));
      return () => applyChanges(opened(world, repository), undefined, changes);
    },
  },
];

/** As for an archive: refused before its first entry, or walked to its end. */
async function walkArchive(repository: Repository, root: Oid): Promise<void> {
  await measureTree(repository, root);
  const walk = new TreeWalk(repository, root);
  while ((await walk.next(500)).length > 0);
}

const archives: Case[] = [
  {
    name: 'the entries of an archive of a tree bomb',
    covers: [
      ...exported('src/git/archives/tree-walk.ts', 'TreeWalk'),
      ...exported('src/git/archives/measure-tree.ts', 'measureTree'),
      ...exported('src/git/archives/read-trees.ts', 'readTrees'),
    ],
    sizes: bombSizes,
    prepare: async (size, world) => {
      const bomb = treeBomb(size);
      const repository = await stored(world, bomb.objects);
      return async () => {
        await walkArchive(openedForLittle(world, repository), bomb.top);
      };
    },
  },
  {
    name: 'the entries of an archive of a bomb of empty directories',
    covers: [
      ...exported('src/git/archives/tree-walk.ts', 'TreeWalk'),
      ...exported('src/git/archives/measure-tree.ts', 'measureTree'),
      ...exported('src/git/archives/read-trees.ts', 'readTrees'),
    ],
    sizes: bombSizes,
    prepare: async (size, world) => {
      const objects = [treeOf([])];
      for (let level = 0; level < size; level++) {
        const below = objects.at(-1)?.oid ?? '';
        objects.push(treeOf([folderEntry('a', below), folderEntry('b', below)]));
      }
      const repository = await stored(world, objects);
      return async () => {
        await walkArchive(openedForLittle(world, repository), objects.at(-1)?.oid ?? '');
      };
    },
  },
  {
    name: 'the entries of an archive of a deep tree',
    covers: [
      ...exported('src/git/archives/tree-walk.ts', 'TreeWalk'),
      ...exported('src/git/archives/measure-tree.ts', 'measureTree'),
      ...exported('src/git/archives/read-trees.ts', 'readTrees'),
    ],
    sizes: deepSizes,
    prepare: async (size, world) => {
      const deep = deepTree(size);
      const repository = await stored(world, deep.objects);
      return async () => {
        await walkArchive(opened(world, repository), deep.top);
      };
    },
  },
  {
    name: 'the entries of an archive of a directory with rules',
    covers: [
      ...exported('src/git/archives/tree-walk.ts', 'TreeWalk'),
      ...exported('src/git/archives/measure-tree.ts', 'measureTree'),
      ...exported('src/git/archives/read-trees.ts', 'readTrees'),
    ],
    sizes: { from: 10, largest: 1_000 },
    prepare: async (size, world) => {
      const rules = createObject('blob', Buffer.from(`${'*a'.repeat(20)}b text eol=crlf ident\n`.repeat(3_000)));
      const files = Array.from({ length: size }, (_, at) => fileEntry(`${'a'.repeat(200)}${at}`, rules.oid));
      const tree = treeOf([fileEntry('.gitattributes', rules.oid), ...files]);
      const repository = await stored(world, [rules, tree]);
      return async () => {
        await walkArchive(opened(world, repository), tree.oid);
      };
    },
  },
  ...(['tar', 'tar.gz', 'zip'] as const).map(
    (format): Case => ({
      name: `a ${format} of many small files`,
      covers: [
        ...exported('src/git/archives/archive-parts.ts', 'archiveParts'),
        ...exported('src/git/archives/tar.ts', 'createTar', 'createTarGz'),
        ...exported('src/git/archives/zip.ts', 'createZip'),
      ],
      sizes: { from: 500, largest: userLimits.treeEntries },
      prepare: async (size, world) => {
        const blob = createObject('blob', Buffer.from('a\n'));
        const tree = treeOf(Array.from({ length: size }, (_, at) => fileEntry(`f${at}`, blob.oid)));
        const commit = commitOf(tree.oid, [], 0);
        const repository = await stored(world, [blob, tree, commit]);
        const create = { tar: createTar, 'tar.gz': createTarGz, zip: createZip }[format];
        return () => drain(create(opened(world, repository), { commit: commit.oid, prefix: 'p/' }));
      },
    }),
  ),
  {
    name: 'a zip of a tree bomb',
    covers: [
      ...exported('src/git/archives/zip.ts', 'createZip'),
      ...exported('src/git/archives/archive-parts.ts', 'archiveParts'),
    ],
    sizes: bombSizes,
    prepare: async (size, world) => {
      const blob = createObject('blob', Buffer.from('a\n'));
      const objects = [treeOf([fileEntry('f', blob.oid)])];
      for (let level = 0; level < size; level++) {
        const below = objects.at(-1)?.oid ?? '';
        objects.push(treeOf([folderEntry('a', below), folderEntry('b', below)]));
      }
      const commit = commitOf(objects.at(-1)?.oid ?? '', [], 0);
      const repository = await stored(world, [blob, ...objects, commit]);
      return () => drain(createZip(openedForLittle(world, repository), { commit: commit.oid, prefix: 'p/' }));
    },
  },
];

export const gitRepositoryCases: readonly Case[] = [...diffs, ...merges, ...histories, ...walks, ...archives];
