import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkProcesses } from '../workers/work-processes.ts';

/** What Prometheus may read of the child processes for heavy work. */
export function registerWorkMetrics(registry: Registry, processes: Pick<WorkProcesses, 'counts'>): void {
  const registers = [registry];
  new Gauge({
    name: 'portico_work_processes',
    help: 'Child processes for heavy work: running ones, and those that compute. A gateway at rest has none.',
    labelNames: ['state'],
    registers,
    collect() {
      const { running, busy } = processes.counts;
      this.set({ state: 'running' }, running);
      this.set({ state: 'busy' }, busy);
    },
  });
  new Gauge({
    name: 'portico_work_waiting',
    help: 'Computations that wait for a child process.',
    registers,
    collect() {
      this.set(processes.counts.waiting);
    },
  });
  new Counter({
    name: 'portico_work_runs_total',
    help: 'Computations that a child process was given.',
    registers,
    collect() {
      this.reset();
      this.inc(processes.counts.runs);
    },
  });
  new Counter({
    name: 'portico_work_starts_total',
    help: 'Starts of child processes for heavy work.',
    registers,
    collect() {
      this.reset();
      this.inc(processes.counts.starts);
    },
  });
  new Counter({
    name: 'portico_work_ends_total',
    help: 'Child processes that ended in the middle of a computation, by reason: its deadline, lack of memory, or killed by somebody else.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(processes.counts.ends)) this.inc({ reason }, count);
    },
  });
}
