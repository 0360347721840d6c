import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { serviceUnavailable } from '../errors/errors.ts';
import type { Computation, Isolation, WorkInput, WorkSource } from './computation.ts';
import { fromSentError } from './work-errors.ts';
import { WorkProcessEnded, WorkProcessUnstarted } from './work-process.ts';
import { type WorkProcesses, WorkProcessesBusy, type WorkQueueLimits, type WorkResult } from './work-processes.ts';

/**
 * Work that a computation may do in this process, in slices, before it begins again in another one. Most computations are over by
 * then: a comparison of 200 commits and 120 files takes 36 ms. What takes longer pays this once: its next run goes to a process at once.
 */
const defaultTrialMs = 50;
/** A process is given this much longer than the budget, so that the budget ends the work with its own error. */
const graceMs = 1_000;
/** Computations that are known to be heavy: they go to a process at once. 200 bytes each. */
const maxKnown = 2_000;

/** For whom computations run. */
export interface WorkCaller {
  /** Callers share the processes fairly. */
  key: string;
  limits: WorkQueueLimits;
  /** Longest time of one computation. */
  deadlineMs: number;
  /** Called with the CPU time of other processes, in microseconds. */
  charge(cpuMicroseconds: number): void;
}

/** Queue of the computations of requests. A caller waits behind itself: twenty of half a second take ten. */
export const requestQueue: WorkQueueLimits = { maxQueued: 500, maxQueuedPerKey: 50, maxQueueMs: 20_000 };
/** Queue of those of jobs, whose number is bounded by the concurrency of their tasks. */
const jobQueue: WorkQueueLimits = {
  maxQueued: Number.POSITIVE_INFINITY,
  maxQueuedPerKey: Number.POSITIVE_INFINITY,
  maxQueueMs: Number.POSITIVE_INFINITY,
};

/** All jobs are one caller, who is charged nothing. The budgets of their computations have at most ten seconds. */
export const jobCaller: WorkCaller = { key: 'jobs', limits: jobQueue, deadlineMs: 60_000, charge() {} };

/** The processes of one gateway, and what it knows of the computations that ran in them. */
export class IsolatedWork {
  readonly processes: WorkProcesses;
  readonly #trialMs: number;
  readonly #heavy = new LRUCache<string, true>({ max: maxKnown });
  /** Computations that are tried in this process now; the value is undefined for a heavy one. */
  readonly #trials = new Map<string, Promise<{ value: unknown } | undefined>>();
  /** Computations that run in a process now: callers that ask for the same wait for it. */
  readonly #shared = new Map<string, SharedRun>();

  /** `trialMs`: see above; 0 sends every computation to a process. */
  constructor(processes: WorkProcesses, { trialMs = defaultTrialMs }: { trialMs?: number } = {}) {
    this.processes = processes;
    this.#trialMs = trialMs;
  }

  /** Where the computations of one caller run. */
  for(caller: WorkCaller): Isolation {
    return { run: (computation, input, source) => this.#run(caller, computation, input, source) };
  }

  async #run<Input extends WorkInput, Output>(
    caller: WorkCaller,
    computation: Computation<Input, Output>,
    input: Input,
    source: WorkSource,
  ): Promise<Output> {
    if (!this.processes.areAvailable) return computation.run(source, input);
    const key = keyOf(computation.name, input);
    if (this.#trialMs > 0 && !this.#heavy.has(key)) {
      const trial = await this.#tryHere(key, computation, input, source);
      if (trial) return trial.value;
      this.#heavy.set(key, true);
    }
    try {
      return await this.#runElsewhere(caller, key, { name: computation.name, input }, source);
    } catch (error) {
      if (error instanceof WorkProcessUnstarted) return computation.run(source, input);
      throw error;
    }
  }

