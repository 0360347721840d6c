import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  AdmissionResult,
  CounterChange,
  CounterCharge,
  RateLimitStore,
  Slot,
} from '../../src/limits/rate-limit-store.ts';
import { FakeClock, type StoreFactory } from './rate-limit-store-conformance.ts';

const three: CounterCharge = { key: 'three', limit: 3, seconds: 10 };
const five: CounterCharge = { key: 'five', limit: 5, seconds: 60 };
const slotOf = (id: string): Slot => ({ key: 'slots', id, limit: 2, seconds: 30 });

/** Requirements on every store for admitting and releasing a request with a slot. */
export function describeAdmissions(name: string, open: StoreFactory): void {
  const openStore = async () => {
    const clock = new FakeClock();
    const store = await open(clock.now);
    let ids = 0;
    const admit = (charges: CounterCharge[], id = `id ${ids++}`, owner = 'ann'): Promise<AdmissionResult> =>
      store.admit({ owner, charges, slot: slotOf(id) });
    const release = (id: string, changes: CounterChange[] = [], owner = 'ann') =>
      store.release({ owner, slot: slotOf(id), changes });
    /** Reads counters without charging them and without taking a slot. */
    const peek = async (...counters: CounterCharge[]) =>
      (await store.admit({ owner: 'ann', charges: counters.map(counter => ({ ...counter, peek: true })) })).states;
    return { clock, store, admit, release, peek };
  };

  describe(name, () => {
    test('charges all counters, takes a slot, and returns the state of each counter', async () => {
      const { clock, admit, peek } = await openStore();
      const start = clock.milliseconds;
      expect(await peek(three)).toEqual([{ used: 0, endsAt: start + 10_000 }]);
      const states = [
        { used: 1, endsAt: start + 10_000 },
        { used: 2, endsAt: start + 60_000 },
      ];
      expect(await admit([three, { ...five, cost: 2 }])).toEqual({ ok: true, states });
      clock.pass(4);
      expect(await peek(three, five)).toEqual(states);
    });

    test('charges nothing if no slot is free, and takes no slot if a counter is full', async () => {
      const { clock, admit, release, peek } = await openStore();
      const start = clock.milliseconds;
      await admit([], 'a');
      await admit([], 'b');
      expect(await admit([three])).toEqual({
        ok: false,
        retryAfter: 5,
        failedIndex: 1,
        states: [{ used: 0, endsAt: start + 10_000 }],
      });
      await release('a');
      const full = { ...three, key: 'full', limit: 1 };
      await admit([full], 'c');
      await release('c');
      for (let at = 0; at < 5; at++)
        expect(await admit([full])).toMatchObject({ ok: false, retryAfter: 10, failedIndex: 0 });
      expect(await admit([three], 'd')).toMatchObject({ ok: true });
      expect(await peek(three)).toEqual([{ used: 1, endsAt: start + 10_000 }]);
    });

    test('expires slots that are not released, and keeps renewed ones', async () => {
      const { clock, store, admit } = await openStore();
      await admit([], 'killed');
      await admit([], 'long');
      clock.pass(20);
      await store.renew('ann', slotOf('long'));
      clock.pass(9.999);
      expect(await admit([])).toMatchObject({ ok: false, failedIndex: 0 });
      clock.pass(0.001);
      expect(await admit([], 'next')).toMatchObject({ ok: true });
      expect(await admit([])).toMatchObject({ ok: false, failedIndex: 0 });
      await store.renew('ann', slotOf('killed'));
      clock.pass(20);
      expect(await admit([])).toMatchObject({ ok: true });
    });

    test('changes counters of a running request, whose slot stays', async () => {
      const { clock, store, admit, release, peek } = await openStore();
      const start = clock.milliseconds;
      await admit([three], 'a');
      await admit([three], 'b');
      await store.change('ann', [{ key: 'five', seconds: 60, amount: 4 }]);
      await store.change('ann', [{ key: 'five', seconds: 60, amount: 3 }]);
      expect(await peek(five)).toEqual([{ used: 7, endsAt: start + 60_000 }]);
      expect((await admit([], 'c')).ok).toBe(false);
      await release('a');
      expect((await admit([five], 'd')).ok).toBe(false);
    });

    test('releases a slot once, however often it is released', async () => {
      const { admit, release } = await openStore();
      await admit([], 'a');
      await admit([], 'b');
      for (let at = 0; at < 3; at++) await release('unknown');
      expect(await admit([])).toMatchObject({ ok: false });
      await release('a');
      await release('a');
      expect(await admit([], 'c')).toMatchObject({ ok: true });
      expect(await admit([])).toMatchObject({ ok: false });
    });

    test('keeps owners apart', async () => {
      const { admit } = await openStore();
      await admit([{ ...three, cost: 3 }], 'a');
      await admit([], 'b');
      expect(await admit([three], 'a', 'bob')).toMatchObject({ ok: true });
    });

    test('adds usage beyond the limit and then rejects until the counter ends', async () => {
      const { clock, admit, release } = await openStore();
      const free = { ...three, cost: 0 };
      await admit([free], 'a');
      await release('a', [{ key: 'three', seconds: 10, amount: 7 }]);
      expect(await admit([free])).toMatchObject({ ok: false, retryAfter: 10, states: [{ used: 7 }] });
      clock.pass(10);
      expect(await admit([free])).toMatchObject({ ok: true, states: [{ used: 0 }] });
    });

    test('refunds the counter that was charged and never a later one', async () => {
      const { clock, admit, release, peek } = await openStore();
      const { states } = await admit([{ ...three, cost: 3 }], 'a');
      const back = { key: 'three', seconds: 10, amount: -2, endsAt: states[0]?.endsAt ?? 0 };
      await release('a', [back]);
      expect(await peek(three)).toEqual([{ used: 1, endsAt: back.endsAt }]);
      clock.pass(10);
      await admit([{ ...three, cost: 3 }], 'b');
      await release('b', [back]);
      expect(await peek(three)).toMatchObject([{ used: 3 }]);
    });

    test('deletes a counter that is refunded to 0', async () => {
      const { clock, admit, release, peek } = await openStore();
      const { states } = await admit([three], 'a');
      await release('a', [{ key: 'three', seconds: 10, amount: -1, endsAt: states[0]?.endsAt ?? 0 }]);
      clock.pass(4);
      expect(await peek(three)).toEqual([{ used: 0, endsAt: clock.milliseconds + 10_000 }]);
    });

    test('reads without charging and without rejecting, full or not', async () => {
      const { admit, peek } = await openStore();
      await admit([{ ...three, cost: 3 }], 'a');
      expect(await admit([{ ...three, peek: true }], 'b')).toMatchObject({ ok: true, states: [{ used: 3 }] });
      expect(await peek(three)).toMatchObject([{ used: 3 }]);
    });

    test('rejects no caller when the clock is set back, and expires everything when it is set forward', async () => {
      const { clock, admit } = await openStore();
      await admit([{ ...three, cost: 3 }], 'a');
      await admit([], 'b');
      clock.pass(-365 * 86_400);
      expect(await admit([{ ...three, cost: 3 }], 'c')).toMatchObject({ ok: true, states: [{ used: 3 }] });
      clock.pass(365 * 86_400);
      expect(await admit([{ ...three, cost: 3 }], 'd')).toMatchObject({ ok: true, states: [{ used: 3 }] });
    });

    test('admits exactly as many concurrent requests as there are slots', async () => {
      const { admit } = await openStore();
      const results = await Promise.all(Array.from({ length: 50 }, () => admit([five])));
      expect(results.filter(result => result.ok)).toHaveLength(2);
    });

    test('equals the model for random sequences of admissions, releases, renewals and waits', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands(), { maxCommands: 60 }), async script => {
          const { clock, store } = await openStore();
          await fc.asyncModelRun(() => ({ model: new Model(), real: { clock, store } }), script);
        }),
        { numRuns: 200 },
      );
    });
  });
}

