import { parseTag } from './commit.ts';
import { CommitGraph } from './commit-graph.ts';
import { GitError } from './git-error.ts';
import type { ObjectType, Oid } from './object.ts';
import { missingObject, readBatches, statObjects } from './read-objects.ts';
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

/** Ids that are taken together. */
const idsPerTake = 5_000;
/** More commits are read together before they are walked. */
const maxSingleCommits = 8;

/**
 * Walks from `tips` (of any type) to everything that they refer to: tags, commits, trees, blobs. Yields what `take` has let in, blobs
 * after the tree that refers to them. Commits of submodules belong to other repositories and are left out. Blobs are not read.
 * @throws GitError `missing`, `wrong-type`, `corrupt`; WorkBudgetError
 */
export async function* walkObjects(
  repository: Repository,
  tips: Iterable<Oid>,
  options: WalkOptions,
): AsyncGenerator<WalkedObject> {
  const { take, onMissing = throwMissing } = options;
  const found: Record<ObjectType, Oid[]> = { commit: [], tree: [], blob: [], tag: [] };
  for (let wanted = await take(tips); wanted.length > 0; ) {
    const types = await statObjects(repository, wanted);
    const tags: Oid[] = [];
    for (const oid of wanted) {
      const type = types.get(oid)?.type;
      if (type === undefined) onMissing(oid);
      else (type === 'tag' ? tags : found[type]).push(oid);
    }
    const targets: Oid[] = [];
    for await (const batch of readBatches(repository, tags)) {
      for (const [oid, { content }] of batch.found) {
        yield { oid, type: 'tag' };
        targets.push(parseTag(content, oid).target);
      }
    }
    wanted = await take(targets);
  }
  for (const oid of found.blob) yield { oid, type: 'blob' };
  yield* walkCommits(repository, found.commit, found.tree, options);
  yield* walkTrees(repository, found.tree, options);
}

/** Adds the trees of the commits to `trees`. */
async function* walkCommits(
  repository: Repository,
  tips: readonly Oid[],
  trees: Oid[],
  { take, onMissing = throwMissing }: WalkOptions,
): AsyncGenerator<WalkedObject> {
  const graph = new CommitGraph(repository);
  const roots = new Taking(take, trees);
  for (let commits = tips; commits.length > 0; ) {
    if (commits.length > maxSingleCommits) await graph.preload(commits);
    const next: Oid[] = [];
    const parents = new Taking(take, next);
    for (const oid of commits) {
      const node = await graph.get(oid).catch((error: unknown) => {
        if (!(error instanceof GitError && error.code === 'missing')) throw error;
        onMissing(oid);
      });
      if (!node) continue;
      yield { oid, type: 'commit' };
      if (roots.add(node.tree)) await roots.flush();
      for (const parent of node.parents) if (parents.add(parent)) await parents.flush();
    }
    await parents.flush();
    commits = next;
  }
  await roots.flush();
}

async function* walkTrees(
  repository: Repository,
  roots: readonly Oid[],
  { take, onMissing = throwMissing }: WalkOptions,
): AsyncGenerator<WalkedObject> {
  const { workBudget } = repository;
  for (let trees = roots; trees.length > 0; ) {
    const next: Oid[] = [];
    const subtrees = new Taking(take, next);
    for await (const { oids, found } of readBatches(repository, trees)) {
      const blobs: Oid[] = [];
      const files = new Taking(take, blobs);
      for (const oid of oids) {
        const tree = found.get(oid);
        if (!tree) {
          onMissing(oid);
          continue;
        }
        yield { oid, type: 'tree' };
        for (const entry of tree.tree.entries) {
          workBudget.spendSteps();
          if (workBudget.isTurnDue) await workBudget.turn();
          const kind = entryKind(entry.mode);
          if (kind === 'submodule') continue;
          const taking = kind === 'directory' ? subtrees : files;
          if (taking.add(entry.oid)) await taking.flush();
        }
      }
      await files.flush();
      for (const oid of blobs) {
        workBudget.spendSteps();
        if (workBudget.isTurnDue) await workBudget.turn();
        yield { oid, type: 'blob' };
      }
    }
    await subtrees.flush();
    trees = next;
  }
}

/** Ids that wait until many are taken together: directories often refer to the same ones. */
class Taking {
  readonly #take: WalkOptions['take'];
  readonly #taken: Oid[];
  #waiting: Oid[] = [];

  /** `taken` gets what is let in. */
  constructor(take: WalkOptions['take'], taken: Oid[]) {
    this.#take = take;
    this.#taken = taken;
  }

  /** Whether so many wait that `flush` is due. */
  add(oid: Oid): boolean {
    this.#waiting.push(oid);
    return this.#waiting.length >= idsPerTake;
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const oid of await this.#take(waiting)) this.#taken.push(oid);
  }
}

function throwMissing(oid: Oid): never {
  throw missingObject(oid);
}
