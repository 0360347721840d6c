import type { Oid } from './object.ts';

/** The part of a commit that history walks need. */
export interface CommitNode {
  oid: Oid;
  tree: Oid;
  parents: readonly Oid[];
  /** Committer date in seconds since 1970. */
  committedAt: number;
}
