/** A kind of work that is done later, outside the request that asked for it. */
export interface JobType<Data> {
  /** Of its queue: letters, digits, `_`, `-`, `.`, `/`. */
  readonly name: string;
  readonly retry: {
    /** How often it is tried again. Being killed or cut off counts as a try, so 0 means that a crash may lose it. */
    readonly limit: number;
    /** Before the first repetition; whole seconds. */
    readonly delaySeconds: number;
    /** Whether the delay doubles each time, with up to as much again at random so that not all come back at once. */
    readonly backoff: boolean;
    /** Longest delay; only with `backoff`. */
    readonly maxDelaySeconds?: number;
  };
  /** A worker that is silent this long counts as dead and its job runs elsewhere; 10 or more. */
  readonly heartbeatSeconds: number;
  /** Longest time of one attempt: its signal is aborted and the attempt has failed. 60 when absent. */
  readonly timeoutSeconds?: number;
  /** How long a finished or failed job stays in the database. 7 when absent. */
  readonly retentionDays?: number;
  /** Never there; lets the compiler hold writers and workers to one type of data. */
  readonly data?: (data: Data) => void;
}

/** Defines a kind of work whose data, a JSON object, is of type `Data`. */
export function defineJob<Data extends object>(job: Omit<JobType<Data>, 'data'>): JobType<Data> {
  return job;
}
