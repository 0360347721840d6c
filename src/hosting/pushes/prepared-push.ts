import type { GitObject, Oid } from '../../git/object.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { SubscribableEvent } from '../webhooks/hook-event.ts';
import type { DeferredInserts } from './deferred-inserts.ts';

/** One ref that a push changes. */
export interface RefChange {
  /** Full name. */
  ref: string;
  /** Undefined: the ref is made. */
  old: Oid | undefined;
  /** Undefined: the ref goes. */
  new: Oid | undefined;
}

/** What is asked about every repository that is pushed to, in the statement that locks the refs. */
export interface TargetRepository {
  defaultBranch: string;
  description: string | null;
  /** Whether any ruleset of the repository or its owner is not disabled. */
  hasRulesets: boolean;
  /** Of the events that a push may be, those that some app is to be told of. */
  hookedEvents: readonly SubscribableEvent[];
}

/** A push while it is decided and stored. What a step writes through `repository.db` is committed with it. */
export interface PreparedPush {
  /**
   * Sees the objects of the push, also before they are stored. Pushes that came before in the same transaction are written
   * before anything is read through it.
   */
  repository: RepositoryInTransaction;
  /** The same for all pushes of a transaction. */
  to: TargetRepository;
  /** Who pushes; undefined for the installation itself. */
  pusherId: number | undefined;
  /** The app that pushes, where no user does. */
  pusherAppId: number | undefined;
  /** Of the installation; undefined where the command line or an import pushes. */
  publicOrigin: string | undefined;
  at: Date;
  changes: readonly RefChange[];
  /** What the push brought; some of it may have been there. */
  objects: readonly GitObject[];
  /** The commits that were not in the repository before; known when it is stored. */
  freshCommits: ReadonlySet<Oid>;
  /** For rows that can be written behind all steps. A push that is refused keeps them too. */
  later: DeferredInserts;
}

/** Why a push may not be: a sentence for the caller, and the ref it is about. */
export interface Violation {
  ref: string;
  message: string;
}
