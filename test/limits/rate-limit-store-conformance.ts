import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChargeResult, CounterCharge, RateLimitStore } from '../../src/limits/rate-limit-store.ts';

/** A clock that stands still until it is moved. */
export class FakeClock {
  milliseconds = Date.UTC(2026, 0, 31, 23, 59, 59, 500);
  readonly now = (): Date => new Date(this.milliseconds);
  pass(seconds: number): void {
    this.milliseconds += seconds * 1000;
  }
}

/** An empty store that reads `clock`. Called once per case; two stores never share a count. */
export type StoreFactory = (clock: () => Date) => Promise<RateLimitStore>;

const three: CounterCharge = { key: 'three', limit: 3, seconds: 10 };
const five: CounterCharge = { key: 'five', limit: 5, seconds: 60 };
const run: CounterCharge = { key: 'run', limit: 3, seconds: 100, lockoutSeconds: [5, 10, 20] };
const ok: ChargeResult = { ok: true };

/** What every store of counts must do. */
export function describeRateLimitStore(name: string, open: StoreFactory): void {
  const opened = async () => {
    const clock = new FakeClock();
    const store = await open(clock.now);
    const takeTimes = async (times: number, counts: CounterCharge[]): Promise<void> => {
      for (let at = 0; at < times; at++) expect(await store.charge(counts)).toEqual(ok);
    };
    return { clock, store, takeTimes };
  };

  describe(name, () => {
    test('allows as many as the limit, then says how long to wait, rounded up', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(3, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
      clock.pass(8.999);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 2, failedIndex: 0 });
      clock.pass(1);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
      clock.pass(0.001);
      await takeTimes(3, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('starts a window with the first charge, not at the minute and not with the last charge', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(1, [three]);
      clock.pass(9);
      await takeTimes(2, [three]);
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
      clock.pass(1);
      await takeTimes(3, [three]);
    });

    test('a rejected call is not charged, so further attempts do not extend the wait', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(3, [three]);
      for (let second = 10; second > 0; second--) {
        expect(await store.charge([three])).toEqual({ ok: false, retryAfter: second, failedIndex: 0 });
        clock.pass(1);
      }
      await takeTimes(3, [three]);
    });

    test('charges all counters of a call or none', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(3, [three]);
      for (let at = 0; at < 20; at++)
        expect(await store.charge([five, three])).toMatchObject({ ok: false, failedIndex: 1 });
      await takeTimes(5, [five]);
      clock.pass(10);
      expect(await store.charge([three, five])).toMatchObject({ ok: false, failedIndex: 1 });
      await takeTimes(3, [three]);
    });

    test('returns the longest of several waits, after which the call passes', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(5, [five]);
      clock.pass(20);
      await takeTimes(3, [three]);
      expect(await store.charge([three, five])).toEqual({ ok: false, retryAfter: 40, failedIndex: 1 });
      expect(await store.charge([five, three])).toEqual({ ok: false, retryAfter: 40, failedIndex: 0 });
      clock.pass(40);
      await takeTimes(1, [three, five]);
    });

    test('a call can cost more than one, and is rejected if less remains', async () => {
      const { store, takeTimes } = await opened();
      await takeTimes(1, [{ ...five, cost: 3 }]);
      expect(await store.charge([{ ...five, cost: 3 }])).toMatchObject({ ok: false });
      await takeTimes(1, [{ ...five, cost: 2 }]);
      expect(await store.charge([five])).toMatchObject({ ok: false });
    });

    test('a cost of 0 charges nothing and checks whether anything remains', async () => {
      const { clock, store, takeTimes } = await opened();
      const look = [{ ...three, cost: 0 }];
      await takeTimes(10, look);
      clock.pass(5);
      // Had looking begun a window, this one would end in five seconds.
      await takeTimes(3, [three]);
      expect(await store.charge(look)).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('lockouts grow each time the limit is reached, and the last one repeats', async () => {
      const { clock, store, takeTimes } = await opened();
      for (const pause of [5, 10, 20, 20]) {
        await takeTimes(3, [run]);
        expect(await store.charge([run])).toEqual({ ok: false, retryAfter: pause, failedIndex: 0 });
        clock.pass(pause - 0.001);
        expect(await store.charge([{ ...run, cost: 0 }])).toEqual({ ok: false, retryAfter: 1, failedIndex: 0 });
        clock.pass(0.001);
        expect(await store.charge([{ ...run, cost: 0 }])).toEqual(ok);
      }
    });

    test('a run goes on however far its counts lie apart, until nothing is counted for its whole length', async () => {
      const { clock, store, takeTimes } = await opened();
      await takeTimes(1, [run]);
      clock.pass(99);
      await takeTimes(1, [run]);
      clock.pass(99);
      await takeTimes(1, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      clock.pass(99.999);
      await takeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
      clock.pass(100);
      await takeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
    });

    test('clear deletes a counter with its lockouts, and no other', async () => {
      const { store, takeTimes } = await opened();
      await takeTimes(3, [run, three]);
      await store.clear('run');
      await store.clear('never counted');
      await takeTimes(3, [run]);
      expect(await store.charge([run])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      expect(await store.charge([three])).toEqual({ ok: false, retryAfter: 10, failedIndex: 0 });
    });

    test('a run stands, and can be cleared, however many others have come and gone since', async () => {
      const { clock, store, takeTimes } = await opened();
      const longRun = { ...run, limit: 10 };
      const others = async (): Promise<void> => {
        for (let other = 0; other < 3; other++) {
          clock.pass(30);
          await takeTimes(1, [{ key: `other at ${clock.milliseconds}`, limit: 1, seconds: run.seconds }]);
        }
      };
      for (let at = 0; at < 10; at++) {
        await takeTimes(1, [longRun]);
        if (at < 9) await others();
      }
      expect(await store.charge([longRun])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
      await others();
      await takeTimes(9, [longRun]);
      await others();
      await store.clear(run.key);
      await takeTimes(10, [longRun]);
      expect(await store.charge([longRun])).toEqual({ ok: false, retryAfter: 5, failedIndex: 0 });
    });

    test('of many concurrent calls as many pass as the limit allows', async () => {
      const { store } = await opened();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => store.charge([five, { ...five, key: 'other' }])),
      );
      expect(answers.filter(answer => answer.ok)).toHaveLength(5);
    });

    test.each<[string, CounterCharge[]]>([
      ['a cost above the limit, which no waiting helps', [{ ...three, cost: 4 }]],
      ['a negative cost', [{ ...three, cost: -1 }]],
      ['half a cost', [{ ...three, cost: 0.5 }]],
      ['a key twice in a call', [three, five, three]],
      ['a run that is charged two at once', [{ ...run, cost: 2 }]],
      ['a run without a pause', [{ ...run, lockoutSeconds: [] }]],
      ['a pause that outlasts its run', [{ ...run, lockoutSeconds: [101] }]],
    ])('refuses %s', async (_, counts) => {
      const { store } = await opened();
      await expect(store.charge(counts)).rejects.toThrow(RangeError);
      expect(await store.charge([three, five, run])).toEqual(ok);
    });

    test('does what the model does, whatever is taken, waited for and cleared', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands(), { maxCommands: 60 }), async script => {
          const { clock, store } = await opened();
          await fc.asyncModelRun(() => ({ model: new Model(), real: { clock, store } }), script);
        }),
        { numRuns: 300 },
      );
    });
  });
}

