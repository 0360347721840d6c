import type { Context } from '../../context/context.ts';
import type { GitObject, Oid } from '../../git/object.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { RefChange, Violation } from './prepared-push.ts';
import type { PushPipeline } from './push-pipeline.ts';
import type { PushRights } from './push-rights.ts';

/** A ref that is to be changed. */
export interface RefUpdate {
  /** Full name: refs/heads/main */
  ref: string;
  /** Where it must stand: an id, or null for a ref that must not be there. Absent: wherever it stands. */
  expected?: Oid | null;
  /**
   * Where it goes, null to delete it. A function is asked while nobody else can move the ref: it is given where the ref
   * stands and reads the repository through what it is given, and through nothing else.
   */
  to: Oid | null | ((head: Oid | undefined, repository: RepositoryInTransaction) => Promise<NewObjects>);
}

/** A new end of a ref and the objects it needs. */
export interface NewObjects {
  to: Oid | null;
  objects: readonly GitObject[];
}

export interface PushRequest {
  repositoryId: number;
  /** Undefined for the installation itself. */
  pusherId?: number;
  /** An app that pushes for itself. */
  pusherAppId?: number;
  /** What the caller may do beyond writing; undefined for the installation itself. */
  rights?: PushRights;
  /** All of them change, or none does. */
  updates: readonly RefUpdate[];
  objects?: readonly GitObject[];
  /** Whether others made the objects: then everything they point to is looked up before they are stored. */
  isUntrusted?: boolean;
}

export type PushResult =
  | { kind: 'pushed'; changes: RefChange[] }
  /** Rules said no. Nothing was stored but what they wrote. */
  | { kind: 'refused'; violations: Violation[] }
  /** `moved`: the ref stands elsewhere, at `actual`. `busy`: others were writing it for longer than somebody should wait. */
  | { kind: 'conflict'; ref: string; reason: 'moved' | 'busy'; expected: Oid | undefined; actual: Oid | undefined };

/** `publicOrigin` is missing where the command line or an import pushes. */
export type PushContext = Pick<Context, 'read' | 'transaction' | 'now'> & Partial<Pick<Context, 'publicOrigin'>>;

/** A push that somebody waits for. */
export interface QueuedPush {
  context: PushContext;
  request: PushRequest;
  steps: PushPipeline;
}
