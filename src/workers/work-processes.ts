import { FairQueue } from './fair-queue.ts';
import type { WorkOrder } from './work-messages.ts';
import { WorkProcess, WorkProcessEnded, type WorkProcessOptions, WorkProcessUnstarted } from './work-process.ts';

export interface WorkProcessesOptions
  extends Pick<WorkProcessOptions, 'program' | 'start' | 'maxHeapMb' | 'maxDataMb'> {
  /** Maximum number of processes. */
  size: number;
  /** Called when a process ended in the middle of a computation, or could not start. */
  onFailure(error: Error, name: string): void;
  /** Time without work after which a process is ended; two minutes by default. */
  idleMs?: number;
  /** Seconds of CPU time after which the kernel ends a process in the middle of its work; 600 by default. */
  maxCpuSeconds?: number;
}

/** Runs that may wait. One more is refused. */
export interface WorkQueueLimits {
  maxQueued: number;
  /** Of one caller. */
  maxQueuedPerKey: number;
  maxQueueMs: number;
}

interface WorkRun {
  /** The caller. */
  key: string;
  task: WorkQueueLimits;
  order: WorkOrder;
  deadlineMs: number;
  signal?: AbortSignal;
}

/** What a computation returned or threw, and its CPU time. */
export interface WorkResult extends Awaited<ReturnType<WorkProcess['run']>> {}

/** No process was free in time, or too many computations wait. */
export class WorkProcessesBusy extends Error {}

interface QueuedWork extends WorkRun {
  timer?: NodeJS.Timeout;
  resolve(result: Promise<WorkResult>): void;
  reject(error: Error): void;
}

/** Room for one process. */
interface Slot {
  process: WorkProcess | undefined;
  isBusy: boolean;
  /** CPU time of the process so far. */
  cpuMs: number;
  idle?: NodeJS.Timeout;
}

const defaultIdleMs = 120_000;
/** A process is replaced between two computations after this CPU time, which ends leaks. */
const replaceCpuSeconds = 300;
/** Of one that lost its parent in the middle of a computation. */
const defaultMaxCpuSeconds = 2 * replaceCpuSeconds;
const maxStartMs = 20_000;
/** Time without another attempt after a process could not start. */
const retryStartMs = 30_000;

/** Counts for the metrics, since the start of this process. */
interface WorkProcessCounts {
  running: number;
  busy: number;
  waiting: number;
  starts: number;
  runs: number;
  ends: Readonly<Record<WorkProcessEnded['reason'], number>>;
}

/**
 * Child processes for heavy work. They start at the first use and end after some minutes without any, so that a server at rest has none.
 * Callers share them fairly, and one caller never has all of them. A repository is worked on by the same process where that is free: it
 * has its objects in memory.
 */
export class WorkProcesses {
  readonly #options: WorkProcessesOptions;
  readonly #queue = new FairQueue<QueuedWork>();
  readonly #running = new Set<QueuedWork>();
  readonly #slots: Slot[];
  readonly #counts = { starts: 0, runs: 0, waiting: 0, ends: { deadline: 0, killed: 0, memory: 0 } };
  #unstartedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkProcessesOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.size }, () => ({ process: undefined, isBusy: false, cpuMs: 0 }));
  }

  get counts(): WorkProcessCounts {
    const running = this.#slots.filter(({ process }) => process && !process.hasEnded).length;
    return { ...this.#counts, running, busy: this.#running.size };
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return this.#slots.flatMap(({ process }) => (process && !process.hasEnded ? (process.pid ?? []) : []));
  }

  /** Whether processes may be started: not where there are none, and not for a while after one could not start. */
  get areAvailable(): boolean {
    return this.#slots.length > 0 && performance.now() - this.#unstartedAt > retryStartMs;
  }

  /** @throws WorkProcessesBusy, WorkProcessEnded, WorkProcessUnstarted */
  run(given: WorkRun): Promise<WorkResult> {
    return new Promise((resolve, reject) => {
      const run: QueuedWork = { ...given, resolve, reject };
      if (!this.#queue.hasRoom(run)) {
        reject(new WorkProcessesBusy('Too many computations wait for a process.'));
        return;
      }
      this.#queue.add(run);
      this.#counts.waiting++;
      if (Number.isFinite(run.task.maxQueueMs)) {
        run.timer = setTimeout(() => {
          this.#queue.remove(run);
          this.#counts.waiting--;
          reject(new WorkProcessesBusy('No process was free in time.'));
        }, run.task.maxQueueMs);
      }
      this.#dispatch();
    });
  }

  /** Ends all processes, also those that work. */
  stop(): void {
    for (const slot of this.#slots) this.#end(slot);
  }

  #dispatch(): void {
    while (this.#running.size < this.#slots.length) {
      const run = this.#queue.take(one => this.#mayRun(one), performance.now());
      if (!run) return;
      clearTimeout(run.timer);
      this.#counts.waiting--;
      this.#running.add(run);
      run.resolve(this.#execute(run));
    }
  }

  #mayRun({ key }: QueuedWork): boolean {
    const ofCaller = [...this.#running].filter(one => one.key === key).length;
    return ofCaller < Math.max(1, this.#slots.length - 1);
  }

  async #execute(run: QueuedWork): Promise<WorkResult> {
    const slot = this.#slotFor(run.order.input.repositoryId);
    slot.isBusy = true;
    clearTimeout(slot.idle);
    const startedAt = performance.now();
    this.#counts.runs++;
    try {
      const result = await this.#processOf(slot).run(run.order, run.deadlineMs, run.signal);
      slot.cpuMs += result.cpuMicroseconds / 1000;
      if (slot.cpuMs > replaceCpuSeconds * 1000) this.#end(slot);
      return result;
    } catch (error) {
      this.#end(slot);
      if (error instanceof WorkProcessEnded) this.#counts.ends[error.reason]++;
      if (error instanceof WorkProcessUnstarted) this.#unstartedAt = performance.now();
      this.#options.onFailure(error as Error, run.order.name);
      throw error;
    } finally {
      slot.isBusy = false;
      slot.idle = setTimeout(() => this.#end(slot), this.#options.idleMs ?? defaultIdleMs).unref();
      this.#running.delete(run);
      const now = performance.now();
      this.#queue.charge(run.key, now - startedAt, now);
      this.#dispatch();
    }
  }

  /** The one of the repository, or another one that runs; one is started when none of the free ones runs. */
  #slotFor(repositoryId: number): Slot {
    const free = this.#slots.filter(({ isBusy }) => !isBusy);
    const own = this.#slots[repositoryId % this.#slots.length];
    const isRunning = (slot: Slot): boolean => slot.process !== undefined && !slot.process.hasEnded;
    const chosen =
      own && !own.isBusy && isRunning(own)
        ? own
        : (free.find(isRunning) ?? (own && !own.isBusy ? own : undefined) ?? free[0]);
    if (!chosen) throw new TypeError('No process is free.');
    return chosen;
  }

  #processOf(slot: Slot): WorkProcess {
    if (!slot.process || slot.process.hasEnded) {
      const { program, start, maxHeapMb, maxDataMb, maxCpuSeconds = defaultMaxCpuSeconds } = this.#options;
      slot.cpuMs = 0;
      slot.process = new WorkProcess({ program, start, maxHeapMb, maxDataMb, maxCpuSeconds, maxStartMs });
      this.#counts.starts++;
    }
    return slot.process;
  }

  #end(slot: Slot): void {
    slot.process?.end();
    slot.process = undefined;
    clearTimeout(slot.idle);
  }
}
