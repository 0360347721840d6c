import type { Computation } from '../../src/workers/computation.ts';

/** What the tests of the child processes run in them. */
export type ProbeWork = { repositoryId: number } & (
  | { act: 'echo'; value: unknown }
  | { act: 'pid' }
  | { act: 'spin' }
  | { act: 'work'; milliseconds: number }
  | { act: 'spend' }
  | { act: 'grow-map' }
  | { act: 'grow-buffers' }
  | { act: 'throw' }
  | { act: 'limits' }
);

export const probeWork: Computation<ProbeWork, unknown> = {
  name: 'probe',
  async run({ workBudget }, input) {
    switch (input.act) {
      case 'echo':
        return input.value;
      case 'pid':
        return process.pid;
      case 'spin':
        for (;;);
      case 'work':
        for (const end = performance.now() + input.milliseconds; performance.now() < end; ) workBudget.spendSteps();
        return input.milliseconds;
      case 'spend':
        for (;;) {
          workBudget.spendSteps();
          if (workBudget.isTurnDue) await workBudget.turn();
        }
      case 'grow-map': {
        const kept = new Map<string, unknown>();
        for (;;) kept.set(`${kept.size}`.padStart(1_000), { number: kept.size });
      }
      case 'grow-buffers': {
        const kept: Buffer[] = [];
        for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
      }
      case 'throw':
        throw new Error('a defect of the computation');
      case 'limits': {
        const { readFileSync } = await import('node:fs');
        const limits = readFileSync('/proc/self/limits', 'latin1');
        const { getPriority } = await import('node:os');
        return {
          data: Number(/^Max data size\s+(\d+)/m.exec(limits)?.[1]),
          niceness: getPriority(),
          // biome-ignore lint/style/noProcessEnv: the test asserts which there are.
          environment: Object.keys(process.env),
          arguments: process.argv.join(' '),
        };
      }
    }
  },
};
