import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChargeResult, CounterCharge, RateLimitStore } from '../../src/limits/rate-limit-store.ts';

/** A clock that moves only by `pass`. */
export class FakeClock {
  milliseconds = Date.UTC(2026, 0, 31, 23, 59, 59, 500);
  readonly now = (): Date => new Date(this.milliseconds);
  pass(seconds: number): void {
    this.milliseconds += seconds * 1000;
  }
}

/** Opens an empty store that reads `clock`. Called once per case; stores share no counters. */
export type StoreFactory = (clock: () => Date) => Promise<RateLimitStore>;

const three: CounterCharge = { key: 'three', limit: 3, seconds: 10 };
const five: CounterCharge = { key: 'five', limit: 5, seconds: 60 };
const run: CounterCharge = { key: 'run', limit: 3, seconds: 100, lockoutSeconds: [5, 10, 20] };
const ok: ChargeResult = { ok: true };

/** Requirements on every store of counters. */
export function describeRateLimitStore(name: string, open: StoreFactory): void {
  const openStore = async () => {
    const clock = new FakeClock();
    const store = await open(clock.now);
    const chargeTimes = async (times: number, counters: CounterCharge[]): Promise<void> => {
      for (let at = 0; at < times; at++) expect(await store.charge(counters)).toEqual(ok);
    };
    return { clock, store, chargeTimes };
  };

  describe(name, () => {
    test('allows as many calls as the limit, then returns the wait, rounded up', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(3, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
      clock.pass(8.999);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 2, failedIndex: 0 });
      clock.pass(1);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
      clock.pass(0.001);
      await chargeTimes(3, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('starts a window with the first charge, not at the minute and not with the last charge', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(1, [three]);
      clock.pass(9);
      await chargeTimes(2, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
      clock.pass(1);
      await chargeTimes(3, [three]);
    });

    test('a rejected call is not charged, so further attempts do not extend the wait', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(3, [three]);
      for (let second = 10; second > 0; second--) {
        expect(await store.charge([three])).toEqual({ ok: false, retryAfter: second, failedIndex: 0 });
        clock.pass(1);
      }
      await chargeTimes(3, [three]);
    });

    test('charges all counters of a call or none', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(3, [three]);
      for (let at = 0; at < 20; at++)
        expect(await store.charge([five, three])).toMatchObject({ ok: false, failedIndex: 1 });
      await chargeTimes(5, [five]);
      clock.pass(10);
      expect(await store.charge([three, five])).toMatchObject({ ok: false, failedIndex: 1 });
      await chargeTimes(3, [three]);
    });

    test('returns the longest of several waits, after which the call passes', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(5, [five]);
      clock.pass(20);
      await chargeTimes(3, [three]);
      expect(await store.charge([three, five])).toEqual({ ok: false, retryAfter: 40, failedIndex: 1 });
      expect(await store.charge([five, three])).toEqual({ ok: false, retryAfter: 40, failedIndex: 0 });
      clock.pass(40);
      await chargeTimes(1, [three, five]);
    });

    test('a call can cost more than one, and is rejected if less remains', async () => {
      const { store, chargeTimes } = await openStore();
      await chargeTimes(1, [{ ...five, cost: 3 }]);
      expect(await store.charge([{ ...five, cost: 3 }])).toMatchObject({ ok: false });
      await chargeTimes(1, [{ ...five, cost: 2 }]);
      expect(await store.charge([five])).toMatchObject({ ok: false });
    });

    test('a cost of 0 charges nothing and checks whether anything remains', async () => {
      const { clock, store, chargeTimes } = await openStore();
      const check = [{ ...three, cost: 0 }];
      await chargeTimes(10, check);
      clock.pass(5);
      // If reading had started a window, it would end in five seconds.
      await chargeTimes(3, [three]);
      expect(await store.charge(check)).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('lockouts grow each time the limit is reached, and the last one repeats', async () => {
      const { clock, store, chargeTimes } = await openStore();
      for (const pause of [5, 10, 20, 20]) {
        await chargeTimes(3, [run]);
        expect(await store.charge([run])).toEqual({ ok: false, retryAfter: pause, failedIndex: 0 });
        clock.pass(pause - 0.001);
        expect(await store.charge([{ ...run, cost: 0 }])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
        clock.pass(0.001);
        expect(await store.charge([{ ...run, cost: 0 }])).toEqual(ok);
      }
    });

    test('lockouts keep growing until a whole window passes without a charge', async () => {
      const { clock, store, chargeTimes } = await openStore();
      await chargeTimes(1, [run]);
      clock.pass(99);
      await chargeTimes(1, [run]);
      clock.pass(99);
      await chargeTimes(1, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      clock.pass(99.999);
      await chargeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
      clock.pass(100);
      await chargeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
    });

    test('clear deletes a counter with its lockouts, and no other', async () => {
      const { store, chargeTimes } = await openStore();
      await chargeTimes(3, [run, three]);
      await store.clear('run');
      await store.clear('never counted');
      await chargeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('a counter with lockouts is kept, and can be cleared, after many other counters have expired', async () => {
      const { clock, store, chargeTimes } = await openStore();
      const longRun = { ...run, limit: 10 };
      const others = async (): Promise<void> => {
        for (let other = 0; other < 3; other++) {
          clock.pass(30);
          await chargeTimes(1, [{ key: `other at ${clock.milliseconds}`, limit: 1, seconds: run.seconds }]);
        }
      };
      for (let at = 0; at < 10; at++) {
        await chargeTimes(1, [longRun]);
        if (at < 9) await others();
      }
      expect(await store.charge([longRun])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      await others();
      await chargeTimes(9, [longRun]);
      await others();
      await store.clear(run.key);
      await chargeTimes(10, [longRun]);
      expect(await store.charge([longRun])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
    });

    test('as many concurrent calls pass as the limit allows', async () => {
      const { store } = await openStore();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => store.charge([five, { ...five, key: 'other' }])),
      );
      expect(answers.filter(answer => answer.ok)).toHaveLength(5);
    });

    test.each<[string, CounterCharge[]]>([
      ['a cost above the limit', [{ ...three, cost: 4 }]],
      ['a negative cost', [{ ...three, cost: -1 }]],
      ['a fractional cost', [{ ...three, cost: 0.5 }]],
      ['a duplicate key in a call', [three, five, three]],
      ['a counter with lockouts and a cost of 2', [{ ...run, cost: 2 }]],
      ['a counter with an empty list of lockouts', [{ ...run, lockoutSeconds: [] }]],
      ['a lockout longer than the lifetime of its counter', [{ ...run, lockoutSeconds: [101] }]],
    ])('refuses %s', async (_, counters) => {
      const { store } = await openStore();
      await expect(store.charge(counters)).rejects.toThrow(RangeError);
      expect(await store.charge([three, five, run])).toEqual(ok);
    });

    test('equals the model for random sequences of charges, waits and clears', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands(), { maxCommands: 60 }), async script => {
          const { clock, store } = await openStore();
          await fc.asyncModelRun(() => ({ model: new Model(), real: { clock, store } }), script);
        }),
        { numRuns: 300 },
      );
    });
  });
}

