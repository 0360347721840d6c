/** CPU time of this process since it started, user and system together, in microseconds. */
const processCpuMicroseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/**
 * Milliseconds between two readings while several requests are there: one costs up to 30 µs, and two were a tenth of a small
 * request. Who works for longer than this is there when it is over; what shorter ones used is divided among those who are.
 */
const minReadIntervalMs = 4;

/**
 * How much CPU each request had. Node runs all of them on one thread and can tell of none by itself how long it worked, so
 * what the process uses between two moments is divided evenly among the requests that are on their way then. Shares of one
 * request may be wrong; all shares together are what the process used while it had requests, its other threads included.
 * Rejected: async hooks, which know better and cost every promise of the process a call.
 */
export class CpuShares {
  readonly #cpuClock: () => number;
  readonly #monotonicMs: () => number;
  #lastCpu: number;
  /** What one request would have had if it had been there from the start. */
  #sharePerRequest = 0;
  #activeRequests = 0;
  /** Of `performance.now()`. */
  #lastReadMs = 0;

  /** `clock`: microseconds of CPU; `watch`: milliseconds. A test hands in its own. */
  constructor(cpuClock: () => number = processCpuMicroseconds, monotonicMs: () => number = () => performance.now()) {
    this.#cpuClock = cpuClock;
    this.#monotonicMs = monotonicMs;
    this.#lastCpu = cpuClock();
  }

  /** A request begins. What is returned is told again at its end. */
  enter(): number {
    this.#distribute();
    this.#activeRequests++;
    return this.#sharePerRequest;
  }

  /** A request ends: its share in whole microseconds. */
  leave(entered: number): number {
    this.#distribute();
    this.#activeRequests--;
    return Math.round(this.#sharePerRequest - entered);
  }

  #distribute(): void {
    const time = this.#monotonicMs();
    // The first one to come must not be given what was used while nobody was there, nor the last one leave what it used.
    if (this.#activeRequests > 1 && time - this.#lastReadMs < minReadIntervalMs) return;
    this.#lastReadMs = time;
    const now = this.#cpuClock();
    if (this.#activeRequests > 0) this.#sharePerRequest += (now - this.#lastCpu) / this.#activeRequests;
    this.#lastCpu = now;
  }
}
