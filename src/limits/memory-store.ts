import { ExpiringMaps } from './expiring-map.ts';
import { MemorySlots } from './memory-slots.ts';
import {
  type AdmissionRequest,
  type AdmissionResult,
  assertValidCharges,
  type ChargeResult,
  type CounterChange,
  type CounterCharge,
  type CounterState,
  type RateLimitStore,
  type Slot,
  type SlotRelease,
  slotRetryAfterSeconds,
} from './rate-limit-store.ts';

/** One counter. Times in milliseconds since 1970. */
interface Counter {
  used: number;
  /** The counter expires at this time. */
  endsAt: number;
  /** Every charge is rejected before this time. Only with lockout periods. */
  lockedUntil: number;
  /** Number of lockouts so far. */
  lockoutCount: number;
}

/** Ends of one window in two stores differ at most by so much: the clocks of Redis and of this process. */
const maxClockDifferenceMs = 1_000;

/** Counters and slots of one process, in bounded memory; lost when the process ends. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly clock: () => Date;
  /** When the shared store may last have lost its counters; milliseconds since 1970. */
  private lostAt = Number.NEGATIVE_INFINITY;
  private readonly counters: ExpiringMaps<Counter>;
  private readonly slots: MemorySlots;

  /**
   * @param maxKeys keys per duration that are kept at least; at most twice as many are kept. The limit tables use three
   *   durations. 100,000 keys of e-mail addresses take 28 MB.
   */
  constructor(clock: () => Date, maxKeys = 50_000) {
    this.clock = clock;
    this.counters = new ExpiringMaps(maxKeys);
    this.slots = new MemorySlots(maxKeys);
  }

  /** Number of stored keys, some of them expired. */
  get size(): number {
    return this.counters.size + this.slots.size;
  }

  async charge(charges: readonly CounterCharge[]): Promise<ChargeResult> {
    return this.decide(charges, undefined, this.clock().getTime());
  }

  async clear(key: string): Promise<void> {
    this.counters.delete(key);
  }

  async admit({ owner, charges, slot }: AdmissionRequest): Promise<AdmissionResult> {
    const now = this.clock().getTime();
    const owned = charges.map(charge => ({ ...charge, key: ownerKey(owner, charge.key) }));
    const decision = this.decide(owned, slot && { ...slot, key: ownerKey(owner, slot.key) }, now);
    return { ...decision, states: owned.map(charge => this.stateOf(charge, now)) };
  }

  async release({ owner, slot, changes }: SlotRelease): Promise<void> {
    this.slots.free({ ...slot, key: ownerKey(owner, slot.key) });
    await this.change(owner, changes);
  }

  async change(owner: string, changes: readonly CounterChange[]): Promise<void> {
    const now = this.clock().getTime();
    for (const one of changes) this.applyChange({ ...one, key: ownerKey(owner, one.key) }, now);
  }

  async renew(owner: string, slot: Slot): Promise<void> {
    const own = { ...slot, key: ownerKey(owner, slot.key) };
    if (this.slots.isHeld(own)) this.slots.hold(own, this.clock().getTime());
  }

  /**
   * Counts what a shared store has admitted, so that this store can decide when the shared one is away, and so that this process
   * admits no more than each limit when the shared one has lost its counters: see `noteLoss`. `states` are those of the shared store;
   * without them the counters begin when this process first charges them. Refuses what the counters from before the loss forbid, and
   * counts it not.
   */
  follow({ owner, charges, slot }: AdmissionRequest, states: readonly CounterState[] = []): AdmissionResult {
    const now = this.clock().getTime();
    const key = (name: string): string => (owner === '' ? name : ownerKey(owner, name));
    const owned = charges.map(charge => ({ ...charge, key: key(charge.key) }));
    const ownSlot = slot && { ...slot, key: key(slot.key) };
    const decision = this.decide(owned, ownSlot, now, charge => this.predatesLoss(charge, now));
    if (!decision.ok) return { ...decision, states: owned.map(charge => this.stateOf(charge, now)) };
    for (const [at, charge] of owned.entries()) this.align(charge, states[at], now);
    return { ...decision, states };
  }

  /** The shared store may have lost its counters: those that began before bound what `follow` accepts until they end. */
  noteLoss(): void {
    this.lostAt = this.clock().getTime();
  }

  private predatesLoss(charge: CounterCharge, now: number): boolean {
    const count = this.find(charge, now);
    const lengthMs = charge.seconds * 1000;
    // Each charge prolongs a counter with lockouts.
    return count !== undefined && (charge.lockoutSeconds ? now : count.endsAt) - lengthMs <= this.lostAt;
  }

  /** Makes a counter begin and end with that of the shared store, unless it is one that the shared store has lost. */
  private align(charge: CounterCharge, state: CounterState | undefined, now: number): void {
    if (state === undefined || state.used === 0 || charge.lockoutSeconds) return;
    const count = this.find(charge, now);
    const isSame = count !== undefined && Math.abs(count.endsAt - state.endsAt) <= maxClockDifferenceMs;
    if (count && isSame) count.used = Math.max(count.used, state.used);
    if (this.predatesLoss(charge, now)) return;
    if (count && isSame) count.endsAt = state.endsAt;
    else this.counters.of(charge.seconds).set(charge.key, { ...state, lockedUntil: 0, lockoutCount: 0 }, now);
  }

  /** `isBound`: whether the limit of a counter applies; else the counter is charged all the same. */
  private decide(
    charges: readonly CounterCharge[],
    slot: Slot | undefined,
    now: number,
    isBound: (charge: CounterCharge) => boolean = () => true,
  ): ChargeResult {
    assertValidCharges(charges);
    let longestWaitMs = 0;
    let failedIndex = -1;
    for (const [at, one] of charges.entries()) {
      const wait = one.peek || !isBound(one) ? 0 : waitMsFor(one, this.find(one, now), now);
      if (wait > longestWaitMs) {
        longestWaitMs = wait;
        failedIndex = at;
      }
    }
    if (slot && longestWaitMs < slotRetryAfterSeconds * 1000 && !this.slots.isFree(slot, now)) {
      longestWaitMs = slotRetryAfterSeconds * 1000;
      failedIndex = charges.length;
    }
    if (failedIndex >= 0) return { ok: false, retryAfter: Math.ceil(longestWaitMs / 1000), failedIndex };
    for (const one of charges) if (one.cost !== 0 && !one.peek) this.applyCharge(one, now);
    if (slot) this.slots.hold(slot, now);
    return { ok: true };
  }

  private stateOf(one: CounterCharge, now: number): CounterState {
    const count = this.find(one, now);
    return count ? { used: count.used, endsAt: count.endsAt } : { used: 0, endsAt: now + one.seconds * 1000 };
  }

  private find({ key, seconds }: Pick<CounterCharge, 'key' | 'seconds'>, now: number): Counter | undefined {
    const count = this.counters.of(seconds).get(key);
    // An end far in the future means that the clock was set back by more than the duration: the counter is dropped, or callers
    // would wait until the clock catches up. After a smaller correction counters stay.
    return count && now < count.endsAt && count.endsAt - now <= 2 * seconds * 1000 ? count : undefined;
  }

  private applyCharge(one: CounterCharge, now: number): void {
    const { key, limit, seconds, cost = 1, lockoutSeconds } = one;
    const before = this.find(one, now);
    const count = before ?? { used: 0, endsAt: now + seconds * 1000, lockedUntil: 0, lockoutCount: 0 };
    if (!lockoutSeconds) count.used += cost;
    else {
      // At the limit and not rejected: the lockout is over.
      count.used = count.used >= limit ? 1 : count.used + 1;
      count.endsAt = now + seconds * 1000;
      if (count.used === limit) {
        count.lockedUntil = now + 1000 * (lockoutSeconds[Math.min(count.lockoutCount, lockoutSeconds.length - 1)] ?? 0);
        count.lockoutCount++;
      }
    }
    if (!before || lockoutSeconds) this.counters.of(seconds).set(key, count, now);
  }

  private applyChange({ key, seconds, amount, endsAt }: CounterChange, now: number): void {
    const count = this.find({ key, seconds }, now);
    if (amount > 0 && !count) {
      const started = { used: amount, endsAt: now + seconds * 1000, lockedUntil: 0, lockoutCount: 0 };
      this.counters.of(seconds).set(key, started, now);
      return;
    }
    if (!count || (amount < 0 && endsAt !== undefined && count.endsAt !== endsAt)) return;
    count.used = Math.max(0, count.used + amount);
    if (count.used === 0) this.counters.of(seconds).delete(key);
  }
}

const ownerKey = (owner: string, key: string): string => `${owner} ${key}`;

/** Milliseconds until the charge can pass; 0 if it passes now. */
function waitMsFor(
  { limit, cost = 1, lockoutSeconds }: CounterCharge,
  count: Counter | undefined,
  now: number,
): number {
  if (!count) return 0;
  if (lockoutSeconds) return Math.max(0, count.lockedUntil - now);
  return count.used + Math.max(cost, 1) > limit ? count.endsAt - now : 0;
}
