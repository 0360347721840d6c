import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../../errors/errors.ts';
import { Semaphore } from '../../workers/semaphore.ts';

/**
 * The semaphore for password hashes, which run on libuv's pool of four threads together with file access and host name lookups.
 *
 * Measured on 2 cores shared with other work, with 0, 1, 2, 3, 4 and 8 argon2 hashes always running: 0, 30, 40, 41, 25 and
 * 27 hashes per second; `fs.stat` p99 2, 11, 12, 23, 165 and 330 ms; event loop delay p99 3, 7, 10, 16, 31 and 37 ms. More
 * hashes than cores are no faster, and from 4 on every file operation waits for hashes. Hence one per core, at most three of the
 * four threads. Rejected: to leave one core free. It would reduce logins by a quarter to a half on two cores and gain little,
 * because the event loop sleeps between requests and the scheduler prefers it.
 *
 * @param maxWaiting 100 take 1 to 2.5 s at 40 to 90 hashes per second. The clients at the end of a longer queue would have
 *   disconnected before their turn. Beyond it `run` throws SERVICE_UNAVAILABLE (503, reason `password_queue_full`)
 */
export function createHashQueue(concurrency = Math.min(availableParallelism(), 3), maxWaiting = 100): Semaphore {
  return new Semaphore(concurrency, {
    maxWaiting,
    fullError: () => serviceUnavailable({ reason: 'password_queue_full' }),
  });
}
