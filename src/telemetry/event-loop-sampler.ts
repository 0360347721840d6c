import { Session } from 'node:inspector';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** Milliseconds between two beats of the main thread while it is watched. */
export const beatMs = 20;

/** Where the main thread receives the request for a sample, in all contexts of V8. */
export const sampleChannel = 'portico:event-loop-sample';

/** Indexes of what both threads share: whether to watch, and a number that the main thread increases. */
export const watchingIndex = 0;
export const beatsIndex = 1;
export type SamplerState = Int32Array<SharedArrayBuffer>;

/** Time without a beat after which the first sample is taken, and between two. From the 20th on the intervals get longer. */
const firstSampleMs = 60;
const sampleEveryMs = 40;
const manySamplesMs = 800;

const expression = `process.getBuiltinModule('node:diagnostics_channel').channel('${sampleChannel}').publish()`;

/** The program of the thread: it has no timer while nothing is watched. */
class EventLoopSampler {
  readonly #state: SamplerState;
  #timer: NodeJS.Timeout | undefined;
  #beats = 0;
  #lastBeatMs = 0;
  #nextSampleMs = firstSampleMs;
  #session: Session | undefined;

  constructor(state: SamplerState) {
    this.#state = state;
  }

  watch(): void {
    this.#lastBeatMs = performance.now();
    this.#timer ??= setInterval(() => this.#check(), beatMs);
  }

  #check(): void {
    const isWatching = Atomics.load(this.#state, watchingIndex) === 1;
    const beats = Atomics.load(this.#state, beatsIndex);
    const now = performance.now();
    if (beats !== this.#beats || !isWatching) {
      this.#beats = beats;
      this.#lastBeatMs = now;
      this.#nextSampleMs = firstSampleMs;
      // A session is open during a block only: the end of the process would wait for it.
      this.#session?.disconnect();
      this.#session = undefined;
      if (isWatching) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const blockedMs = now - this.#lastBeatMs;
    if (blockedMs < this.#nextSampleMs) return;
    this.#nextSampleMs = blockedMs < manySamplesMs ? blockedMs + sampleEveryMs : blockedMs * 1.5;
    if (!this.#session) {
      this.#session = new Session();
      this.#session.connectToMainThread();
    }
    this.#session.post('Runtime.evaluate', { expression, silent: true });
  }
}

if (!isMainThread) {
  const sampler = new EventLoopSampler(workerData as SamplerState);
  parentPort?.on('message', () => sampler.watch());
}
