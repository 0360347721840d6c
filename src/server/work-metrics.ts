import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkProcesses } from '../workers/work-processes.ts';

/** Child processes by who uses them: computations of requests and jobs, and the long tasks of jobs. */
export type WorkPools = Record<'computations' | 'long_tasks', Pick<WorkProcesses, 'counts'>>;

/** What Prometheus may read of the child processes for heavy work. */
export function registerWorkMetrics(registry: Registry, pools: WorkPools): void {
  const registers = [registry];
  const all = Object.entries(pools);
  new Gauge({
    name: 'portico_work_processes',
    help: 'Child processes for heavy work: running ones, and those that compute. A gateway at rest has none.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { counts }] of all) {
        this.set({ pool, state: 'running' }, counts.running);
        this.set({ pool, state: 'busy' }, counts.busy);
      }
    },
  });
  new Gauge({
    name: 'portico_work_waiting',
    help: 'Computations and long tasks that wait for a child process.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { counts }] of all) this.set({ pool }, counts.waiting);
    },
  });
  new Counter({
    name: 'portico_work_runs_total',
    help: 'Computations and long tasks that a child process was given.',
    labelNames: ['pool'],
    registers,
    collect() {
      this.reset();
      for (const [pool, { counts }] of all) this.inc({ pool }, counts.runs);
    },
  });
  new Counter({
    name: 'portico_work_starts_total',
    help: 'Starts of child processes for heavy work.',
    labelNames: ['pool'],
    registers,
    collect() {
      this.reset();
      for (const [pool, { counts }] of all) this.inc({ pool }, counts.starts);
    },
  });
  new Counter({
    name: 'portico_work_ends_total',
    help: 'Child processes that ended in the middle of their work, by reason: its deadline, lack of memory, or killed by somebody else.',
    labelNames: ['pool', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const [pool, { counts }] of all) {
        for (const [reason, count] of Object.entries(counts.ends)) this.inc({ pool, reason }, count);
      }
    },
  });
}
