/** CPU time of this process since its start, user and system, in microseconds. */
const processCpuMicroseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/**
 * Minimum time between two readings while several requests are active. A reading costs up to 30 µs, and two per request were a
 * tenth of a small request. The CPU time of requests shorter than this is divided among all active requests.
 */
const minReadIntervalMs = 20;

/**
 * Estimates the CPU time of each request. Node.js runs all requests on one thread and does not measure CPU time per request,
 * so the CPU time between two readings is divided evenly among the active requests. The share of one request can be wrong; the
 * sum of all shares is what the process used while requests were active, its other threads included.
 * Rejected: async hooks, which are exact and add a call to every promise of the process.
 */
export class CpuShares {
  readonly #cpuClock: () => number;
  readonly #monotonicMs: () => number;
  #lastCpu: number;
  /** CPU time of a request that was active from the start of the process. */
  #sharePerRequest = 0;
  #activeRequests = 0;
  /** `performance.now()` of the last reading. */
  #lastReadMs = 0;

  /**
   * Both parameters are for tests.
   * @param cpuClock CPU time in microseconds
   * @param monotonicMs monotonic clock in milliseconds
   */
  constructor(cpuClock: () => number = processCpuMicroseconds, monotonicMs: () => number = () => performance.now()) {
    this.#cpuClock = cpuClock;
    this.#monotonicMs = monotonicMs;
    this.#lastCpu = cpuClock();
  }

  /** Starts a request. Returns the value to pass to `leave`. */
  enter(): number {
    this.#distribute();
    this.#activeRequests++;
    return this.#sharePerRequest;
  }

  /** The share of a request until now, in whole microseconds, and the value for the next call. */
  take(entered: number): { used: number; entered: number } {
    this.#distribute();
    const used = Math.round(this.#sharePerRequest - entered);
    return { used, entered: entered + used };
  }

  /** Ends a request. Returns its share in whole microseconds. */
  leave(entered: number): number {
    this.#distribute();
    this.#activeRequests--;
    return Math.round(this.#sharePerRequest - entered);
  }

  #distribute(): void {
    const time = this.#monotonicMs();
    // With one or no active request every reading counts: CPU time without requests is charged to no request, and the last
    // request must pay.
    if (this.#activeRequests > 1 && time - this.#lastReadMs < minReadIntervalMs) return;
    this.#lastReadMs = time;
    const now = this.#cpuClock();
    if (this.#activeRequests > 0) this.#sharePerRequest += (now - this.#lastCpu) / this.#activeRequests;
    this.#lastCpu = now;
  }
}
