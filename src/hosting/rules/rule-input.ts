import type { Commit } from '../../git/commit.ts';
import type { Oid } from '../../git/object.ts';
import type { Matches, MatchGroup } from './match-group.ts';

/** A commit that is new to a ref. */
export interface NewCommit {
  oid: Oid;
  content: Buffer;
  commit: Commit;
}

/** A file that a commit changes. For a merge: a file that differs from all parents. */
export interface ChangedFile {
  commit: Oid;
  /** Relative to the repository root. */
  path: string;
  /**
   * The new content; undefined for a deleted file. `size` in bytes is undefined for submodules, and unless requested.
   */
  after: { oid: Oid; size: number | undefined } | undefined;
}

/**
 * What rules evaluate for one ref of a push. Data that must be read is read at first use, once per push. Commits and
 * files come in batches, so that large pushes are never in memory as a whole.
 */
export interface RuleInput {
  /** Full name. */
  ref: string;
  /** Undefined when the ref is created. */
  old: Oid | undefined;
  /** Undefined when the ref is deleted. */
  new: Oid | undefined;
  /** Whether the old value is an ancestor of the new one. */
  isFastForward(): Promise<boolean>;
  /**
   * Whether the push has new commits: for an existing ref, those not reachable from its old value; for a new ref, those
   * not reachable from any branch.
   */
  hasNewCommits(): Promise<boolean>;
  newCommits(): AsyncIterable<readonly NewCommit[]>;
  /** Commits of a batch without a valid signature, with the reason. */
  findUnverified(batch: readonly NewCommit[]): Promise<Map<Oid, string>>;
  /** Spends steps of the push and lets other requests run when it is time. @throws WorkBudgetError */
  spend(steps: number): Promise<void>;
  /** Matches texts off the main thread when costly; undefined results took too long. Spends a step for each text of each group. */
  match(groups: readonly MatchGroup[]): Promise<Matches[]>;
  /** Files that the commits of a batch change. */
  changedFiles(batch: readonly NewCommit[], options: { withSizes: boolean }): Promise<readonly ChangedFile[]>;
}
