import type { JobWithMetadata } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import { isShortage } from '../errors/shortage.ts';
import { runWork } from '../telemetry/loop-work.ts';
import { type FailureSummary, PermanentError, summarizeFailure, TransientError } from './job-errors.ts';
import type { JobLog } from './job-log.ts';
import type { Task } from './task.ts';

/** The result of an attempt. */
export type AttemptResult = { status: 'completed' } | { status: 'failed' | 'failed permanently'; note: FailureSummary };

/** Runs one attempt of a job, and logs it if it fails. */
export async function runAttempt<Data>(
  task: Task<Data>,
  job: JobWithMetadata<Data>,
  signal: AbortSignal,
  log: JobLog,
  deaths = 0,
): Promise<AttemptResult> {
  const { id, data, createdOn, retryCount, retryLimit, output } = job;
  const isRepetition = deaths > 0 || (output as Partial<FailureSummary> | null)?.unconfirmed === true;
  const fields = { job: task.job.name, id, attempt: retryCount + 1 };
  const logAbort = (): void => log.warn(fields, 'a job was cut off: its time was up, or the process stops');
  signal.addEventListener('abort', logAbort);
  try {
    const attempt = { id, number: retryCount + 1, queuedAt: createdOn, isRepetition, signal };
    await runWork({ api: 'job', operation: task.job.name }, () => task.work(data, attempt));
    return { status: 'completed' };
  } catch (error) {
    const note = { ...summarizeFailure(error), ...(isRepetition ? { unconfirmed: true as const } : {}) };
    if (signal.aborted) return { status: 'failed', note };
    if (error instanceof PermanentError) {
      log.warn({ ...fields, ...note }, 'a job was given up');
      return { status: 'failed permanently', note };
    }
    const isLast = retryCount >= retryLimit;
    // An unreachable database and a machine without descriptors are no defects of this program either.
    const isTransient = error instanceof TransientError || isConnectionLost(error) || isShortage(error);
    const level = isLast || !isTransient ? 'error' : 'warn';
    log[level]({ ...fields, ...note }, isLast ? 'a job failed for the last time' : 'a job failed and is tried again');
    return { status: 'failed', note };
  } finally {
    signal.removeEventListener('abort', logAbort);
  }
}