/** Reference model: keeps all charges and recomputes every decision from the history. */
class Model {
  readonly history = new Map<string, { at: number; cost: number }[]>();

  answer(counters: CounterCharge[], now: number): ChargeResult {
    const waits = counters.map(counter =>
      counter.lockoutSeconds ? this.lockoutLeft(counter, now) : this.windowLeft(counter, now),
    );
    const longest = Math.max(...waits);
    if (longest > 0) return { ok: false, retryAfter: Math.ceil(longest / 1000), failedIndex: waits.indexOf(longest) };
    for (const { key, cost = 1 } of counters) {
      if (cost > 0) this.history.set(key, [...(this.history.get(key) ?? []), { at: now, cost }]);
    }
    return ok;
  }

  private windowLeft({ key, limit, seconds, cost = 1 }: CounterCharge, now: number): number {
    let start = Number.NEGATIVE_INFINITY;
    let used = 0;
    for (const charge of this.history.get(key) ?? []) {
      if (charge.at >= start + seconds * 1000) [start, used] = [charge.at, 0];
      used += charge.cost;
      // Checks the limit for every window of the history.
      expect(used).toBeLessThanOrEqual(limit);
    }
    const left = start + seconds * 1000 - now;
    return left > 0 && used + Math.max(cost, 1) > limit ? left : 0;
  }

