import { test } from '@jest/globals';
import type { GitWorld } from '../git/worlds.ts';
import { type Call, type Cost, leastCost, measure } from './measure.ts';

/** A function over user data, and a shape of its input. */
export interface Case {
  /** The shape. */
  name: string;
  /** The exports that the case is for, as `exported` writes them. */
  covers: readonly string[];
  /**
   * Sizes of the input. Growth is measured from `from` on, doubled until a call takes long enough; the longest slice is measured at
   * `largest`, which the limits of the product decide.
   */
  sizes: { from: number; largest: number } | BudgetedSizes;
  /** Where the product runs it: on a thread or in a process of its own it needs no turns of the event loop. */
  place?: 'worker';
  /** Builds the input of this size, and returns the call. It is called several times with one input. */
  prepare(size: number, world: GitWorld): Call | Promise<Call>;
}

/**
 * For work that is not linear in the size of its input, and that a budget ends: the CPU time at every size is limited, instead of its
 * growth. Sizes are close to each other, so that a function without a budget fails before it takes minutes.
 */
export interface BudgetedSizes {
  steps: readonly number[];
  maxCpuMs: number;
}

/** Names of exports for `covers`. `file`: path from the root of the project. */
export function exported(file: string, ...names: string[]): string[] {
  return names.map(name => `${file}#${name}`);
}

const limits = {
  /** CPU time of 2n in terms of n; 2 is linear, and n log n is below 2.3. */
  growth: 2.5,
  /** The same from the judged sizes to the largest one, whose data may be in no cache of the processor. */
  growthToLargest: 3,
  /** Longest time without a turn of the event loop. */
  sliceMs: 50,
};

/** Doublings that must all exceed the growth: a single one does where the data outgrows a cache of the processor. */
const judgedDoublings = 3;
/** Shorter calls are not judged. */
const floorMs = 5;
/** A call that takes as long is sufficient to judge growth. */
const sufficientMs = 50;
/** Above this the largest input is not tried. */
const maxTriedMs = 4_000;
/** Measurements of what fails, of which the least counts, and how far above its limit noise can lift a figure. */
const maxAttempts = 4;
const maxNoise = 4;
/** The limits of CPU time are those of a core that takes this long for `referenceMs`; slower cores have more, in proportion. */
const referenceCoreMs = 70;
const maxSlowness = 3;

/** CPU time of work like that of a request: keys, a Map, JSON and an order. The least of some runs. */
async function referenceMs(): Promise<number> {
  const work = (): void => {
    const all = new Map<string, object>();
    for (let at = 0; at < 100_000; at++) all.set(`key${at}`, { at, text: `x${at}` });
    const list = JSON.parse(JSON.stringify([...all])) as [string, object][];
    list.sort(([one], [other]) => (one < other ? -1 : 1));
  };
  return (await measure(work, 5, Number.POSITIVE_INFINITY)).cpuMs;
}

let slowness: Promise<number> | undefined;

/** How much slower this core is than the one of the limits: 1 to 3. Measured once for a file. */
function coreSlowness(): Promise<number> {
  slowness ??= referenceMs().then(ms => Math.min(maxSlowness, Math.max(1, ms / referenceCoreMs)));
  return slowness;
}

interface SizedCost extends Cost {
  size: number;
  call: Call;
}

/** Declares one test for each case. */
export function testCases(cases: readonly Case[], world?: GitWorld): void {
  test.each(cases.map(one => [one.name, one] as const))('%s', async (_, one) => {
    const failure = await findFailure(one, world);
    if (failure !== undefined) throw new Error(`${one.name}: ${failure}`);
  });
}

/** Why a case fails; undefined when its costs are within the limits. */
export async function findFailure(one: Case, world?: GitWorld): Promise<string | undefined> {
  const measureAt = async (size: number): Promise<SizedCost> => {
    const call = await one.prepare(size, world as GitWorld);
    return { size, call, ...(await measure(call, 2)) };
  };
  const costs =
    'steps' in one.sizes
      ? await budgetedCosts(one.sizes, measureAt)
      : await growingCosts(one.sizes, one.place, measureAt);
  if (typeof costs === 'string') return costs;
  if (costs[0]?.refused !== undefined) return `The smallest input is refused: ${costs[0].refused}`;
  const last = costs.at(-1) as SizedCost;
  if (one.place === 'worker') return undefined;
  const maxSliceMs = limits.sliceMs * (await coreSlowness());
  await remeasure([last], () => last.sliceMs / maxSliceMs);
  if (last.sliceMs <= maxSliceMs) return undefined;
  return `One slice takes ${Math.round(last.sliceMs)} ms at the largest input. ${describe(costs)}`;
}

