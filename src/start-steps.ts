/**
 * Runs one step of the start and tells the operator on standard output when it begins and how long it took. These lines are not
 * the log, whose lines are JSON and are written later.
 */
export async function startStep<T>(name: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`  ${name}…\n`);
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`  ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}
