import { availableParallelism } from 'node:os';
import type { ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { FairQueue } from './fair-queue.ts';
import { monotonicMs, type WorkerRun } from './worker-program.ts';
import { programBeside, type WorkerOutcome, type WorkerTask } from './worker-task.ts';

/** Milliseconds for a thread to start and to load its program. Loading is not charged to the run that happens to cause it. */
const maxStartMs = 30_000;
/** Milliseconds between two looks at a run that has not begun to execute. */
const startPollMs = 20;
/** Milliseconds without work after which a thread ends. */
const idleMs = 30_000;
/**
 * Heap of one thread. Node.js ends a thread at its limit by granting it 16 MB more and asking it to stop; a thread that needs
 * more than that at once takes the process with it. Of eight patterns of allocation seven ended the process with the default
 * young generation and two with 16 MB (a large Map, arrays that double). So the deadline and the sizes of inputs are the
 * protection, and this limit is a second line. A child process per run would isolate it wholly; starting one takes 40 ms.
 */
const defaultHeap: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
/** Added to the niceness of a thread, so that the main thread comes first on a shared core. Linux only: elsewhere niceness belongs to the process. */
const niceIncrement = process.platform === 'linux' ? 10 : 0;

interface RunOptions {
  /** On whose behalf: at most one run of a key executes at a time, and keys share the threads fairly. */
  key?: string;
  /** Milliseconds; no more than the task allows. */
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
 * Threads for work whose amount a caller chooses. A run has a deadline, at which its thread is terminated and replaced, a
 * bounded heap, and a bounded wait for a thread. Threads start when they are needed and do not keep the process alive.
 *
 * The queue is here and not in Piscina: Piscina keeps runs with an abort signal apart from its queue and outside of its limit,
 * and knows no keys. It is given a run only when a thread is free for it.
 */
export class WorkerPool {
  readonly #threads: number;
  readonly #queue = new FairQueue<Run>();
  readonly #running = new Set<Run>();
  readonly #heap: ResourceLimits;
  #piscina: Piscina | undefined;

  /** At least two threads, so that no kind of work, which may have all but one, shuts out the others. */
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
      return { kind: 'done', value: await this.#piscina.run(message, { signal: ending.signal }) };
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

function openPiscina(threads: number, resourceLimits: ResourceLimits): Piscina {
  const piscina = new Piscina({
    filename: programBeside(import.meta.url, 'worker-program').href,
    name: 'run',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    niceIncrement,
    recordTiming: false,
    resourceLimits,
    // Threads need no settings, and no secrets.
    env: {},
    execArgv: [],
  });
  // A thread that dies without a run: the run that waits for it is answered by its own timer.
  piscina.on('error', (error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)));
  return piscina;
}

/** Calls `end` when the run has executed for `deadlineMs`, or has not begun within `maxStartMs`. Returns how to stop that. */
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

/** The threads of this process. */
export const workerPool = new WorkerPool();