/**
 * The same promises, said the other way round: keeps every charge there ever was and works each answer out from the history.
 */
class Model {
  readonly history = new Map<string, { at: number; cost: number }[]>();

  answer(counts: CounterCharge[], now: number): ChargeResult {
    const waits = counts.map(one => (one.lockoutSeconds ? this.pauseLeft(one, now) : this.windowLeft(one, now)));
    const longest = Math.max(...waits);
    if (longest > 0) return { ok: false, retryAfter: Math.ceil(longest / 1000), failedIndex: waits.indexOf(longest) };
    for (const { key, cost = 1 } of counts) {
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
      // The promise itself, for every window there ever was.
      expect(used).toBeLessThanOrEqual(limit);
    }
    const left = start + seconds * 1000 - now;
    return left > 0 && used + Math.max(cost, 1) > limit ? left : 0;
  }

  private pauseLeft({ key, limit, seconds, lockoutSeconds = [] }: CounterCharge, now: number): number {
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
  readonly counts: CounterCharge[];
  constructor(counts: CounterCharge[]) {
    this.counts = counts;
  }
  check = () => true;
  async run(model: Model, { clock, store }: Real): Promise<void> {
    expect(await store.charge(this.counts)).toEqual(model.answer(this.counts, clock.milliseconds));
  }
  toString = () => `take ${this.counts.map(({ key, cost = 1 }) => `${cost} of ${key}`).join(', ')}`;
}

/** Takes; when refused waits a second less than told, is refused again, waits for the rest, and gets it. */
class WaitAsTold implements fc.AsyncCommand<Model, Real> {
  readonly counts: CounterCharge[];
  constructor(counts: CounterCharge[]) {
    this.counts = counts;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const first = await this.take(model, real);
    if (first.ok) return;
    real.clock.pass(first.retryAfter - 1);
    expect(await this.take(model, real)).toMatchObject({ ok: false, retryAfter: 1 });
    real.clock.pass(1);
    expect(await this.take(model, real)).toEqual(ok);
  }
  private async take(model: Model, { clock, store }: Real): Promise<ChargeResult> {
    const answer = await store.charge(this.counts);
    expect(answer).toEqual(model.answer(this.counts, clock.milliseconds));
    return answer;
  }
  toString = () => `wait as told for ${this.counts.map(({ key, cost = 1 }) => `${cost} of ${key}`).join(', ')}`;
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
  const counts = fc
    .subarray(kinds, { minLength: 1 })
    .chain(chosen =>
      fc.tuple(
        ...chosen.map(one =>
          fc.integer({ min: 0, max: one.lockoutSeconds ? 1 : one.limit }).map(cost => ({ ...one, cost })),
        ),
      ),
    );
  const single = fc.constantFrom(...kinds).map(one => [one]);
  return [
    counts.map(chosen => new Take(chosen)),
    single.map(chosen => new Take(chosen)),
    single.map(chosen => new Take(chosen)),
    fc.oneof(counts, single).map(chosen => new WaitAsTold(chosen)),
    // The ends of windows and pauses to the millisecond, and anything between.
    fc.constantFrom(1, 4999, 5000, 9999, 10_000, 20_000, 59_999, 60_000, 99_999, 100_000).map(time => new Pass(time)),
    fc.integer({ min: 1, max: 15_000 }).map(time => new Pass(time)),
    fc.constantFrom(...kinds).map(({ key }) => new Clear(key)),
  ];
}
