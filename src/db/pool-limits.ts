/**
 * Classes of database work. Each has connections of its own, so that statements of one class never wait for those of another:
 *
 * - `anonymous`: reads of requests without a credential.
 * - `signedIn`: reads of requests with a credential, guests of the health product included.
 * - `authentication`: look-ups of credentials and allowances, and the reads of anonymous mutations such as a log-in. They
 *   precede everything else: in the pool of the reads, slow reads would keep people from logging in and from writing.
 * - `write`: transactions of requests, and what the process writes by itself.
 * - `jobs`: work outside of requests.
 */
export type PoolName = 'anonymous' | 'signedIn' | 'authentication' | 'write' | 'jobs';

export interface PoolLimits {
  /** Connections. */
  max: number;
  /** Enforced by PostgreSQL. */
  statementTimeoutMs: number;
  /** How long a statement or a transaction waits for a connection, the time to open one included. */
  waitTimeoutMs: number;
  /** How many wait at the same time. One more is refused at once. */
  maxWaiting: number;
}

/** Connections of a process beside `DATABASE_POOL`. Their work is short or in the background, and does not grow with traffic. */
const authenticationPoolSize = 2;
const jobPoolSize = 3;

/** A quarter of a second of list reads: a burst passes, and what waits longer is refused by `waitTimeoutMs` anyway. */
const maxWaiting = 500;

/**
 * Divides `total` connections among reads without a credential, reads with one, and writes: a third each, at least one, what
 * is left over to the writes. `statementTimeoutMs` holds for writes and is the upper bound of the other requests.
 */
export function poolLimits(connections: number, statementTimeoutMs: number): Record<PoolName, PoolLimits> {
  const anonymous = Math.max(1, Math.floor(connections / 3));
  const signedIn = Math.max(1, Math.floor((connections - anonymous) / 2));
  const capped = (ms: number): number => Math.min(ms, statementTimeoutMs);
  return {
    anonymous: { max: anonymous, statementTimeoutMs: capped(1_000), waitTimeoutMs: 2_000, maxWaiting },
    signedIn: { max: signedIn, statementTimeoutMs: capped(5_000), waitTimeoutMs: 5_000, maxWaiting },
    authentication: {
      max: authenticationPoolSize,
      statementTimeoutMs: capped(1_000),
      waitTimeoutMs: 5_000,
      maxWaiting,
    },
    write: {
      max: Math.max(1, connections - anonymous - signedIn),
      statementTimeoutMs,
      waitTimeoutMs: 5_000,
      maxWaiting,
    },
    // A job that has to wait is not refused: it would only be tried again. How many wait, the concurrency of the tasks bounds.
    jobs: {
      max: jobPoolSize,
      statementTimeoutMs: Math.max(60_000, statementTimeoutMs),
      waitTimeoutMs: 60_000,
      maxWaiting: Number.POSITIVE_INFINITY,
    },
  };
}
