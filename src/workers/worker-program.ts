/** Message from the main thread for one run. */
export interface WorkerRun {
  program: string;
  input: unknown;
  /** Shared memory. The thread writes `monotonicMs()` when execution begins, after the program is loaded. */
  startedAt: Float64Array;
}

/** Monotonic clock in milliseconds, equal on all threads. The origin of `performance.now()` differs by thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Entry function of the threads of the pool. */
export async function run({ program, input, startedAt }: WorkerRun): Promise<unknown> {
  const task = (await import(program)) as { run(input: unknown): unknown };
  startedAt[0] = monotonicMs();
  return task.run(input);
}
