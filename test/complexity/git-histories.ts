import { encodeCommit } from '../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import { encodeTree, modes, type TreeEntry } from '../../src/git/tree.ts';
import type { WorkBudget } from '../../src/workers/work-budget.ts';
import { author, type GitWorld } from '../git/worlds.ts';
import { requestBudget, smallBudget } from './request-budgets.ts';

/** The id of a blob that is stored nowhere: most algorithms do not read blobs. */
export const blobOid = (number: number): Oid => number.toString(16).padStart(40, '0');

export const fileEntry = (name: string, oid: Oid): TreeEntry => ({ mode: modes.file, name: Buffer.from(name), oid });
export const folderEntry = (name: string, oid: Oid): TreeEntry => ({
  mode: modes.directory,
  name: Buffer.from(name),
  oid,
});

export const treeOf = (entries: readonly TreeEntry[]): GitObject => createObject('tree', encodeTree(entries));

/** A commit `number` seconds after the first. */
export function commitOf(tree: Oid, parents: readonly Oid[], number: number): GitObject {
  const at = { ...author, seconds: author.seconds + number };
  return createObject('commit', encodeCommit({ tree, parents, author: at, committer: at, message: `${number}\n` }));
}

/** Objects of a repository, and the one that leads to the others. */
export interface Built {
  objects: GitObject[];
  top: Oid;
}

/** A tree of files. `changed`: the number from which on blobs differ. */
export function wideTree(files: number, { name = 'f', from = 0 }: { name?: string; from?: number } = {}): Built {
  const entries = Array.from({ length: files }, (_, at) => fileEntry(`${name}${at}`, blobOid(from + at)));
  const tree = treeOf(entries);
  return { objects: [tree], top: tree.oid };
}

/** Trees below each other, each with two entries for the next: 2 ** depth paths of one file in `depth` objects. */
export function treeBomb(depth: number, leaf = 1): Built {
  const objects = [treeOf([fileEntry('f', blobOid(leaf))])];
  for (let level = 0; level < depth; level++) {
    const below = objects.at(-1)?.oid ?? '';
    objects.push(treeOf([folderEntry('a', below), folderEntry('b', below)]));
  }
  return { objects, top: objects.at(-1)?.oid ?? '' };
}

/** A file below many directories. */
export function deepTree(depth: number, leaf = 1): Built {
  const objects = [treeOf([fileEntry('f', blobOid(leaf))])];
  for (let level = 1; level < depth; level++) objects.push(treeOf([folderEntry('a', objects.at(-1)?.oid ?? '')]));
  return { objects, top: objects.at(-1)?.oid ?? '' };
}

/** A line of commits. `treeAt`: the tree of each. */
export function chain(length: number, treeAt: (number: number) => Oid): Built {
  const objects: GitObject[] = [];
  for (let number = 0; number < length; number++) {
    objects.push(commitOf(treeAt(number), objects.length === 0 ? [] : [objects.at(-1)?.oid ?? ''], number));
  }
  return { objects, top: objects.at(-1)?.oid ?? '' };
}

/** A commit whose ancestors are `roots` root commits, in merges of at most 500 parents. `number` distinguishes several. */
export function octopus(roots: number, tree: Oid, number = 0): Built {
  const all = Array.from({ length: roots }, (_, at) => commitOf(tree, [], at));
  const merges: GitObject[] = [];
  for (let at = 0; at < roots; at += 500) {
    merges.push(
      commitOf(
        tree,
        all.slice(at, at + 500).map(({ oid }) => oid),
        1_000_000 + at + number,
      ),
    );
  }
  const top = commitOf(
    tree,
    merges.map(({ oid }) => oid),
    2_000_000 + number,
  );
  return { objects: [...all, ...merges, top], top: top.oid };
}

/** Pairs of merges that cross: both tips have all levels in common. */
export function crissCross(levels: number, tree: Oid): { objects: GitObject[]; tips: [Oid, Oid] } {
  const root = commitOf(tree, [], 0);
  const objects = [root];
  let [one, other] = [root.oid, root.oid];
  for (let level = 1; level <= levels; level++) {
    const left = commitOf(tree, level === 1 ? [one] : [one, other], 2 * level);
    const right = commitOf(tree, level === 1 ? [one] : [other, one], 2 * level + 1);
    objects.push(left, right);
    [one, other] = [left.oid, right.oid];
  }
  return { objects, tips: [one, other] };
}

/** A new repository with these objects. */
export async function stored(world: GitWorld, objects: readonly GitObject[]): Promise<Repository> {
  const repository = world.repository();
  await world.store(repository, objects);
  return repository;
}

/** The same repository for one request: with its budget, and without cached objects. */
export const opened = (world: GitWorld, repository: Pick<Repository, 'id'>): Repository =>
  openedWith(world, repository, requestBudget());

/** The same with a small budget. */
export const openedForLittle = (world: GitWorld, repository: Pick<Repository, 'id'>): Repository =>
  openedWith(world, repository, smallBudget());

function openedWith(world: GitWorld, { id }: Pick<Repository, 'id'>, workBudget: WorkBudget): Repository {
  const read: Repository['read'] = query => world.database.read(query);
  return openRepository({ read, workBudget }, id);
}
