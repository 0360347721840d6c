import { availableParallelism } from 'node:os';
import type { ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { FairQueue } from './fair-queue.ts';
import { monotonicMs, type WorkerRun } from './worker-program.ts';
import { programBeside, type WorkerOutcome, type WorkerTask } from './worker-task.ts';

/** Maximum time for a thread to start and load its program. It does not count towards the deadline of a run. */
const maxStartMs = 30_000;
/** Interval of checks whether a run has begun to execute. */
const startPollMs = 20;
/** Idle time after which a thread ends. */
const idleMs = 30_000;
/**
 * Heap limits of one thread. At the limit Node.js grants a thread 16 MB more and asks it to stop; a single larger allocation
 * crashes the process. Of eight allocation patterns seven crashed the process with the default young generation, and two with
 * 16 MB (a large Map, arrays that double). Deadlines and input sizes are therefore the actual protection. Rejected: a child
 * process per run, which isolates completely but takes 40 ms to start.
 */
const defaultHeap: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
/** Niceness added to threads, so that the main thread has priority. Linux only: elsewhere niceness belongs to the process. */
const niceIncrement = process.platform === 'linux' ? 10 : 0;

interface RunOptions {
  /** The caller or object it runs for: at most one run per key executes at a time, and keys share the threads fairly. */
  key?: string;
  /** At most that of the task. */
  deadlineMs?: number;
}

interface Run {
  task: WorkerTask<unknown, unknown>;
  key: string;
  input: unknown;
  deadlineMs: number;
  queueTimer?: NodeJS.Timeout;
  resolve(outcome: WorkerOutcome<unknown>): void;
  reject(error: unknown): void;
}

/**
 * Worker threads for CPU work whose amount a caller controls. A run has a deadline, at which its thread is terminated and
 * replaced, a heap limit, and a maximum queue time. Threads start on demand and do not keep the process alive.
 *
 * The pool has its own queue: Piscina's queue ignores its limit for runs with an abort signal and has no keys. Piscina gets a
 * run only when a thread is free.
 */
export class WorkerPool {
  readonly #threads: number;
  readonly #queue = new FairQueue<Run>();
  readonly #running = new Set<Run>();
  readonly #heap: ResourceLimits;
  #piscina: Promise<Piscina> | undefined;

  /** At least two threads: one task may use all but one, so that it never blocks the others. */
  constructor(threads: number = Math.min(4, Math.max(2, availableParallelism())), heap: ResourceLimits = defaultHeap) {
    this.#threads = threads;
    this.#heap = heap;
  }

  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    { key = '', deadlineMs = task.deadlineMs }: RunOptions = {},
  ): Promise<WorkerOutcome<Output>> {
    return new Promise<WorkerOutcome<unknown>>((resolve, reject) => {
      const run: Run = { task: task as WorkerTask<unknown, unknown>, key, input, deadlineMs, resolve, reject };
      if (!this.#queue.hasRoom(run)) {
        resolve({ kind: 'busy' });
        return;
      }
      run.queueTimer = setTimeout(() => {
        this.#queue.remove(run);
        resolve({ kind: 'busy' });
      }, task.maxQueueMs);
      this.#queue.add(run);
      this.#dispatch();
    }) as Promise<WorkerOutcome<Output>>;
  }

  #dispatch(): void {
    while (this.#running.size < this.#threads) {
      const run = this.#queue.take(one => this.#mayRun(one), monotonicMs());
      if (!run) return;
      clearTimeout(run.queueTimer);
      this.#running.add(run);
      this.#execute(run).then(run.resolve, run.reject);
    }
  }

  #mayRun({ task, key }: Run): boolean {
    const running = [...this.#running];
    if (key !== '' && running.some(one => one.key === key)) return false;
    return running.filter(one => one.task === task).length < this.#threads - 1;
  }

  async #execute(run: Run): Promise<WorkerOutcome<unknown>> {
    const startedAt = new Float64Array(new SharedArrayBuffer(8));
    const ending = new AbortController();
    const submittedAt = monotonicMs();
    const stopWatching = watchDeadline(run.deadlineMs, startedAt, () => ending.abort());
    this.#piscina ??= openPiscina(this.#threads, this.#heap);
    try {
      const message: WorkerRun = { program: run.task.program.href, input: run.input, startedAt };
      return { kind: 'done', value: await (await this.#piscina).run(message, { signal: ending.signal }) };
    } catch (error) {
      if (ending.signal.aborted) {
        if (startedAt[0] !== 0) return { kind: 'exhausted', limit: 'time' };
        process.emitWarning(`A thread for ${run.task.name} did not start within ${maxStartMs / 1000} seconds.`);
        return { kind: 'busy' };
      }
      if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return { kind: 'exhausted', limit: 'memory' };
      throw error;
    } finally {
      stopWatching();
      const now = monotonicMs();
      this.#queue.charge(run.key, now - (startedAt[0] || submittedAt), now);
      this.#running.delete(run);
      this.#dispatch();
    }
  }
}

async function openPiscina(threads: number, resourceLimits: ResourceLimits): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  const piscina = new Piscina({
    filename: programBeside(import.meta.url, 'worker-program').href,
    name: 'run',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    niceIncrement,
    recordTiming: false,
    resourceLimits,
    // Threads need neither settings nor secrets.
    env: {},
    execArgv: [],
  });
  // A thread that fails before a run: the timer of the waiting run resolves it.
  piscina.on('error', (error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)));
  return piscina;
}

/** Calls `end` when the run has executed for `deadlineMs` or has not begun within `maxStartMs`. Returns a function that stops watching. */
function watchDeadline(deadlineMs: number, startedAt: Float64Array, end: () => void): () => void {
  const given = monotonicMs();
  const check = (): void => {
    const started = startedAt[0] ?? 0;
    const left = (started === 0 ? given + maxStartMs : started + deadlineMs) - monotonicMs();
    if (left <= 0) end();
    else timer = setTimeout(check, started === 0 ? startPollMs : Math.ceil(left));
  };
  let timer = setTimeout(check, Math.min(deadlineMs, startPollMs));
  return () => clearTimeout(timer);
}

/** The pool of this process. */
export const workerPool = new WorkerPool();
