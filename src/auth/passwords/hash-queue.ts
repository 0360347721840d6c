import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../../errors/errors.ts';

/**
 * A semaphore with a bounded FIFO queue, for work on libuv's pool of four threads, which file access and host name lookups
 * share.
 *
 * Measured on 2 cores shared with other work, with 0, 1, 2, 3, 4 and 8 argon2 hashes always running: 0, 30, 40, 41, 25 and
 * 27 hashes per second; `fs.stat` p99 2, 11, 12, 23, 165 and 330 ms; event loop delay p99 3, 7, 10, 16, 31 and 37 ms. More
 * hashes than cores are no faster, and from 4 on every file operation waits for hashes. Hence one per core, at most three of the
 * four threads. Rejected: to leave one core free. It would reduce logins by a quarter to a half on two cores and gain little,
 * because the event loop sleeps between requests and the scheduler prefers it.
 */
export class HashQueue {
  private readonly concurrency: number;
  private readonly maxWaiting: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * @param maxWaiting bound of the queue; 100 take 1 to 2.5 s at 40 to 90 hashes per second. The clients at the end of a longer
   *   queue would have disconnected before their turn.
   */
  constructor(concurrency = Math.min(availableParallelism(), 3), maxWaiting = 100) {
    this.concurrency = concurrency;
    this.maxWaiting = maxWaiting;
  }

  /** @throws GraphQLError SERVICE_UNAVAILABLE (503, reason `password_queue_full`) at once when the queue is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running++;
    else if (this.waiting.length < this.maxWaiting) await new Promise<void>(resolve => this.waiting.push(resolve));
    else throw serviceUnavailable({ reason: 'password_queue_full' });
    try {
      return await work();
    } finally {
      // The slot passes directly to the next waiter, so a new caller cannot overtake it.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
