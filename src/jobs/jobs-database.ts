import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import { heard } from '../errors/heard.ts';
import { isShortage } from '../errors/shortage.ts';
import type { JobLog } from './job-log.ts';

/** The PostgreSQL schema of pg-boss. */
export const jobsSchema = 'jobs';

export interface JobsDatabase extends Db {
  /** From now on a failed statement is not retried, so that stopping does not wait for an unreachable database. */
  stopRetrying(): void;
  /** Closes the connections; running statements get 5 seconds. */
  close(): Promise<void>;
}

/**
 * Gives up a connection that is not opened in 5 seconds. The same setting of the pool would also limit the wait for a free
 * connection, which a busy machine exceeds, and would report it as a lost one.
 */
class TimelyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super({ ...(typeof config === 'object' ? config : {}), connectionTimeoutMillis: 5_000 });
  }
}

/** About 8 seconds in total, in which PostgreSQL restarts. */
const retryDelaysMs = [100, 250, 500, 1000, 2000, 4000];

/**
 * A few connections for pg-boss alone, so that requests and jobs do not starve each other. They commit asynchronously, because
 * waiting for the disk is most of the time of a small job: after a crash of the database, the jobs completed in the last half
 * second run again. Jobs are enqueued on the connections of the callers, which commit synchronously.
 *
 * A statement that fails because the database restarts is sent again. Otherwise the completion of a job would be lost with the
 * connection, and the job, such as a mail, would run twice. Every statement of pg-boss may be repeated: it skips what is done.
 */
export function openJobsDatabase(url: string, log: JobLog, connections: number): JobsDatabase {
  // A broken idle connection needs no report: the next statement opens another one or fails.
  const pool = heard(
    new pg.Pool({
      Client: TimelyClient,
      connectionString: url,
      application_name: 'portico jobs',
      max: connections,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // Not as startup parameters, which PgBouncer rejects.
      onConnect: async client => {
        await client.query(
          "set timezone = 'UTC'; set statement_timeout = 60000; set idle_in_transaction_session_timeout = 60000; set synchronous_commit = off",
        );
      },
      // statement_timeout is enforced by the server; this is for a server that no longer responds.
      query_timeout: 65_000,
    }),
  );
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
          const mayPass = isConnectionLost(error) || isShortage(error);
          if (!mayPass || closing.signal.aborted) throw error;
          // A statement that fails once is no report: a machine that slept, or was too busy to see the answer, breaks a connection.
          if (!isAway && attempt > 0) {
            log.warn({ code: String((error as { code?: unknown }).code ?? '') }, 'the database of the jobs is away');
            isAway = true;
          }
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
