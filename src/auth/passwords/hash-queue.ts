import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../../errors/errors.ts';

/**
 * Runs so many pieces of work at once and keeps so many waiting, first come first served. For work on libuv's pool of four
 * threads, which files and the look-up of host names share.
 *
 * Measured on 2 cores shared with other work, with 0, 1, 2, 3, 4 and 8 argon2 hashes always running: 0, 30, 40, 41, 25 and
 * 27 hashes per second; `fs.stat` p99 2, 11, 12, 23, 165 and 330 ms; event loop delay p99 3, 7, 10, 16, 31 and 37 ms. More
 * hashes than cores are no faster, and from 4 on every file waits for passwords. So: one per core, and at most three of the
 * four threads. A core left free of hashes would cost logins a quarter to a half of their rate on two cores, and gain little:
 * the event loop sleeps between requests, and the system lets it in first.
 */
export class HashQueue {
  private readonly concurrency: number;
  private readonly maxWaiting: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * @param maxWaiting how many may wait; 100 are 1 to 2.5 s at 40 to 90 hashes per second. A longer queue would be answered
   *   after the clients have gone away.
   */
  constructor(concurrency = Math.min(availableParallelism(), 3), maxWaiting = 100) {
    this.concurrency = concurrency;
    this.maxWaiting = maxWaiting;
  }

  /** Throws `unavailable` (503, reason `password_queue_full`) at once when too many are waiting already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running++;
    else if (this.waiting.length < this.maxWaiting) await new Promise<void>(resolve => this.waiting.push(resolve));
    else throw serviceUnavailable({ reason: 'password_queue_full' });
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line: nobody who comes now gets in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