interface Charge {
  at: number;
  cost: number;
}

/** Reference model: keeps all charges and slot holders, and recomputes every decision from them. */
class Model {
  readonly charges = new Map<string, Charge[]>();
  readonly holders = new Map<string, number>();
  next = 0;

  activeHolders(now: number): string[] {
    return [...this.holders].filter(([, until]) => until > now).map(([id]) => id);
  }

  /** The charges of the current window; undefined without one. */
  window(
    { key, seconds }: CounterCharge,
    now: number,
  ): { used: number; endsAt: number; charges: Charge[] } | undefined {
    let open: { used: number; endsAt: number; charges: Charge[] } | undefined;
    for (const charge of this.charges.get(key) ?? []) {
      if (!open || charge.at >= open.endsAt) open = { used: 0, endsAt: charge.at + seconds * 1000, charges: [] };
      open.used += charge.cost;
      open.charges.push(charge);
    }
    return open && now < open.endsAt && open.used > 0 ? open : undefined;
  }

  decide(counters: readonly CounterCharge[], now: number): { ok: boolean; failed: number } {
    let longest = 0;
    let failed = -1;
    for (const [at, counter] of counters.entries()) {
      const { used, endsAt } = this.window(counter, now) ?? { used: 0, endsAt: now };
      const wait = used + Math.max(counter.cost ?? 1, 1) > counter.limit ? endsAt - now : 0;
      if (wait > longest) [longest, failed] = [wait, at];
    }
    if (longest < 5000 && this.activeHolders(now).length >= 2) failed = counters.length;
    return { ok: failed < 0, failed };
  }

