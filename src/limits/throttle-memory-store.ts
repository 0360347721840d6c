import { type Counted, demandSense, type Taken, type ThrottleStore } from './throttle-store.ts';

/** The state of one key. Times in milliseconds. */
interface Count {
  used: number;
  /** From then on the count is as if it had never been. */
  ends: number;
  /** Nothing is allowed before. Only with pauses. */
  pausedUntil: number;
  /** How many pauses there were. */
  paused: number;
}

/** Counts of one process, in bounded memory; lost when the process ends. */
export class MemoryThrottleStore implements ThrottleStore {
  private readonly clock: () => Date;
  private readonly most: number;
  private readonly byLength = new Map<number, Generations>();

  /**
   * @param most the newest keys of one length of time that are kept for certain; at most twice as many are. There are three
   *   lengths in the tables of budgets. Twice 50,000 keys of e-mail addresses are 28 MB.
   */
  constructor(clock: () => Date, most = 50_000) {
    this.clock = clock;
    this.most = most;
  }

  /** How many keys are kept, some that have ended included. */
  get size(): number {
    let size = 0;
    for (const generations of this.byLength.values()) size += generations.size;
    return size;
  }

  async take(wanted: readonly Counted[]): Promise<Taken> {
    demandSense(wanted);
    const now = this.clock().getTime();
    let longest = 0;
    let failed = -1;
    for (const [at, one] of wanted.entries()) {
      const wait = waitFor(one, this.find(one, now), now);
      if (wait > longest) {
        longest = wait;
        failed = at;
      }
    }
    if (failed >= 0) return { ok: false, retryAfter: Math.ceil(longest / 1000), failed };
    for (const one of wanted) if (one.cost !== 0) this.charge(one, now);
    return { ok: true };
  }

  async clear(key: string): Promise<void> {
    for (const generations of this.byLength.values()) generations.delete(key);
  }

  private find({ key, seconds }: Counted, now: number): Count | undefined {
    const count = this.byLength.get(seconds)?.get(key);
    // Far later than any count ends: the clock was put back, by more than the count lasts, and nobody shall wait for the time
    // to come round again. Put back by less, as clocks are now and then, all counts stand.
    return count && now < count.ends && count.ends - now <= 2 * seconds * 1000 ? count : undefined;
  }

  private charge(one: Counted, now: number): void {
    const { key, limit, seconds, cost = 1, pauses } = one;
    const before = this.find(one, now);
    const count = before ?? { used: 0, ends: now + seconds * 1000, pausedUntil: 0, paused: 0 };
    if (!pauses) count.used += cost;
    else {
      // Full, and yet not refused: the pause is over.
      count.used = count.used >= limit ? 1 : count.used + 1;
      count.ends = now + seconds * 1000;
      if (count.used === limit) {
        count.pausedUntil = now + 1000 * (pauses[Math.min(count.paused, pauses.length - 1)] ?? 0);
        count.paused++;
      }
    }
    if (!before || pauses) this.generationsOf(seconds).set(key, count, now);
  }

  private generationsOf(seconds: number): Generations {
    let generations = this.byLength.get(seconds);
    if (!generations) {
      generations = new Generations(seconds, this.most);
      this.byLength.set(seconds, generations);
    }
    return generations;
  }
}

/**
 * Counts of one length of time, in two maps: whatever was set before the younger one was begun has ended when that one is as
 * old as a count lasts, and the older map is dropped as a whole. When the younger one is full that happens earlier: then what
 * is dropped is what would have ended first. Lengths do not share their room: who has many addresses and fills the minute's
 * with them does not wipe out what others have failed in a day.
 *
 * Not one map whose front is removed bit by bit: V8 keeps the holes, and finding the front of 100,000 keys took 250 µs.
 */
class Generations {
  private readonly seconds: number;
  private readonly most: number;
  private older = new Map<string, Count>();
  private younger = new Map<string, Count>();
  private begun = Number.NEGATIVE_INFINITY;

  constructor(seconds: number, most: number) {
    this.seconds = seconds;
    this.most = most;
  }

  get size(): number {
    return this.older.size + this.younger.size;
  }

  get(key: string): Count | undefined {
    return this.younger.get(key) ?? this.older.get(key);
  }

  set(key: string, count: Count, now: number): void {
    if (now - this.begun >= this.seconds * 1000 || this.younger.size >= this.most) {
      this.older = this.younger;
      this.younger = new Map();
      this.begun = now;
    }
    this.older.delete(key);
    this.younger.set(key, count);
  }

  delete(key: string): void {
    this.older.delete(key);
    this.younger.delete(key);
  }
}

/** Milliseconds until `one` can be taken, 0 for at once. */
function waitFor({ limit, cost = 1, pauses }: Counted, count: Count | undefined, now: number): number {
  if (!count) return 0;
  if (pauses) return Math.max(0, count.pausedUntil - now);
  return count.used + Math.max(cost, 1) > limit ? count.ends - now : 0;
}
