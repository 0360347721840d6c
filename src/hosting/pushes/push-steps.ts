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

/**
 * Where other parts of the product take part in a push, in this order and in its transaction. Rules are asked before anything
 * is stored, all of them, and what they write is kept when they refuse. The others run once the refs have moved; one that
 * throws undoes the push.
 */
export interface PushSteps {
  rules: readonly ((push: Push) => Promise<Violation[]>)[];
  events: readonly ((push: Push) => Promise<void>)[];
  deliveries: readonly ((push: Push) => Promise<void>)[];
}

/** What takes part in every push. */
export const pushSteps: PushSteps = {
  rules: [],
  events: [],
  deliveries: [],
};