  private lockoutLeft({ key, limit, seconds, lockoutSeconds = [] }: CounterCharge, now: number): number {
    const charges = this.history.get(key) ?? [];
    const last = charges.at(-1);
    if (!last || now >= last.at + seconds * 1000) return 0;
    const breaks = charges.map((charge, at) => charge.at - (charges[at - 1]?.at ?? Number.NEGATIVE_INFINITY));
    const length = charges.length - breaks.findLastIndex(silence => silence >= seconds * 1000);
    if (length % limit !== 0) return 0;
    const pause = lockoutSeconds[Math.min(length / limit, lockoutSeconds.length) - 1] ?? 0;
    return Math.max(0, last.at + pause * 1000 - now);
  }
}

interface Real {
  clock: FakeClock;
  store: RateLimitStore;
}

class Take implements fc.AsyncCommand<Model, Real> {
  readonly counters: CounterCharge[];
  constructor(counters: CounterCharge[]) {
    this.counters = counters;
  }
  check = () => true;
  async run(model: Model, { clock, store }: Real): Promise<void> {
    expect(await store.charge(this.counters)).toEqual(model.answer(this.counters, clock.milliseconds));
  }
  toString = () => `charge ${this.counters.map(({ key, cost = 1 }) => `${cost} of ${key}`).join(', ')}`;
}

/**
 * Charges; if rejected, charges again one second before `retryAfter` and is rejected, then charges at `retryAfter` and
 * succeeds.
 */
class WaitAsTold implements fc.AsyncCommand<Model, Real> {
  readonly counters: CounterCharge[];
  constructor(counters: CounterCharge[]) {
    this.counters = counters;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const first = await this.charge(model, real);
    if (first.ok) return;
    real.clock.pass(first.retryAfter - 1);
    expect(await this.charge(model, real)).toMatchObject({ ok: false, retryAfter: 1 });
    real.clock.pass(1);
    expect(await this.charge(model, real)).toEqual(ok);
  }
  private async charge(model: Model, { clock, store }: Real): Promise<ChargeResult> {
    const answer = await store.charge(this.counters);
    expect(answer).toEqual(model.answer(this.counters, clock.milliseconds));
    return answer;
  }
  toString = () => `wait as returned for ${this.counters.map(({ key, cost = 1 }) => `${cost} of ${key}`).join(', ')}`;
}

class Pass implements fc.AsyncCommand<Model, Real> {
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
  check = () => true;
  async run(_: Model, { clock }: Real): Promise<void> {
    clock.pass(this.milliseconds / 1000);
  }
  toString = () => `${this.milliseconds} ms pass`;
}

class Clear implements fc.AsyncCommand<Model, Real> {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    model.history.delete(this.key);
    await store.clear(this.key);
  }
  toString = () => `clear ${this.key}`;
}

function commands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  const kinds = [three, five, { key: 'one', limit: 1, seconds: 10 }, run];
  const counters = fc
    .subarray(kinds, { minLength: 1 })
    .chain(chosen =>
      fc.tuple(
        ...chosen.map(counter =>
          fc.integer({ min: 0, max: counter.lockoutSeconds ? 1 : counter.limit }).map(cost => ({ ...counter, cost })),
        ),
      ),
    );
  const single = fc.constantFrom(...kinds).map(counter => [counter]);
  return [
    counters.map(chosen => new Take(chosen)),
    single.map(chosen => new Take(chosen)),
    single.map(chosen => new Take(chosen)),
    fc.oneof(counters, single).map(chosen => new WaitAsTold(chosen)),
    // The ends of windows and lockouts to the millisecond, and any time between.
    fc.constantFrom(1, 4999, 5000, 9999, 10_000, 20_000, 59_999, 60_000, 99_999, 100_000).map(time => new Pass(time)),
    fc.integer({ min: 1, max: 15_000 }).map(time => new Pass(time)),
    fc.constantFrom(...kinds).map(({ key }) => new Clear(key)),
  ];
}
