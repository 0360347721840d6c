import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import type { JobLog } from './job-log.ts';

/** Where pg-boss keeps its tables, apart from ours. */
export const jobsSchema = 'jobs';

export interface JobsDatabase extends Db {
  /** From now on a statement that fails has failed: who stops does not wait for a database that is away. */
  stopRetrying(): void;
  /** Closes the connections; those that still wait for an answer get 5 seconds. */
  close(): Promise<void>;
}

/** In milliseconds; about 8 seconds together, in which PostgreSQL restarts. */
const retryDelaysMs = [100, 250, 500, 1000, 2000, 4000];

/**
 * A few connections for the jobs alone, so that a rush of requests never starves them, nor they the requests. They do
 * not wait for the disk at commit, which is most of the time that a small job takes: when the database crashes, its last
 * half second of finished jobs is done again. Jobs are added on the connections of those who add them, which do wait.
 *
 * A statement that meets a database that is just restarting is sent again: without that the word that a job is done
 * would be lost with the connection, and the job, a mail perhaps, would be done twice. Every statement of pg-boss bears
 * it: what a repetition finds done already, it leaves.
 */
export function openJobsDatabase(url: string, log: JobLog, connections: number): JobsDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'portico jobs',
    max: connections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    options:
      '-c timezone=UTC -c statement_timeout=60000 -c idle_in_transaction_session_timeout=60000 -c synchronous_commit=off',
    // The server enforces the limit; this is for a server that has gone without a word.
    query_timeout: 65_000,
  });
  // An idle connection that breaks is no event: the next statement opens another, and tells when it cannot.
  pool.on('error', () => {});
  const closing = new AbortController();
  let isAway = false;
  return {
    async executeSql(text, values) {
      for (let attempt = 0; ; attempt++) {
        try {
          const result = await pool.query(text, values);
          if (isAway) log.info({}, 'the database of the jobs is back');
          isAway = false;
          return result;
        } catch (error) {
          const pause = retryDelaysMs[attempt];
          if (!isConnectionLost(error) || closing.signal.aborted) throw error;
          if (!isAway)
            log.warn({ code: String((error as { code?: unknown }).code ?? '') }, 'the database of the jobs is away');
          isAway = true;
          if (pause === undefined) throw error;
          await delay(pause, undefined, { signal: closing.signal });
        }
      }
    },
    stopRetrying: () => closing.abort(),
    async close() {
      closing.abort();
      await Promise.race([pool.end(), delay(5_000, undefined, { ref: false })]);
    },
  };
}