type MeasureAt = (size: number) => Promise<SizedCost>;

async function budgetedCosts(sizes: BudgetedSizes, measureAt: MeasureAt): Promise<SizedCost[] | string> {
  const maxCpuMs = Math.round(sizes.maxCpuMs * (await coreSlowness()));
  const costs: SizedCost[] = [];
  for (const size of sizes.steps) {
    const cost = await measureAt(size);
    costs.push(cost);
    await remeasure([cost], () => cost.cpuMs / maxCpuMs);
    if (cost.cpuMs > maxCpuMs) return `More than ${maxCpuMs} ms of CPU time. ${describe(costs)}`;
  }
  return costs;
}

/** The costs of growing inputs, that of the largest one last. */
async function growingCosts(
  { from, largest }: { from: number; largest: number },
  place: Case['place'],
  measureAt: MeasureAt,
): Promise<SizedCost[] | string> {
  const costs: SizedCost[] = [];
  for (let size = from; ; size *= 2) {
    costs.push(await measureAt(Math.min(size, largest)));
    if (size >= largest || !needsLarger(costs)) break;
  }
  // What a limit refuses costs about the same at every size.
  const judged = costs.filter(({ refused }) => refused === undefined).slice(-1 - judgedDoublings);
  await remeasure(judged, () => growthOf(judged) / limits.growth);
  const growth = growthOf(judged);
  if (growth > limits.growth) return `CPU time grows ${growth.toFixed(1)} times per doubling. ${describe(costs)}`;
  const last = costs.at(-1) as SizedCost;
  if (last.size === largest || place === 'worker') return costs;
  const expectedMs = last.cpuMs * (last.refused === undefined ? largest / last.size : 1);
  if (expectedMs > 2 * maxTriedMs) {
    return `About ${Math.round(expectedMs / 1000)} s of CPU time at ${largest}. ${describe(costs)}`;
  }
  costs.push(await measureAt(largest));
  const [before] = costs.filter(({ size, cpuMs }) => size <= largest / 4 && cpuMs >= floorMs).slice(-1);
  const growthToLargest = growthOf([...(before ? [before] : []), ...costs.slice(-1)]);
  if (growthToLargest <= limits.growthToLargest || costs.at(-1)?.refused !== undefined) return costs;
  return `CPU time grows ${growthToLargest.toFixed(1)} times per doubling up to the largest input. ${describe(costs)}`;
}

/** Whether growth cannot be judged yet: also where a part that grows faster may have begun to dominate. */
function needsLarger(costs: readonly SizedCost[]): boolean {
  const { cpuMs } = costs.at(-1) as SizedCost;
  if (cpuMs > maxTriedMs / 4) return false;
  if (cpuMs < sufficientMs || costs.length <= judgedDoublings) return true;
  return growthOf(costs.slice(-2)) > limits.growth && growthOf(costs.slice(-1 - judgedDoublings)) <= limits.growth;
}

/** Measures again what is a little above its limit. `excess`: the figure in terms of the limit. */
async function remeasure(costs: readonly SizedCost[], excess: () => number): Promise<void> {
  for (let attempt = 1; attempt < maxAttempts && excess() > 1 && excess() < maxNoise; attempt++) {
    for (const cost of costs) Object.assign(cost, leastCost(cost, await measure(cost.call, 1)));
  }
}

/** The least factor of CPU time per doubling between neighbours. */
function growthOf(costs: readonly SizedCost[]): number {
  const factors = costs.slice(1).flatMap(({ size, cpuMs }, at) => {
    const before = costs[at] as SizedCost;
    return size === before.size ? [] : (cpuMs / Math.max(before.cpuMs, 0.001)) ** (1 / Math.log2(size / before.size));
  });
  const last = costs.at(-1);
  return last && last.cpuMs >= floorMs && factors.length > 0 ? Math.min(...factors) : 1;
}

function describe(costs: readonly SizedCost[]): string {
  return costs
    .map(({ size, cpuMs, sliceMs, refused }) => {
      const shown = cpuMs < 10 ? cpuMs.toFixed(1) : Math.round(cpuMs);
      return `${size}: ${shown} ms (slice ${Math.round(sliceMs)})${refused === undefined ? '' : ' refused'}`;
    })
    .join(', ');
}
