/**
 * Work that runs on a thread of the pool and never on the main thread. `Input` and `Output` are copied between threads by the
 * structured clone algorithm; a `SharedArrayBuffer` in the input stays readable when the task is ended early.
 */
export interface WorkerTask<Input, Output> {
  /** Part of messages for operators. */
  name: string;
  /**
   * Module that exports `run(input: Input): Output | Promise<Output>`. Under type stripping (tests, development) it and all it
   * imports must be erasable TypeScript: no decorators, no enums.
   */
  program: URL;
  /** Milliseconds that one run may execute. The thread of a run that takes longer is terminated. */
  deadlineMs: number;
  /** Runs that may wait for a thread; a further one is refused at once. */
  maxQueued: number;
  /** Runs of one key that may wait. */
  maxQueuedPerKey: number;
  /** Milliseconds that a run may wait for a thread. */
  maxQueueMs: number;
  /** Never set; it carries the types. */
  readonly types?: (input: Input) => Output;
}

/** The module `name` beside the caller: `.ts` in the sources, `.js` in the compiled tree. `base` is `import.meta.url`. */
export function programBeside(base: string, name: string): URL {
  return new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base);
}

/** What became of a run. An exception of the task itself rejects the promise instead: it is a defect. */
export type WorkerOutcome<Output> =
  | { kind: 'done'; value: Output }
  /** It needed more time or memory than one run may have. */
  | { kind: 'exhausted'; limit: 'time' | 'memory' }
  /** No thread was free in time. Another attempt later may succeed. */
  | { kind: 'busy' };
