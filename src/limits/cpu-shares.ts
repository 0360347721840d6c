/** CPU time of this process since it started, user and system together, in microseconds. */
const used = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/**
 * Milliseconds between two readings while several requests are there: one costs up to 30 µs, and two were a tenth of a small
 * request. Who works for longer than this is there when it is over; what shorter ones used is divided among those who are.
 */
const pause = 4;

/**
 * How much CPU each request had. Node runs all of them on one thread and can tell of none by itself how long it worked, so
 * what the process uses between two moments is divided evenly among the requests that are on their way then. Shares of one
 * request may be wrong; all shares together are what the process used while it had requests, its other threads included.
 * Rejected: async hooks, which know better and cost every promise of the process a call.
 */
export class CpuShares {
  readonly #clock: () => number;
  readonly #watch: () => number;
  #last: number;
  /** What one request would have had if it had been there from the start. */
  #each = 0;
  #present = 0;
  /** Of `performance.now()`. */
  #read = 0;

  /** `clock`: microseconds of CPU; `watch`: milliseconds. A test hands in its own. */
  constructor(clock: () => number = used, watch: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#watch = watch;
    this.#last = clock();
  }

  /** A request begins. What is returned is told again at its end. */
  enter(): number {
    this.#divide();
    this.#present++;
    return this.#each;
  }

  /** A request ends: its share in whole microseconds. */
  leave(entered: number): number {
    this.#divide();
    this.#present--;
    return Math.round(this.#each - entered);
  }

  #divide(): void {
    const time = this.#watch();
    // The first one to come must not be given what was used while nobody was there, nor the last one leave what it used.
    if (this.#present > 1 && time - this.#read < pause) return;
    this.#read = time;
    const now = this.#clock();
    if (this.#present > 0) this.#each += (now - this.#last) / this.#present;
    this.#last = now;
  }
}
