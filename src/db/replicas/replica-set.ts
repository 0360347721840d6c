import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallerPositions } from './caller-positions.ts';
import type { PrimaryPosition, Replica } from './replica.ts';
import { type ReplicaChoice, ReplicaSession } from './replica-session.ts';
import type { ServerProbe } from './server-probe.ts';
import { endOfRecord } from './wal-position.ts';

export interface ReplicaSetOptions {
  replicas: readonly Replica[];
  primary: ServerProbe;
  /** Of the primary. */
  databaseIdentifier: string;
  positions: CallerPositions;
  maxLagMs: number;
}

/** Time between two rounds of questions to all servers. A caller that has written waits about as long for a replica. */
const roundMs = 200;

/** Positions of the primary that are remembered: more than five minutes of rounds. Rounds without a write are one. */
const maxHistory = 2_000;

/** The replicas of one database, and which of them reads for a caller. */
export class ReplicaSet implements ReplicaChoice {
  readonly replicas: readonly Replica[];
  /** Statements of reads that requests have sent, and those of them that a replica has failed and the primary answered. */
  readonly counts = { primary: 0, replica: 0, repeated: 0 };
  /** The latest position that a request has seen on the primary. Every commit whose end a request knows is before it. */
  lastCommit = 0;
  readonly #options: ReplicaSetOptions;
  readonly #history: PrimaryPosition[] = [];
  readonly #closed = new AbortController();
  readonly #rounds: Promise<void>;

  constructor(options: ReplicaSetOptions) {
    this.replicas = options.replicas;
    this.#options = options;
    this.#rounds = this.#ask();
  }

  /** Whether a replica reads for anybody. */
  get isInUse(): boolean {
    return this.replicas.some(({ state }) => state === 'ready');
  }

  /** Bytes of WAL that a replica has not replayed. */
  lagBytes({ position }: Replica): number {
    return Math.max(0, (this.#history.at(-1)?.position ?? 0) - position);
  }

  /** What one request of a caller reads and writes. A `known` caller is read for by the primary until its position is known. */
  session(caller: string, { isKnown }: { isKnown: boolean }): ReplicaSession {
    const { databaseIdentifier, positions } = this.#options;
    return new ReplicaSession({ set: this, caller: `${databaseIdentifier} ${caller}`, isKnown, positions });
  }

  /**
   * The replica of a caller if it has replayed `position`. A caller stays with one replica, so that no read sees less than the one
   * before. When another server has read for it, because that replica was away, the next one must have what the primary had then.
   */
  choose(caller: string, position: number): Replica | undefined {
    let changedAtMs = 0;
    for (const replica of this.#orderOf(caller)) {
      const { state } = replica;
      changedAtMs = Math.max(changedAtMs, replica.changedAtMs);
      if (state !== 'ready') continue;
      return replica.freshAsOfMs > changedAtMs && replica.position >= position ? replica : undefined;
    }
    return undefined;
  }

  /** The replica of a caller, once it has replayed `position`; undefined if that takes longer than `waitTimeoutMs`. */
  async waitFor(caller: string, position: number, waitTimeoutMs: number): Promise<Replica | undefined> {
    const replica = this.choose(caller, 0);
    const deadlineMs = performance.now() + waitTimeoutMs;
    const isThere = await replica?.hasReplayed(position, deadlineMs).catch(() => false);
    return isThere ? replica : undefined;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#rounds;
    this.#options.positions.close();
    await Promise.all([this.#options.primary.end(), ...this.replicas.map(replica => replica.end())]);
  }

  async #ask(): Promise<void> {
    const { signal } = this.#closed;
    const { primary, databaseIdentifier } = this.#options;
    while (!signal.aborted) {
      const atMs = performance.now();
      const facts = await primary.ask().catch(() => undefined);
      if (facts && !facts.isStandby) this.#recordPrimary({ position: endOfRecord(facts.position), atMs });
      // Not awaited: one that does not answer delays none of the others.
      for (const replica of this.replicas) void replica.refresh(databaseIdentifier, this.#history);
      await delay(roundMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #recordPrimary(measured: PrimaryPosition): void {
    const last = this.#history.at(-1);
    // Nothing was written since: what was replayed then is everything until now.
    if (last?.position === measured.position) last.atMs = measured.atMs;
    else if (last && last.position > measured.position) this.#history.splice(0, Number.POSITIVE_INFINITY, measured);
    else this.#history.push(measured);
    if (this.#history.length > maxHistory) this.#history.shift();
    for (const replica of this.replicas) replica.compareWith(measured);
  }

  /** Rendezvous hashing: while a replica is away, its callers are divided among the others, and no other caller moves. */
  #orderOf(caller: string): readonly Replica[] {
    if (this.replicas.length < 2) return this.replicas;
    const weights = new Map(this.replicas.map(one => [one, hash('md5', `${one.name} ${caller}`)]));
    return this.replicas.toSorted((a, b) => ((weights.get(a) ?? '') < (weights.get(b) ?? '') ? -1 : 1));
  }
}
