import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { type Difference, diffTreePairs, type TreePair } from '../../git/diff-trees.ts';
import { isAncestor, newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { MemoryObjectCache, ScanObjectCache } from '../../git/object-cache.ts';
import { findObjects, missingObject, statObjects } from '../../git/read-objects.ts';
import type { Repository, RepositoryInTransaction } from '../../git/repository.ts';
import { peelTags, peelToCommit } from '../../git/revision.ts';
import { entryKind } from '../../git/tree.ts';
import type { CommitRepository } from '../commits/git-commit.ts';
import { verifyCommits } from '../commits/verifications.ts';
import { readBranchTips } from '../pushes/branch-tips.ts';
import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import { reachableCommitsAmong } from '../pushes/reachable-commits-among.ts';
import type { Matches, MatchGroup } from './match-group.ts';
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
  readonly #changes: PreparedPush['changes'];
  #created: Promise<Map<Oid, CommitNode>> | undefined;
  /** By old and new value, because refs of one push often end at the same commit. */
  readonly #newCommitsByRange = new Map<string, Promise<CommitNode[]>>();

  constructor(
    { repository: transaction, changes, at, publicOrigin }: PreparedPush,
    repository: CommitRepository,
    matcher: PatternMatcher,
  ) {
    this.#matcher = matcher;
    this.#transaction = transaction;
    this.#changes = changes;
    // One cache per push. It stores no commit nodes: the transaction's cache has them.
    const cache = new ScanObjectCache(transaction.cache, new MemoryObjectCache(cacheBytes, 1));
    this.#store = { ...transaction, cache };
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
      spend: steps => this.#spend(steps),
      match: groups => this.#match(groups),
      changedFiles: (batch, { withSizes }) => this.#changedFiles(batch, withSizes),
    };
  }

  async #spend(steps: number): Promise<void> {
    const { workBudget } = this.#store;
    workBudget.spendSteps(steps);
    if (workBudget.isTurnDue) await workBudget.turn();
  }

  async #match(groups: readonly MatchGroup[]): Promise<Matches[]> {
    for (const { texts } of groups) await this.#spend(texts.length);
    return this.#matcher.match(groups);
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
    if (from !== undefined) {
      // Fast path: nearly all pushes add one commit.
      const node = await new CommitGraph(this.#store).get(tip);
      if (node.parents.length === 1 && node.parents[0] === from) return [node];
      return newCommits(this.#store, [tip], [from]);
    }
    this.#created ??= this.#findCreated();
    return reachableCommitsAmong(this.#store, await this.#created, tip);
  }

  /** The new commits of all refs that the push creates: one walk, which looks at all branches. */
  async #findCreated(): Promise<Map<Oid, CommitNode>> {
    const ends = this.#changes.flatMap(({ old, new: end }) => (old === undefined && end !== undefined ? [end] : []));
    const peeled = await peelTags(this.#store, [...new Set(ends)]);
    const tips = [...peeled.values()].flatMap(({ oid, type }) => (type === 'commit' ? [oid] : []));
    const added = await newCommits(this.#store, [...new Set(tips)], await readBranchTips(this.#transaction));
    return new Map(added.map(node => [node.oid, node]));
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
    const { read, db, workBudget } = this.#transaction;
    // Uses the connection of the push transaction: waiting for another one could deadlock the pool.
    const context = {
      read,
      transaction: <T>(work: (inside: typeof db) => Promise<T>) => work(db),
      now: () => this.#now,
      publicOrigin: this.#publicOrigin,
      workBudget,
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
    // Content that a merge takes from one parent was introduced by other commits, which are new and evaluated themselves, or already
    // present.
    const pairs = batch.map(({ commit }): TreePair => {
      const [before, ...others] = commit.parents.map(parent => parents.get(parent));
      return { before, after: commit.tree, others };
    });
    const compared = await diffTreePairs(this.#store, pairs);
    const sizes = withSizes ? await this.#fileSizes(compared) : undefined;
    const { workBudget } = this.#store;
    const files: ChangedFile[] = [];
    for (const [at, { oid: commit }] of batch.entries()) {
      for (const { path, after } of compared[at] ?? []) {
        workBudget.spendSteps();
        if (workBudget.isTurnDue) await workBudget.turn();
        files.push({
          commit,
          path: Buffer.from(path, 'latin1').toString(),
          after: after && { oid: after.oid, size: sizes?.get(after.oid) },
        });
      }
    }
    return files;
  }

  async #parentTrees(batch: readonly NewCommit[]): Promise<Map<Oid, Oid>> {
    const graph = new CommitGraph(this.#store);
    const oids = [...new Set(batch.flatMap(({ commit }) => commit.parents))];
    const trees = new Map<Oid, Oid>();
    await graph.preload(oids);
    for (const oid of oids) trees.set(oid, (await graph.get(oid)).tree);
    return trees;
  }

  /** Sizes in bytes of files, without submodules. Pushed objects are not stored yet, but cached. */
  async #fileSizes(compared: readonly (readonly Difference[])[]): Promise<Map<Oid, number>> {
    const { workBudget } = this.#store;
    const sizes = new Map<Oid, number>();
    const wanted = new Set<Oid>();
    for (const differences of compared) {
      for (const { after } of differences) {
        workBudget.spendSteps();
        if (workBudget.isTurnDue) await workBudget.turn();
        if (!after || entryKind(after.mode) === 'submodule') continue;
        const known = this.#store.cache.getObject(this.#store.id, after.oid);
        if (known) sizes.set(after.oid, known.content.length);
        else wanted.add(after.oid);
      }
    }
    for (const [oid, { size }] of await statObjects(this.#store, [...wanted])) sizes.set(oid, size);
    return sizes;
  }
}
