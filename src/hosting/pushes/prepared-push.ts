import type { GitObject, Oid } from '../../git/object.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { SubscribableEvent } from '../webhooks/hook-event.ts';
import type { DeferredInserts } from './deferred-inserts.ts';

/** The change of one ref. */
export interface RefChange {
  /** Full name. */
  ref: string;
  /** Undefined when the ref is created. */
  old: Oid | undefined;
  /** Undefined when the ref is deleted. */
  new: Oid | undefined;
}

/** Facts about the repository, read by the statement that locks the refs. */
export interface TargetRepository {
  defaultBranch: string;
  description: string | null;
  /** Uncompressed bytes of all its objects. */
  storedBytes: number;
  /** Whether it is a fork whose git data has not arrived yet. */
  isCopying: boolean;
  /** Whether a ruleset of the repository or its owner exists that is not disabled, or a protected branch. */
  hasRules: boolean;
  /** The events of this push that a webhook subscribes to. */
  hookedEvents: readonly SubscribableEvent[];
}

/** A push that is being checked and stored. Steps write through `repository.db`, in the same transaction. */
export interface PreparedPush {
  /**
   * Contains the objects of the push before they are stored. A read flushes the pushes that come before in the
   * transaction.
   */
  repository: RepositoryInTransaction;
  /** The same object for all pushes of a transaction. */
  target: TargetRepository;
  /** Undefined for the installation itself, and for apps. */
  pusherId: number | undefined;
  /** The app that pushes, when no user does. */
  pusherAppId: number | undefined;
  /** Of the installation; undefined for the command line and for imports. */
  publicOrigin: string | undefined;
  at: Date;
  changes: readonly RefChange[];
  /** All objects of the push; some may already exist. */
  objects: readonly GitObject[];
  /** Commits that this transaction has inserted for the push beside `objects`. */
  storedCommits: readonly Oid[];
  /** The commits that did not exist before; empty until the push is stored. */
  newCommitIds: ReadonlySet<Oid>;
  /** Collects rows that are inserted after all steps. Rows of a refused push are kept too. */
  deferredInserts: DeferredInserts;
}

/** Why a rule refuses a push: a message for the client, and the ref. */
export interface Violation {
  ref: string;
  message: string;
}
