import { collectYoungGeneration } from '../../packages/operation-rest/src/collect-garbage.ts';

/** What one call has cost. CPU time is that of the main thread: neither another process nor a worker thread adds to it. */
export interface Cost {
  /** Milliseconds of CPU time. */
  cpuMs: number;
  /** Longest CPU time in milliseconds without a turn of the event loop. */
  sliceMs: number;
  /** Message of the error with which a limit has refused the input. */
  refused: string | undefined;
}

/** A call of the measured function. */
export type Call = () => unknown;

function cpuTimeMs(): number {
  // Linux adds the time of the running thread at each tick, every 4 ms, and when the times of all threads are asked for.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs a call once.
 *
 * Slices are CPU time between two runs of a timer of one millisecond: on a loaded machine wall-clock time counts what others
 * compute, and `monitorEventLoopDelay` as well. The timer takes 0.5 % of the CPU time.
 */
export async function measureOnce(call: Call): Promise<Cost> {
  collectYoungGeneration();
  let sliceMs = 0;
  const start = cpuTimeMs();
  let last = start;
  const endSlice = (): void => {
    const now = cpuTimeMs();
    sliceMs = Math.max(sliceMs, now - last);
    last = now;
  };
  const timer = setInterval(endSlice, 1);
  try {
    const refused = await refusalOf(call);
    endSlice();
    return { cpuMs: last - start, sliceMs, refused };
  } finally {
    clearInterval(timer);
  }
}

/**
 * The least cost of several runs: what is above it is noise, such as a major collection or code that is not optimised yet. Calls of more than
 * `maxRepeatedMs` are not repeated: they are above the noise.
 */
export async function measure(call: Call, repeats: number, maxRepeatedMs = 100): Promise<Cost> {
  let best = await measureOnce(call);
  for (let run = 1; run < repeats && best.cpuMs < maxRepeatedMs; run++) best = leastCost(best, await measureOnce(call));
  return best;
}

export function leastCost(one: Cost, other: Cost): Cost {
  return {
    cpuMs: Math.min(one.cpuMs, other.cpuMs),
    sliceMs: Math.min(one.sliceMs, other.sliceMs),
    refused: one.refused ?? other.refused,
  };
}

/** Undefined when the call succeeds. @throws errors that are no answer to an input: defects, and those of PostgreSQL */
async function refusalOf(call: Call): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const isDefect = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    if (!(error instanceof Error) || isDefect || 'severity' in error) throw error;
    return error.message;
  }
}
