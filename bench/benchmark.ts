/** The request that is repeated against one server. */
export interface Contender {
  /** What it is called in the table. */
  label: string;
  /** One of the targets of `bench/server-process.ts`. */
  server: string;
  request: { path: string; method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };
  /** Throws when an answer is not the one to be measured: a broken server must not win. `body` is the parsed JSON. */
  check(body: unknown): void;
  /** No bar hangs on it: measured in the first round only. */
  isInformational?: boolean;
  /** Answers say when they were made: only their ends are compared while measuring. */
  hasTimestamps?: boolean;
}

/** What is compared: `of` divided by `over`, both labels. */
export interface Comparison {
  figure: 'cpu' | 'throughput';
  of: string;
  over: string;
  /** The median of the rounds is at most this for cpu, at least this for throughput; absent: reported without a bar. */
  bar?: number;
}

/** One thing that is measured. Its contenders take turns, so that what else the machine does meets all of them. */
export interface Benchmark {
  name: string;
  about: string;
  contenders: Contender[];
  comparisons: Comparison[];
  /** Paths whose status and body must be the same, byte for byte, from two servers before anything is measured. */
  same: {
    one: string;
    other: string;
    paths: string[];
    headers?: Record<string, string>;
    /** What may differ, with the flag `g`. */
    varying?: RegExp;
  };
  rounds: number;
  /** Seconds of one round. */
  seconds: number;
}

/** Connections that send the next request as soon as they have the answer to the last. */
export const connections = 32;
