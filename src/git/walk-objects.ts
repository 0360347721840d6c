import { parseTag } from './commit.ts';
import { CommitGraph } from './commit-graph.ts';
import { GitError } from './git-error.ts';
import type { ObjectType, Oid } from './object.ts';
import { findObjects, missingObject, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind } from './tree.ts';

export interface WalkedObject {
  oid: Oid;
  type: ObjectType;
}

export interface WalkOptions {
  /** Those of the ids that the walk enters, each once. The others are known, with everything that they refer to. */
  take(oids: Iterable<Oid>): Oid[] | Promise<Oid[]>;
  /** Called for an object that does not exist; by default an error. Of blobs it is not checked whether they exist. */
  onMissing?(oid: Oid): void;
}

/** Trees per statement. */
const treesPerRead = 200;
/** Trees of commits that are taken together. */
const rootsPerTake = 1_000;

/**
 * Walks from `tips` (of any type) to everything that they refer to: tags, commits, trees, blobs. Yields what `take` has let in.
 * Commits of submodules belong to other repositories and are left out. Blobs are not read.
 * @throws GitError `missing`, `wrong-type`, `corrupt`
 */
export async function* walkObjects(
  repository: Repository,
  tips: Iterable<Oid>,
  { take, onMissing = throwMissing }: WalkOptions,
): AsyncGenerator<WalkedObject> {
  let commits: Oid[] = [];
  let trees: Oid[] = [];
  const blobs: Oid[] = [];
  for (let wanted = await take(tips); wanted.length > 0; ) {
    const types = await statObjects(repository, wanted);
    const tags: Oid[] = [];
    for (const oid of wanted) {
      const type = types.get(oid)?.type;
      if (type === undefined) onMissing(oid);
      else ({ commit: commits, tree: trees, blob: blobs, tag: tags })[type].push(oid);
    }
    const targets: Oid[] = [];
    for (const [oid, { content }] of await findObjects(repository, tags)) {
      yield { oid, type: 'tag' };
      targets.push(parseTag(content, oid).target);
    }
    wanted = await take(targets);
  }
  const graph = new CommitGraph(repository);
  let roots: Oid[] = [];
  while (commits.length > 0) {
    const parents: Oid[] = [];
    for (const oid of commits) {
      const node = await graph.get(oid).catch((error: unknown) => {
        if (!(error instanceof GitError && error.code === 'missing')) throw error;
        onMissing(oid);
      });
      if (!node) continue;
      yield { oid, type: 'commit' };
      roots.push(node.tree);
      parents.push(...node.parents);
    }
    if (roots.length >= rootsPerTake) {
      trees.push(...(await take(roots)));
      roots = [];
    }
    commits = await take(parents);
  }
  trees.push(...(await take(roots)));
  while (trees.length > 0) {
    const subtrees: Oid[] = [];
    for (let at = 0; at < trees.length; at += treesPerRead) {
      const wanted = trees.slice(at, at + treesPerRead);
      const found = await findObjects(repository, wanted);
      const files: Oid[] = [];
      for (const oid of wanted) {
        const tree = found.get(oid);
        if (!tree) {
          onMissing(oid);
          continue;
        }
        yield { oid, type: 'tree' };
        for (const entry of tree.tree.entries) {
          const kind = entryKind(entry.mode);
          if (kind === 'directory') subtrees.push(entry.oid);
          else if (kind !== 'submodule') files.push(entry.oid);
        }
      }
      blobs.push(...(await take(files)));
    }
    trees = await take(subtrees);
  }
  for (const oid of blobs) yield { oid, type: 'blob' };
}

function throwMissing(oid: Oid): never {
  throw missingObject(oid);
}
