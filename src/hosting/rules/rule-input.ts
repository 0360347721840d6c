import type { Commit } from '../../git/commit.ts';
import type { Oid } from '../../git/object.ts';
import type { Matches, MatchGroup } from './match-group.ts';

/** A commit that a push brings to a ref. */
export interface NewCommit {
  oid: Oid;
  content: Buffer;
  commit: Commit;
}

/** A file that a commit changes: of a merge, one that differs from all of its parents. */
export interface ChangedFile {
  commit: Oid;
  /** From the root of the repository. */
  path: string;
  /** What stands there then; undefined where it goes. `size` in bytes; undefined for a submodule, and unless asked for. */
  after: { oid: Oid; size: number | undefined } | undefined;
}

/**
 * What rules judge about one ref of a push. What takes reading is read when the first rule asks, and once for the push;
 * commits and files come in batches, so that ten thousand of them are never in memory together.
 */
export interface RuleInput {
  /** Full name. */
  ref: string;
  /** Undefined: the ref is made. */
  old: Oid | undefined;
  /** Undefined: the ref goes. */
  new: Oid | undefined;
  /** Whether what the ref pointed to stays part of its history. */
  isFastForward(): Promise<boolean>;
  /**
   * Whether there is any new commit. New is, where a ref moves, what it did not lead to before; where it is made, what no
   * branch led to before.
   */
  hasNewCommits(): Promise<boolean>;
  newCommits(): AsyncIterable<readonly NewCommit[]>;
  /** Those of a batch whose signature is not valid, and why. */
  findUnverified(batch: readonly NewCommit[]): Promise<Map<Oid, string>>;
  /** Matches texts and patterns without keeping the main thread; undefined for what takes too long. */
  match(groups: readonly MatchGroup[]): Promise<Matches[]>;
  /** What the commits of a batch change. */
  changedFiles(batch: readonly NewCommit[], options: { withSizes: boolean }): Promise<readonly ChangedFile[]>;
}
