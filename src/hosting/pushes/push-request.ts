import type { GraphQLError } from 'graphql';
import type { Context } from '../../context/context.ts';
import type { GitError } from '../../git/git-error.ts';
import type { GitObject, ObjectType, Oid } from '../../git/object.ts';
import type { InsertedObjects, ObjectTarget } from '../../git/object-rows.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { RefChange, Violation } from './prepared-push.ts';
import type { PushPipeline } from './push-pipeline.ts';
import type { PushRights } from './push-rights.ts';

/** The update of one ref. */
export interface RefUpdate {
  /** Full name: refs/heads/main. */
  ref: string;
  /** The id that the ref must point to, or null when it must not exist. Absent: no condition. */
  expected?: Oid | null;
  /**
   * The new id, or null to delete the ref. A function is called while the ref is locked, with the current id; it must
   * read the repository only through its argument.
   */
  to: Oid | null | ((head: Oid | undefined, repository: RepositoryInTransaction) => Promise<NewObjects>);
}

/** The new target of a ref, and the objects to store for it. */
export interface NewObjects {
  to: Oid | null;
  objects: readonly GitObject[];
}

/** Objects that a push has stored in its transaction. */
export interface StoredObjects extends InsertedObjects {
  /** All of them, those that existed before included. */
  oids: readonly Oid[];
  /** Those of them that none of `tips` reaches. */
  unreachableFrom(tips: readonly Oid[]): Promise<Oid[]>;
}

export interface PushRequest {
  repositoryId: number;
  /** Undefined for a push by the installation itself. */
  pusherId?: number;
  /** The app, when an app pushes as itself. */
  pusherAppId?: number;
  /** Permissions beyond write access; undefined for the installation itself, which has them all. */
  rights?: PushRights;
  /** Applied atomically, unless `isPartial`. */
  updates: readonly RefUpdate[];
  /**
   * Whether the updates that are admitted are made when others are refused, as by `git push` without `--atomic`. Still one transaction.
   * What only refused updates need is not stored.
   */
  isPartial?: boolean;
  /** Whether there are objects of further updates, which the caller has refused: then they are not stored. */
  hasSpareObjects?: boolean;
  objects?: readonly GitObject[];
  /**
   * Stores further objects, too many for memory, in the transaction of the push and before its refs are locked: a slow upload must
   * not block other pushes. The caller has checked that everything they refer to exists. When the push is not accepted, those that
   * did not exist before are deleted.
   */
  store?(target: ObjectTarget): Promise<StoredObjects>;
  /**
   * Stored objects that those of the push refer to. The caller has found them; the push looks for them again in its transaction,
   * which garbage collection waits for.
   */
  links?: ReadonlyMap<Oid, ObjectType>;
  /** Whether the objects come from an untrusted source: then everything they refer to must exist. */
  isUntrusted?: boolean;
}

export type PushResult =
  /** `rejected`: of a partial push. */
  | { kind: 'pushed'; changes: RefChange[]; rejected?: readonly RejectedUpdate[] }
  /** Refused by rules. Nothing is stored except what the rules wrote. */
  | { kind: 'refused'; violations: Violation[] }
  /** `moved`: the ref is at `actual` instead of `expected`. `busy`: the wait for other pushes to the ref timed out. */
  | { kind: 'conflict'; ref: string; reason: 'moved' | 'busy'; expected: Oid | undefined; actual: Oid | undefined };

/** An update of a partial push that is not made, and why. */
export type RejectedUpdate = { ref: string } & (
  | { reason: 'moved'; expected: Oid | undefined; actual: Oid | undefined }
  | { reason: 'rules'; violations: readonly Violation[] }
  | { reason: 'error'; error: GitError | GraphQLError }
);

/** `publicOrigin`, `deadline`, `hasCheck` and `recordGroupCommit` are absent for pushes by the command line and by imports. */
export type PushContext = Pick<Context, 'read' | 'workBudget' | 'transaction' | 'now'> &
  Partial<Pick<Context, 'publicOrigin' | 'deadline' | 'hasCheck' | 'recordGroupCommit'>>;

/** A push in the queue. */
export interface QueuedPush {
  context: PushContext;
  request: PushRequest;
  pipeline: PushPipeline;
  /** The commits that `request.store` has inserted. */
  storedCommits?: readonly Oid[];
}
