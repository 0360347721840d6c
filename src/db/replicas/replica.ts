import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionPool } from '../connection-pool.ts';
import type { ServerFacts, ServerProbe } from './server-probe.ts';

/**
 * - `ready`: reads.
 * - `lagging`: it is not known to have replayed what the primary had `maxLagMs` ago.
 * - `unreachable`: does not answer.
 * - `promoted`: no standby any more.
 * - `foreign`: another database, or a standby whose history has parted from that of the primary.
 */
export const replicaStates = ['ready', 'lagging', 'unreachable', 'promoted', 'foreign'] as const;
export type ReplicaState = (typeof replicaStates)[number];

export type ReplicaPools = Readonly<Record<'anonymous' | 'signedIn', ConnectionPool>>;

export interface ReplicaOptions {
  /** Host and port. */
  name: string;
  probe: ServerProbe;
  /** Opens the pools once the server answers, because only then a pooler is recognised. */
  openPools(): Promise<ReplicaPools>;
  maxLagMs: number;
  /** Called with the first state and with each change. `error`: why the server is unreachable. */
  onChange(state: ReplicaState, error?: unknown): void;
}

/** Where the WAL of the primary ended at a time, on the clock of `performance`. */
export interface PrimaryPosition {
  position: number;
  atMs: number;
}

/** Between two questions for a position that is awaited. */
const replayPauseMs = 5;

/** One standby server and what is known of it. */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  #pools: ReplicaPools | undefined;
  /** Undefined until the server has answered, or failed to. */
  #state: ReplicaState | undefined;
  #isAsked = false;
  /** When the state changed last. */
  changedAtMs = performance.now();
  /** Everything that was committed at this time is there. */
  freshAsOfMs = Number.NEGATIVE_INFINITY;
  /** The end of what it has replayed, in bytes. */
  position = 0;
  #positionAtMs = 0;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get state(): ReplicaState {
    if (this.#state === 'ready' && this.lagMs > this.#options.maxLagMs) this.#become('lagging');
    return this.#state ?? 'unreachable';
  }

  /** For how long commits of the primary may be missing, in milliseconds. The time between two questions is part of it. */
  get lagMs(): number {
    return performance.now() - this.freshAsOfMs;
  }

  /** @throws Error while the server has never answered */
  get pools(): ReplicaPools {
    if (!this.#pools) throw new Error(`The replica ${this.name} has not answered yet.`);
    return this.#pools;
  }

  /** The pools that are open. */
  get openPools(): readonly ConnectionPool[] {
    return this.#pools ? Object.values(this.#pools) : [];
  }

  /**
   * Asks the server for its state, unless a question is on its way. `history`: positions of the primary in ascending order, all of
   * them measured before this call.
   */
  async refresh(databaseIdentifier: string, history: readonly PrimaryPosition[]): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    try {
      const facts = await this.#options.probe.ask();
      this.#pools ??= await this.#options.openPools();
      this.#learn(facts, databaseIdentifier, history);
    } catch (error) {
      this.#become('unreachable', error);
    } finally {
      this.#isAsked = false;
    }
  }

  /** WAL beyond the end of that of the primary, measured later, is of another history. */
  compareWith({ position, atMs }: PrimaryPosition): void {
    if (this.#positionAtMs < atMs && this.position > position) this.#become('foreign');
  }

  /** Resolves whether the server has replayed `position`, which it is asked for until `deadlineMs` at most. */
  async hasReplayed(position: number, deadlineMs: number): Promise<boolean> {
    while (this.state === 'ready' && this.position < position) {
      if (performance.now() > deadlineMs) return false;
      const { isStandby, position: replayed } = await this.#options.probe.ask();
      if (!isStandby) return false;
      this.#setPosition(replayed);
      if (replayed < position) await delay(replayPauseMs);
    }
    return this.state === 'ready';
  }

  async end(): Promise<void> {
    await Promise.all([this.#options.probe.end(), ...this.openPools.map(pool => pool.end())]);
  }

  #learn(facts: ServerFacts, databaseIdentifier: string, history: readonly PrimaryPosition[]): void {
    this.#setPosition(facts.position);
    const end = history.at(-1)?.position ?? 0;
    const replayed = history.findLast(({ position }) => position <= facts.position);
    if (replayed) this.freshAsOfMs = Math.max(this.freshAsOfMs, replayed.atMs);
    if (!facts.isStandby) this.#become('promoted');
    else if (facts.databaseIdentifier !== databaseIdentifier) this.#become('foreign');
    else if (this.#state === 'foreign' && facts.position > end) return;
    else this.#become(this.lagMs > this.#options.maxLagMs ? 'lagging' : 'ready');
  }

  #setPosition(position: number): void {
    this.position = position;
    this.#positionAtMs = performance.now();
  }

  #become(state: ReplicaState, error?: unknown): void {
    if (state === this.#state) return;
    this.#state = state;
    this.changedAtMs = performance.now();
    this.#options.onChange(state, error);
  }
}
