import type { Pinning } from './pinning.ts';

/** The request that is repeated against one server. */
export interface Contender {
  /** Name in the table. */
  label: string;
  /** One of the targets of `bench/server-process.ts`. */
  server: string;
  request: { path: string; method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };
  /** Throws for an unexpected response, so that a broken server cannot win. `body` is the parsed JSON. */
  check(body: unknown): void;
  /** Without a bar: measured in the first round only. */
  isInformational?: boolean;
  /** Responses contain the current time: only their start and end are compared while measuring. */
  hasTimestamps?: boolean;
}

/** The ratio `of` / `over` of two contenders, by their labels. */
export interface Comparison {
  figure: 'cpu' | 'throughput';
  of: string;
  over: string;
  /** The median of the rounds is at most this for cpu, at least this for throughput; absent: reported without a bar. */
  bar?: number;
}

/** One measurement. Its contenders take turns, so that other load on the machine affects all of them. */
export interface Benchmark {
  name: string;
  about: string;
  contenders: Contender[];
  comparisons: Comparison[];
  /** Paths whose responses of two servers must be equal, byte for byte, before anything is measured; absent for one server. */
  same?: {
    one: string;
    other: string;
    paths: string[];
    headers?: Record<string, string>;
    /** Parts that may differ; needs the flag `g`. */
    varying?: RegExp;
  };
  rounds: number;
  /** Seconds of one round. */
  seconds: number;
}

/** Settings of the command line, for measurements that know them. */
export interface BenchOptions {
  rounds?: number;
  /** Seconds of one round. */
  seconds?: number;
  /** Requests before the first round. */
  warmUp?: number;
  /** Keys of the contestants or subjects that are measured; absent: all. */
  only?: readonly string[];
  /** The half of the sets that is judged; absent: every one. */
  half?: string;
  /** Numbers of rows, ascending (growth). */
  sizes?: readonly number[];
}

/** What a measurement gives back. */
export interface BenchResult {
  /** For the terminal. */
  text: string;
  /** Lines of the bars that were missed. */
  missed: string[];
  /** For `--json`: plain data. */
  figures?: unknown;
  /** For `--svg`. */
  svg?: string;
}

/** A measurement that runs by itself, at least partly in the process of the runner. */
export interface BenchPart {
  name: string;
  about: string;
  measure(url: string, pinning: Pinning | undefined, options?: BenchOptions): Promise<BenchResult>;
}

/** Anchors in the links of a list, which hold the time: see `ListSource.asOf`. Servers written by hand have none. */
export const anchors = /[?&]as_of=[\d.]+/g;

/** Connections, each of which sends the next request when the last one is answered. */
export const connections = 32;
