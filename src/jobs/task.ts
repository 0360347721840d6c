import type { JobType } from './define-job.ts';

/** One attempt to run a job, as its task sees it. */
export interface Attempt {
  /** Id of the job, the same in every attempt, so that a receiver can recognise a repetition. */
  id: string;
  /** 1 for the first. */
  number: number;
  queuedAt: Date;
  /** Whether an earlier attempt may have done the work: it ended with `UnconfirmedError`, or was cut off. */
  isRepetition: boolean;
  /** Aborted on timeout and when the process stops; the result of the attempt is then ignored. */
  signal: AbortSignal;
}

/** The implementation of one job type. */
export interface Task<Data> {
  job: JobType<Data>;
  /** Jobs that run at the same time in one process. */
  concurrency: number;
  /**
   * Runs the job. It may run more than once for one job, and occasionally twice at the same time: a worker that has lost the
   * database continues while another one starts. A thrown error causes a retry as the job type says; PermanentError does not.
   */
  work(data: Data, attempt: Attempt): Promise<void>;
  /** Runs in each process before it fetches jobs. A rejection is logged, and the start goes on. */
  prepare?(): Promise<void>;
  /** Cron expression in UTC, at minute resolution. Each tick adds one job, with `{}` as data, for all processes together. */
  schedule?: string;
}