  charge(key: string, cost: number, at: number): void {
    if (cost > 0) this.charges.set(key, [...(this.charges.get(key) ?? []), { at, cost }]);
  }
}

interface Real {
  clock: FakeClock;
  store: RateLimitStore;
}
type Command = fc.AsyncCommand<Model, Real>;

class Admit implements Command {
  readonly counters: CounterCharge[];
  constructor(counters: CounterCharge[]) {
    this.counters = counters;
  }
  check = () => true;
  async run(model: Model, { clock, store }: Real): Promise<void> {
    const now = clock.milliseconds;
    const id = `request ${model.next++}`;
    const expected = model.decide(this.counters, now);
    const answer = await store.admit({ owner: 'ann', charges: this.counters, slot: slotOf(id) });
    expect({ ok: answer.ok, failed: answer.ok ? -1 : answer.failedIndex }).toEqual(expected);
    if (expected.ok) {
      for (const { key, cost = 1 } of this.counters) model.charge(key, cost, now);
      model.holders.set(id, now + 30_000);
    }
    const states = this.counters.map(counter => {
      const { used, endsAt } = model.window(counter, now) ?? { used: 0, endsAt: now + counter.seconds * 1000 };
      return { used, endsAt };
    });
    expect(answer.states).toEqual(states);
  }
  toString = () => `admit ${this.counters.map(({ key, cost = 1 }) => `${cost} of ${key}`).join(', ')}`;
}

/** Releases the oldest admitted request, with additional usage or a refund. */
class Release implements Command {
  readonly count: CounterCharge;
  readonly amount: number;
  constructor(count: CounterCharge, amount: number) {
    this.count = count;
    this.amount = amount;
  }
  check = (model: Readonly<Model>) => model.holders.size > 0;
  async run(model: Model, { clock, store }: Real): Promise<void> {
    const now = clock.milliseconds;
    const [id = ''] = model.holders.keys();
    model.holders.delete(id);
    const { key, seconds } = this.count;
    const open = model.window(this.count, now);
    const change = { key, seconds, amount: this.amount, ...(this.amount < 0 ? { endsAt: open?.endsAt ?? 0 } : {}) };
    await store.release({ owner: 'ann', slot: slotOf(id), changes: [change] });
    if (this.amount > 0) model.charge(key, this.amount, now);
    else if (open) {
      const [first] = open.charges;
      const left = Math.max(0, open.used + this.amount);
      const before = (model.charges.get(key) ?? []).filter(charge => !open.charges.includes(charge));
      model.charges.set(key, left > 0 && first ? [...before, { at: first.at, cost: left }] : before);
    }
  }
  toString = () => `release, ${this.amount} of ${this.count.key}`;
}

class Renew implements Command {
  check = (model: Readonly<Model>) => model.holders.size > 0;
  async run(model: Model, { clock, store }: Real): Promise<void> {
    const [id = '', until = 0] = [...model.holders].at(-1) ?? [];
    await store.renew('ann', slotOf(id));
    // An expired slot may or may not have been deleted; gateways do not renew that late.
    if (until > clock.milliseconds) model.holders.set(id, clock.milliseconds + 30_000);
    else model.holders.delete(id);
    if (until <= clock.milliseconds) await store.release({ owner: 'ann', slot: slotOf(id), changes: [] });
  }
  toString = () => 'renew';
}

class Pass implements Command {
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

function commands(): fc.Arbitrary<Command>[] {
  const kinds = [three, five];
  const counters = fc
    .subarray(kinds)
    .chain(chosen =>
      fc.tuple(
        ...chosen.map(counter => fc.integer({ min: 0, max: counter.limit }).map(cost => ({ ...counter, cost }))),
      ),
    );
  return [
    counters.map(chosen => new Admit(chosen)),
    counters.map(chosen => new Admit(chosen)),
    fc
      .tuple(fc.constantFrom(...kinds), fc.integer({ min: -3, max: 8 }))
      .map(([counter, by]) => new Release(counter, by || 1)),
    fc.constant(new Renew()),
    fc.constantFrom(1, 5000, 9999, 10_000, 29_999, 30_000, 60_000).map(time => new Pass(time)),
    fc.integer({ min: 1, max: 15_000 }).map(time => new Pass(time)),
  ];
}
