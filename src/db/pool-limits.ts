/**
 * Classes of database work. Each has its own connections, so that statements of one class never wait for those of another:
 *
 * - `anonymous`: reads of requests without a credential.
 * - `signedIn`: reads of requests with a credential, guests of the health product included.
 * - `authentication`: lookups of credentials and allowances, and the reads of anonymous mutations such as a login. Every request
 *   starts with them: in the pool of the reads, slow reads would block logins and writes.
 * - `write`: transactions of requests, and the writes of the process itself.
 * - `jobs`: work outside of requests.
 */
export type PoolName = 'anonymous' | 'signedIn' | 'authentication' | 'write' | 'jobs';

export interface PoolLimits {
  /** Connections. */
  max: number;
  /** Enforced by PostgreSQL. */
  statementTimeoutMs: number;
  /** Longest wait of a statement or a transaction for a connection, including the time to open one. */
  waitTimeoutMs: number;
  /** Longest queue. One more is refused at once. */
  maxWaiting: number;
}

/** Connections in addition to `DATABASE_POOL`. Their work is short or in the background, and does not grow with traffic. */
const authenticationPoolSize = 2;
const jobPoolSize = 3;

/** A quarter of a second of list reads: enough for a burst. `waitTimeoutMs` refuses what waits longer anyway. */
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
    // A job is not refused, because it would be retried. The concurrency of the tasks bounds the queue.
    jobs: {
      max: jobPoolSize,
      statementTimeoutMs: Math.max(60_000, statementTimeoutMs),
      waitTimeoutMs: 60_000,
      maxWaiting: Number.POSITIVE_INFINITY,
    },
  };
}
