import { ByLength } from './throttle-generations.ts';
import { MemorySlots } from './throttle-memory-slots.ts';
import {
  type Admitted,
  type Change,
  type Counted,
  type Demand,
  demandSense,
  type Settlement,
  type Slot,
  type Standing,
  slotPatience,
  type Taken,
  type ThrottleStore,
} from './throttle-store.ts';

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
  private readonly byLength: ByLength<Count>;
  private readonly slots: MemorySlots;

  /**
   * @param most the newest keys of one length of time that are kept for certain; at most twice as many are. There are three
   *   lengths in the tables of budgets. Twice 50,000 keys of e-mail addresses are 28 MB.
   */
  constructor(clock: () => Date, most = 50_000) {
    this.clock = clock;
    this.byLength = new ByLength(most);
    this.slots = new MemorySlots(most);
  }

  /** How many keys are kept, some that have ended included. */
  get size(): number {
    return this.byLength.size + this.slots.size;
  }

  async take(wanted: readonly Counted[]): Promise<Taken> {
    return this.decide(wanted, undefined, this.clock().getTime());
  }

  async clear(key: string): Promise<void> {
    this.byLength.delete(key);
  }

  async admit({ owner, counts, slot }: Demand): Promise<Admitted> {
    const now = this.clock().getTime();
    const own = counts.map(one => ({ ...one, key: owned(owner, one.key) }));
    const taken = this.decide(own, slot && { ...slot, key: owned(owner, slot.key) }, now);
    return { ...taken, standings: own.map(one => this.standing(one, now)) };
  }

  async settle({ owner, slot, changes }: Settlement): Promise<void> {
    this.slots.free({ ...slot, key: owned(owner, slot.key) });
    const now = this.clock().getTime();
    for (const one of changes) this.change({ ...one, key: owned(owner, one.key) }, now);
  }

  async renew(owner: string, slot: Slot): Promise<void> {
    const own = { ...slot, key: owned(owner, slot.key) };
    if (this.slots.isHeld(own)) this.slots.hold(own, this.clock().getTime());
  }

  private decide(wanted: readonly Counted[], slot: Slot | undefined, now: number): Taken {
    demandSense(wanted);
    let longest = 0;
    let failed = -1;
    for (const [at, one] of wanted.entries()) {
      const wait = one.look ? 0 : waitFor(one, this.find(one, now), now);
      if (wait > longest) {
        longest = wait;
        failed = at;
      }
    }
    if (slot && longest < slotPatience * 1000 && !this.slots.isFree(slot, now)) {
      longest = slotPatience * 1000;
      failed = wanted.length;
    }
    if (failed >= 0) return { ok: false, retryAfter: Math.ceil(longest / 1000), failed };
    for (const one of wanted) if (one.cost !== 0 && !one.look) this.charge(one, now);
    if (slot) this.slots.hold(slot, now);
    return { ok: true };
  }

  private standing(one: Counted, now: number): Standing {
    const count = this.find(one, now);
    return count ? { used: count.used, ends: count.ends } : { used: 0, ends: now + one.seconds * 1000 };
  }

  private find({ key, seconds }: Pick<Counted, 'key' | 'seconds'>, now: number): Count | undefined {
    const count = this.byLength.of(seconds).get(key);
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
    if (!before || pauses) this.byLength.of(seconds).set(key, count, now);
  }

  private change({ key, seconds, by, ends }: Change, now: number): void {
    const count = this.find({ key, seconds }, now);
    if (by > 0 && !count) {
      const begun = { used: by, ends: now + seconds * 1000, pausedUntil: 0, paused: 0 };
      this.byLength.of(seconds).set(key, begun, now);
      return;
    }
    if (!count || (by < 0 && ends !== undefined && count.ends !== ends)) return;
    count.used = Math.max(0, count.used + by);
    if (count.used === 0) this.byLength.of(seconds).delete(key);
  }
}

const owned = (owner: string, key: string): string => `${owner} ${key}`;

/** Milliseconds until `one` can be taken, 0 for at once. */
function waitFor({ limit, cost = 1, pauses }: Counted, count: Count | undefined, now: number): number {
  if (!count) return 0;
  if (pauses) return Math.max(0, count.pausedUntil - now);
  return count.used + Math.max(cost, 1) > limit ? count.ends - now : 0;
}
