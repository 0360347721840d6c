import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbeOrder, ProbeReport } from './probe-process.ts';

/** Linux accounts the time that a thread waits for a CPU; without it a busy machine looks like a blocked event loop. */
export const hasThreadTimes = existsSync('/proc/self/schedstat');

/** Requests of `/livez` at short intervals, from a process of their own: this one prepares data and would delay them. */
export class Probes {
  readonly #child: ChildProcess;

  /** @param pid the process that serves `address` */
  constructor(address: string, pid: number) {
    this.#child = fork(join(import.meta.dirname, 'probe-process.ts'), [address, String(pid)], { execArgv: [] });
  }

  /** Probes while `work` runs. */
  async during(work: () => Promise<unknown>): Promise<ProbeReport> {
    await this.#ask('start');
    let report: unknown;
    try {
      await work();
    } finally {
      report = await this.#ask('stop');
    }
    return report as ProbeReport;
  }

  end(): void {
    this.#child.disconnect();
  }

  async #ask(order: ProbeOrder): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    return (await answer)[0];
  }
}
