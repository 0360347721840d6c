import type { GitObject, Oid } from '../../git/object.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';

/** One ref that a push changes. */
export interface RefChange {
  /** Full name. */
  ref: string;
  /** Undefined: the ref is made. */
  old: Oid | undefined;
  /** Undefined: the ref goes. */
  new: Oid | undefined;
}

/** A push while it is decided and stored. What a step writes through `repository.db` is committed with it. */
export interface Push {
  /** Sees the objects of the push, also before they are stored. */
  repository: RepositoryInTransaction;
  /** Who pushes; undefined for the installation itself. */
  pusherId: number | undefined;
  /** The app that pushes, where no user does. */
  pusherAppId: number | undefined;
  /** Public address of the request; undefined where there is none. */
  origin: string | undefined;
  at: Date;
  changes: readonly RefChange[];
  /** What the push brought; some of it may have been there. */
  objects: readonly GitObject[];
}

/** Why a push may not be: a sentence for the caller, and the ref it is about. */
export interface Violation {
  ref: string;
  message: string;
}
