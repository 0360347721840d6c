import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Equal computations of some 20 ms each, one after the other, for a second. Posts the times of the fastest and the slowest. */
const program = `
  const { parentPort } = require('node:worker_threads');
  let sum = 0;
  function compute() {
    const begin = performance.now();
    for (let at = 0; at < 2e7; at++) sum = (sum * 31 + at) | 0;
    return performance.now() - begin;
  }
  compute();
  const until = performance.now() + 1000;
  let fastest = Infinity;
  let slowest = 0;
  while (performance.now() < until) {
    const taken = compute();
    fastest = Math.min(fastest, taken);
    slowest = Math.max(slowest, taken);
  }
  parentPort.postMessage({ fastest, slowest });
`;

/**
 * How many times longer the slowest of equal computations takes than the fastest while every CPU computes: about 1 on a quiet machine.
 * A hypervisor that throttles its CPUs stops a thread for up to 100 ms, which Linux accounts as CPU time of that thread: 5 was measured.
 */
export async function measureCpuStretch(): Promise<number> {
  const times = await Promise.all(
    Array.from(
      { length: availableParallelism() },
      () =>
        new Promise<{ fastest: number; slowest: number }>((resolve, reject) => {
          new Worker(program, { eval: true }).once('message', resolve).once('error', reject);
        }),
    ),
  );
  return Math.max(...times.map(({ fastest, slowest }) => slowest / fastest));
}
