import type { CallerPositions } from './caller-positions.ts';
import type { Replica } from './replica.ts';

/** What a session needs of the replicas of its database: see `ReplicaSet`. */
export interface ReplicaChoice {
  readonly isInUse: boolean;
  readonly counts: { primary: number; replica: number; repeated: number };
  lastCommit: number;
  choose(caller: string, position: number): Replica | undefined;
  waitFor(caller: string, position: number, waitTimeoutMs: number): Promise<Replica | undefined>;
}

export interface ReplicaSessionOptions {
  set: ReplicaChoice;
  caller: string;
  /** Whether the caller has an identity. */
  isKnown: boolean;
  positions: CallerPositions;
}

/** Longest wait for a replica that is to read much. */
const waitTimeoutMs = 250;

/** Which server reads for one request, and up to where its caller has seen the WAL of the primary. */
export class ReplicaSession {
  readonly #options: ReplicaSessionOptions;
  #choice: Promise<Replica | undefined> | undefined;
  #chosen: Replica | undefined;
  #isOnPrimary = false;
  /** The latest position that the request has seen on the primary. */
  #position = 0;

  constructor(options: ReplicaSessionOptions) {
    this.#options = options;
  }

  get counts(): ReplicaChoice['counts'] {
    return this.#options.set.counts;
  }

  /** The replica that was chosen and still reads. */
  get current(): Replica | undefined {
    return this.#isOnPrimary ? undefined : this.#chosen;
  }

  /** The replica that reads for this request; undefined for the primary. All reads of a request are on one server. */
  async replica(): Promise<Replica | undefined> {
    if (this.#isOnPrimary || !this.#options.set.isInUse) return undefined;
    this.#choice ??= this.#choose();
    const replica = await this.#choice;
    this.#chosen = replica;
    if (replica && this.keeps(replica)) return replica;
    this.leaveReplica();
    return undefined;
  }

  /** Whether the request may go on reading a replica. */
  keeps(replica: Replica): boolean {
    return !this.#isOnPrimary && replica.state === 'ready';
  }

  /** The primary reads for the rest of the request. It is never behind a replica. */
  leaveReplica(): void {
    this.#isOnPrimary = true;
  }

  /** Receives the position of a commit of the request. Resolves when every gateway knows it. */
  readonly onCommit = async (position: number): Promise<void> => {
    this.leaveReplica();
    this.#position = Math.max(this.#position, position);
    await this.#raise(position);
  };

  /**
   * Receives the position of a read on the primary: what the caller has seen there is not to disappear when a replica reads again.
   * Undefined where nothing needs it, because no replica is in use: one that comes back has everything that was there.
   */
  get onRead(): ((position: number) => void) | undefined {
    if (!this.#options.set.isInUse) return undefined;
    return position => {
      this.#position = Math.max(this.#position, position);
      void this.#raise(position);
    };
  }

  /** Another request of this process has committed what this one wrote. */
  async recordGroupCommit(): Promise<void> {
    await this.onCommit(this.#options.set.lastCommit);
  }

  /** A replica that has all that this request has read on the primary, for reads whose rows are many; undefined if none is in time. */
  caughtUpReplica(): Promise<Replica | undefined> {
    return this.#options.set.waitFor(this.#options.caller, this.#position, waitTimeoutMs);
  }

  async #choose(): Promise<Replica | undefined> {
    const { set, caller, isKnown, positions } = this.#options;
    const position = await positions.find(caller);
    if (position === undefined && isKnown) return undefined;
    return set.choose(caller, position ?? 0);
  }

  async #raise(position: number): Promise<void> {
    const { set, caller, positions } = this.#options;
    set.lastCommit = Math.max(set.lastCommit, position);
    await positions.raise(caller, position);
  }
}
