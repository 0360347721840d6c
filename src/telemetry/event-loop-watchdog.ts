import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';
import { heard } from '../errors/heard.ts';
import { programBeside } from '../workers/worker-task.ts';
import { beatMs, beatsIndex, type SamplerState, sampleChannel, watchingIndex } from './event-loop-sampler.ts';
import { currentWork, type LoopWork, setWorkObserver } from './loop-work.ts';

/** A time in which the main thread served nothing else. */
export interface EventLoopBlock {
  /** The request or job that held it; undefined where none was seen, or several by turns. */
  work: LoopWork | undefined;
  /** Milliseconds, 20 more or less. */
  ms: number;
  /** CPU time of the main thread in it, in milliseconds. */
  cpuMs: number;
  /** Frames of one sample, the innermost first. */
  stack: string[];
}

interface Sample {
  work: LoopWork | undefined;
  stack: string[];
}

/** A block of at least this time is reported. */
const minBlockMs = 100;
/** Less CPU time in it is a machine that has no time for the process, or that slept: at load 20 a cold page took 51 ms in 131. */
const minCpuMs = 90;
/** Time without work after which nothing is watched: an idle process has no timers of it. */
const lingerMs = 100;
/** Streams of events stay open for hours: time after which requests that are active are not watched. */
const maxRequestMs = 30_000;
const maxFrames = 12;
/** Time without another attempt after the thread could not start. */
const retryStartMs = 30_000;

/** Heap of the thread, whose program is a page long. */
const threadHeap = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/**
 * Reports which request or job holds the event loop. While there is work, a timer of the main thread counts beats in shared memory; a
 * thread sees that they stop, and takes samples of the main thread by the inspector of Node.js, which interrupts a loop, a regular
 * expression and a sort. It opens no port.
 *
 * Rejected: the CPU profiler, which takes 50 ms to start with this much code; `Debugger.pause`, which stops at the next call of a
 * function and not within a loop.
 *
 * The thread takes 17 MB, of which its end gives 2 back. It starts with the first request, or after the first block of a job, which is
 * reported without a stack: a process without requests has none.
 */
export class EventLoopWatchdog {
  readonly #onBlock: (block: EventLoopBlock) => void;
  readonly #state: SamplerState = new Int32Array(new SharedArrayBuffer(8));
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #samples: Sample[] = [];
  #lastBeatMs = 0;
  #lastCpu: NodeJS.CpuUsage = { user: 0, system: 0 };
  #lastBeginMs = 0;
  /** Requests and jobs that have not ended, and their blocks that wait for the name of the operation. */
  readonly #active = new Map<LoopWork, EventLoopBlock[]>();
  #jobs = 0;
  #unstartedMs = Number.NEGATIVE_INFINITY;

  constructor(onBlock: (block: EventLoopBlock) => void) {
    this.#onBlock = onBlock;
  }

  start(): void {
    subscribe(sampleChannel, this.#takeSample);
    setWorkObserver({ begin: work => this.#begin(work), end: work => this.#end(work) });
  }

  #startThread(): void {
    if (performance.now() - this.#unstartedMs < retryStartMs) return;
    // Without the thread nothing is watched; the process serves on.
    const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
    let thread: Worker;
    try {
      const options = { workerData: this.#state, env: {}, execArgv: [], resourceLimits: threadHeap };
      thread = heard(new Worker(programBeside(import.meta.url, 'event-loop-sampler'), options), warn);
    } catch (error) {
      this.#unstartedMs = performance.now();
      warn(error);
      return;
    }
    thread.unref();
    this.#thread = thread;
    if (this.#timer) thread.postMessage('watch');
  }

  async stop(): Promise<void> {
    setWorkObserver(undefined);
    unsubscribe(sampleChannel, this.#takeSample);
    this.#rest();
    await this.#thread?.terminate();
  }

  #begin(work: LoopWork): void {
    this.#active.set(work, []);
    if (work.api === 'job') this.#jobs++;
    else if (!this.#thread) this.#startThread();
    const now = performance.now();
    this.#lastBeginMs = now;
    if (this.#timer) return;
    this.#lastBeatMs = now;
    this.#lastCpu = process.threadCpuUsage();
    this.#samples = [];
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
    Atomics.store(this.#state, watchingIndex, 1);
    this.#thread?.postMessage('watch');
  }

  #end(work: LoopWork): void {
    if (work.api === 'job') this.#jobs--;
    const blocks = this.#active.get(work) ?? [];
    this.#active.delete(work);
    for (const block of blocks) this.#onBlock(block);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    Atomics.store(this.#state, watchingIndex, 0);
  }

  #beat(): void {
    Atomics.add(this.#state, beatsIndex, 1);
    const now = performance.now();
    const lateMs = now - this.#lastBeatMs - beatMs;
    if (lateMs >= minBlockMs) {
      const { user, system } = process.threadCpuUsage(this.#lastCpu);
      const cpuMs = (user + system) / 1000;
      if (cpuMs >= minCpuMs) this.#report(lateMs, cpuMs);
    }
    this.#lastCpu = process.threadCpuUsage();
    this.#lastBeatMs = now;
    this.#samples = [];
    const sinceBegin = now - this.#lastBeginMs;
    const isBusy = this.#jobs > 0 || (this.#active.size > 0 && sinceBegin < maxRequestMs);
    if (!isBusy && sinceBegin > lingerMs) this.#rest();
  }

  /** Called by the inspector, in the midst of what runs. */
  readonly #takeSample = (): void => {
    // Asked for while the loop was blocked, and answered later.
    if (performance.now() - this.#lastBeatMs < 2 * beatMs) return;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 40;
    const lines = (new Error().stack ?? '').split('\n');
    Error.stackTraceLimit = stackTraceLimit;
    // Above the call of the inspector are the frames of this function.
    const from = lines.findIndex(line => line.includes(' at <anonymous>:1:')) + 1;
    const stack = lines.slice(from, from + maxFrames).map(line => line.trim().slice(0, 200));
    this.#samples.push({ work: currentWork(), stack });
  };

  /** Blames the work of most samples, if they are at least half of them: otherwise several have run by turns. */
  #report(ms: number, cpuMs: number): void {
    if (!this.#thread) this.#startThread();
    const counts = new Map<LoopWork | undefined, number>();
    for (const { work } of this.#samples) counts.set(work, (counts.get(work) ?? 0) + 1);
    const [[most, count] = [undefined, 0]] = [...counts].sort((a, b) => b[1] - a[1]);
    const work = count * 2 >= this.#samples.length ? most : undefined;
    const stack = commonStack(this.#samples.filter(sample => sample.work === most).map(sample => sample.stack));
    const block = { work, ms: Math.round(ms), cpuMs: Math.round(cpuMs), stack };
    // A body was parsed, or a credential checked: the operation is known later.
    if (work?.operation === undefined && work && this.#active.has(work)) this.#active.get(work)?.push(block);
    else this.#onBlock(block);
  }
}

/** Frames that decide how common a sample is: those further out are the same in nearly all. */
const comparedFrames = 4;

/** The sample whose innermost frames are in most of the others. */
function commonStack(stacks: readonly string[][]): string[] {
  const counts = new Map<string, number>();
  for (const stack of stacks) for (const frame of new Set(stack)) counts.set(frame, (counts.get(frame) ?? 0) + 1);
  const scoreOf = (stack: readonly string[]): number =>
    stack.slice(0, comparedFrames).reduce((sum, frame) => sum + (counts.get(frame) ?? 0), 0);
  return stacks.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0] ?? [];
}