  /** As `runTrial`; callers that ask for the same wait for one trial. */
  async #tryHere<Input extends WorkInput, Output>(
    key: string,
    computation: Computation<Input, Output>,
    input: Input,
    source: WorkSource,
  ): Promise<{ value: Output } | undefined> {
    for (let shared = this.#trials.get(key); shared; shared = this.#trials.get(key)) {
      // As for a process: the failure of another caller is not that of this one.
      const tried = await shared.catch(() => 'failed' as const);
      if (tried !== 'failed') return tried as { value: Output } | undefined;
    }
    const trial = runTrial(computation, input, source, this.#trialMs);
    this.#trials.set(key, trial);
    try {
      return await trial;
    } finally {
      if (this.#trials.get(key) === trial) this.#trials.delete(key);
    }
  }

  async #runElsewhere<Output>(
    caller: WorkCaller,
    key: string,
    order: { name: string; input: WorkInput },
    { workBudget }: WorkSource,
  ): Promise<Output> {
    const { signal } = workBudget;
    const { max, left: all, settings } = workBudget.state;
    const left = { ...all, milliseconds: Math.min(all.milliseconds, caller.deadlineMs) };
    for (let shared = this.#shared.get(key); shared; shared = this.#shared.get(key)) {
      // The failure of another caller is not that of this one, whose budget and luck differ.
      const done = await shared.wait(signal).catch(() => undefined);
      signal?.throwIfAborted();
      if (done && 'value' in done.result) return done.result.value as Output;
    }
    const run = new SharedRun(end =>
      this.processes.run({
        key: caller.key,
        task: caller.limits,
        order: { kind: 'run', ...order, budget: { max, left, settings } },
        deadlineMs: left.milliseconds + graceMs,
        signal: end,
      }),
    );
    this.#shared.set(key, run);
    try {
      const { left: rest, cpuMicroseconds, result } = await run.wait(signal);
      caller.charge(cpuMicroseconds);
      signal?.throwIfAborted();
      workBudget.spendLike(left, rest);
      workBudget.endWait();
      if ('error' in result) throw fromSentError(result.error);
      if (cpuMicroseconds < (this.#trialMs * 1000) / 4) this.#heavy.delete(key);
      return result.value as Output;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WorkProcessesBusy)
        throw serviceUnavailable({ reason: 'work_busy' }, 'Too much heavy work waits. Try again later.');
      if (error instanceof WorkProcessEnded) {
        caller.charge(error.ranMs * 1000);
        throw serviceUnavailable({ reason: 'work_ended' }, 'The work for this answer was ended. Try again later.');
      }
      throw error;
    } finally {
      if (this.#shared.get(key) === run) this.#shared.delete(key);
    }
  }
}

/** A computation in a process, and those who wait for it: it is ended when the last of them has left. */
class SharedRun {
  readonly #result: Promise<WorkResult>;
  readonly #end = new AbortController();
  #waiting = 0;

  constructor(start: (end: AbortSignal) => Promise<WorkResult>) {
    this.#result = start(this.#end.signal);
  }

  async wait(signal: AbortSignal | undefined): Promise<WorkResult> {
    this.#waiting++;
    const leave = (): void => {
      if (--this.#waiting === 0) this.#end.abort();
    };
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    try {
      return await this.#result;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }
}

/** Inputs may be long lists. */
const keyOf = (name: string, input: WorkInput): string =>
  createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64');

/** The result of a computation that needs less than `trialMs`; undefined for another one. @throws as the computation */
async function runTrial<Input extends WorkInput, Output>(
  computation: Computation<Input, Output>,
  input: Input,
  { read, workBudget }: WorkSource,
  trialMs: number,
): Promise<{ value: Output } | undefined> {
  const hasTime = workBudget.state.left.milliseconds > trialMs;
  return workBudget.spendPart({ milliseconds: trialMs }, async part => {
    // What has a sign for a spent budget returns a part of the answer, without an error.
    const isHeavy = (): boolean => hasTime && part.state.left.milliseconds < 0;
    try {
      const value = await computation.run({ read, workBudget: part }, input);
      return isHeavy() ? undefined : { value };
    } catch (error) {
      if (isHeavy()) return undefined;
      throw error;
    }
  });
}
