import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { type Difference, diffTreePairs, type TreePair } from '../../git/diff-trees.ts';
import { isAncestor, newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { MemoryObjectCache, ScanObjectCache } from '../../git/object-cache.ts';
import { findObjects, missingObject, statObjects } from '../../git/read-objects.ts';
import type { Repository, RepositoryInTransaction } from '../../git/repository.ts';
import { peelToCommit } from '../../git/revision.ts';
import { entryKind } from '../../git/tree.ts';
import type { CommitRepository } from '../commits/git-commit.ts';
import { verifyCommits } from '../commits/verifications.ts';
import { readBranchTips } from '../pushes/branch-tips.ts';
import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import type { PatternMatcher } from './pattern-matcher.ts';
import type { ChangedFile, NewCommit, RuleInput } from './rule-input.ts';

/** Commits per batch. Their trees are compared together, with a handful of statements per batch. */
const batchSize = 100;

/** Size of the object cache in bytes. Consecutive commits share most of their trees. */
const cacheBytes = 8 * 1024 * 1024;

/**
 * Loads rule input for the refs of one push, as the push transaction sees the repository: with the pushed objects, and
 * with the refs before the update.
 */
export class RuleInputLoader {
  readonly #transaction: RepositoryInTransaction;
  readonly #store: Repository;
  readonly #repository: CommitRepository;
  readonly #now: Date;
  readonly #publicOrigin: string;
  readonly #matcher: PatternMatcher;
  #branches: Promise<Oid[]> | undefined;
  /** By old and new value, because refs of one push often end at the same commit. */
  readonly #newCommitsByRange = new Map<string, Promise<CommitNode[]>>();

  constructor(
    { repository: transaction, at, publicOrigin }: PreparedPush,
    repository: CommitRepository,
    matcher: PatternMatcher,
  ) {
    this.#matcher = matcher;
    this.#transaction = transaction;
    // One cache per push. It stores no commit nodes: the transaction's cache has them.
    const cache = new ScanObjectCache(transaction.cache, new MemoryObjectCache(cacheBytes, 1));
    this.#store = { id: transaction.id, read: transaction.read, cache };
    this.#repository = repository;
    this.#now = at;
    // Pushes from the command line and from imports have no gateway URL. No account address uses this host.
    this.#publicOrigin = publicOrigin ?? 'http://localhost';
  }

  /** Input for one ref. */
  forRef(change: RefChange): RuleInput {
    return {
      ...change,
      isFastForward: () => this.#isFastForward(change),
      hasNewCommits: async () => (await this.#newCommitNodes(change)).length > 0,
      newCommits: () => this.#newCommits(change),
      findUnverified: batch => this.#findUnverified(batch),
      match: groups => this.#matcher.match(groups),
      changedFiles: (batch, { withSizes }) => this.#changedFiles(batch, withSizes),
    };
  }

  async #isFastForward({ old, new: end }: RefChange): Promise<boolean> {
    if (old === undefined || end === undefined) return false;
    const [from, to] = [await peelToCommit(this.#store, old), await peelToCommit(this.#store, end)];
    // Only commits have ancestors; a move between other objects is never a fast-forward.
    return from !== undefined && to !== undefined && isAncestor(this.#store, from, to);
  }

  async #newCommitNodes({ old, new: end }: RefChange): Promise<CommitNode[]> {
    const key = `${old} ${end}`;
    let found = this.#newCommitsByRange.get(key);
    if (!found) {
      found = this.#findNew(old, end);
      this.#newCommitsByRange.set(key, found);
    }
    return found;
  }

  async #findNew(old: Oid | undefined, end: Oid | undefined): Promise<CommitNode[]> {
    const tip = end === undefined ? undefined : await peelToCommit(this.#store, end);
    if (tip === undefined) return [];
    const from = old === undefined ? undefined : await peelToCommit(this.#store, old);
    const graph = new CommitGraph(this.#store);
    if (from !== undefined) {
      // Fast path: nearly all pushes add one commit.
      const node = await graph.get(tip);
      if (node.parents.length === 1 && node.parents[0] === from) return [node];
      return newCommits(this.#store, tip, [from]);
    }
    this.#branches ??= readBranchTips(this.#transaction);
    const known = await this.#branches;
    await graph.preload(known);
    return newCommits(this.#store, tip, known);
  }

  async *#newCommits(change: RefChange): AsyncGenerator<NewCommit[]> {
    const nodes = await this.#newCommitNodes(change);
    for (let at = 0; at < nodes.length; at += batchSize) {
      const wanted = nodes.slice(at, at + batchSize).map(({ oid }) => oid);
      const found = await findObjects(this.#store, wanted);
      yield wanted.map(oid => {
        const object = found.get(oid);
        if (!object) throw missingObject(oid);
        return { oid, content: object.content, commit: object.commit };
      });
    }
  }

  async #findUnverified(batch: readonly NewCommit[]): Promise<Map<Oid, string>> {
    const { read, db } = this.#transaction;
    // Uses the connection of the push transaction: waiting for another one could deadlock the pool.
    const context = {
      read,
      transaction: <T>(work: (inside: typeof db) => Promise<T>) => work(db),
      now: () => this.#now,
      publicOrigin: this.#publicOrigin,
    };
    const verifications = await verifyCommits(
      context,
      batch.map(object => ({ place: this.#repository, object })),
    );
    return new Map(
      batch.flatMap(({ oid }, at) => {
        const reason = verifications[at]?.reason ?? 'unsigned';
        return reason === 'valid' ? [] : [[oid, reason] as const];
      }),
    );
  }

  async #changedFiles(batch: readonly NewCommit[], withSizes: boolean): Promise<ChangedFile[]> {
    const parents = await this.#parentTrees(batch);
    const pairs: TreePair[] = [];
    for (const { commit } of batch) {
      if (commit.parents.length === 0) pairs.push({ before: undefined, after: commit.tree });
      for (const parent of commit.parents) pairs.push({ before: parents.get(parent), after: commit.tree });
    }
    const compared = await diffTreePairs(this.#store, pairs);
    const changed: { commit: Oid; differences: readonly Difference[] }[] = [];
    let at = 0;
    for (const { oid, commit } of batch) {
      const end = at + Math.max(1, commit.parents.length);
      changed.push({ commit: oid, differences: changedFromEveryParent(compared.slice(at, end)) });
      at = end;
    }
    const sizes = withSizes ? await this.#fileSizes(changed.flatMap(({ differences }) => differences)) : undefined;
    return changed.flatMap(({ commit, differences }) =>
      differences.map(({ path, after }) => ({
        commit,
        path: Buffer.from(path, 'latin1').toString(),
        after: after && { oid: after.oid, size: sizes?.get(after.oid) },
      })),
    );
  }

  async #parentTrees(batch: readonly NewCommit[]): Promise<Map<Oid, Oid>> {
    const graph = new CommitGraph(this.#store);
    const oids = [...new Set(batch.flatMap(({ commit }) => commit.parents))];
    const trees = new Map<Oid, Oid>();
    for (const oid of oids) trees.set(oid, (await graph.get(oid)).tree);
    return trees;
  }

  /** Sizes in bytes of files, without submodules. Pushed objects are not stored yet, but cached. */
  async #fileSizes(differences: readonly Difference[]): Promise<Map<Oid, number>> {
    const sizes = new Map<Oid, number>();
    const wanted = new Set<Oid>();
    for (const { after } of differences) {
      if (!after || entryKind(after.mode) === 'submodule') continue;
      const known = this.#store.cache.getObject(this.#store.id, after.oid);
      if (known) sizes.set(after.oid, known.content.length);
      else wanted.add(after.oid);
    }
    for (const [oid, { size }] of await statObjects(this.#store, [...wanted])) sizes.set(oid, size);
    return sizes;
  }
}

/**
 * Differences from every parent. Content that a merge takes from one parent was introduced by other commits, which are
 * new and evaluated themselves, or already present.
 */
function changedFromEveryParent([first = [], ...others]: readonly Difference[][]): readonly Difference[] {
  const paths = others.map(differences => new Set(differences.map(({ path }) => path)));
  return first.filter(({ path }) => paths.every(one => one.has(path)));
}
