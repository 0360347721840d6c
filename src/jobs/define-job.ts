/** A type of background job. */
export interface JobType<Data> {
  /** Name of its queue: letters, digits, `_`, `-`, `.`, `/`. */
  readonly name: string;
  readonly retry: {
    /** Retries. An attempt that was killed or aborted counts, so with 0 a crash may lose the job. */
    readonly limit: number;
    /** Delay before the first retry, in whole seconds. */
    readonly delaySeconds: number;
    /** Whether the delay doubles each time, with a random part of up to the same length so that retries spread out. */
    readonly backoff: boolean;
    /** Longest delay; only with `backoff`. */
    readonly maxDelaySeconds?: number;
  };
  /** A worker without a heartbeat for this long counts as dead, and its job runs elsewhere; at least 10. */
  readonly heartbeatSeconds: number;
  /** Timeout of one attempt, after which its signal is aborted and the attempt has failed. 60 when absent. */
  readonly timeoutSeconds?: number;
  /** How long a completed or failed job stays in the database. 7 when absent. */
  readonly retentionDays?: number;
  /** Never set; makes the compiler check that enqueuers and tasks use the same type of data. */
  readonly data?: (data: Data) => void;
}

/** Defines a job type whose data is a JSON object of type `Data`. */
export function defineJob<Data extends object>(job: Omit<JobType<Data>, 'data'>): JobType<Data> {
  return job;
}
