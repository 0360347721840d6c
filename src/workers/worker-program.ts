/** What the main thread sends for one run. */
export interface WorkerRun {
  program: string;
  input: unknown;
  /** Shared. Set to the monotonic clock in milliseconds when execution begins, which is not before the program is loaded. */
  startedAt: Float64Array;
}

/** The monotonic clock in milliseconds. It is the same on all threads, unlike `performance.now()`, whose origin differs. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Entry point of every thread of the pool. */
export async function run({ program, input, startedAt }: WorkerRun): Promise<unknown> {
  const task = (await import(program)) as { run(input: unknown): unknown };
  startedAt[0] = monotonicMs();
  return task.run(input);
}
