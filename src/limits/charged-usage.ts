import type { CpuShares } from './cpu-shares.ts';
import type { EntryPoint } from './entry-points.ts';
import type { CounterChange } from './rate-limit-store.ts';
import { usageChanges } from './request-charges.ts';
import type { RequestUsage } from './request-usage.ts';

/** What one request uses, in portions that are charged while it runs. */
export class ChargedUsage {
  readonly #cpu: CpuShares;
  readonly #usage: RequestUsage;
  readonly #entryPoint: EntryPoint;
  /** Undefined while the request waits for its client. */
  #entered: number | undefined;
  /** Microseconds of the main thread that are not taken yet. */
  #cpuMicroseconds = 0;
  /** What was taken before. */
  readonly #taken = { databaseMicroseconds: 0, childCpuMicroseconds: 0, bytesSent: 0 };

  constructor(cpu: CpuShares, usage: RequestUsage, entryPoint: EntryPoint) {
    this.#cpu = cpu;
    this.#usage = usage;
    this.#entryPoint = entryPoint;
    this.work();
  }

  /** The request shares the CPU time of the process from now on. */
  work(): void {
    this.#entered ??= this.#cpu.enter();
  }

  /** The request waits for its client and has no share of the CPU time of others. */
  wait(): void {
    if (this.#entered === undefined) return;
    this.#cpuMicroseconds += this.#cpu.leave(this.#entered);
    this.#entered = undefined;
  }

  /** What was used since the last call, as changes of counters. */
  take(): CounterChange[] {
    if (this.#entered !== undefined) {
      const { used, entered } = this.#cpu.take(this.#entered);
      this.#cpuMicroseconds += used;
      this.#entered = entered;
    }
    this.#usage.update();
    const { databaseMicroseconds, childCpuMicroseconds, bytesSent } = this.#usage;
    const changes = usageChanges(
      this.#cpuMicroseconds,
      {
        databaseMicroseconds: databaseMicroseconds - this.#taken.databaseMicroseconds,
        childCpuMicroseconds: childCpuMicroseconds - this.#taken.childCpuMicroseconds,
        bytesSent: bytesSent - this.#taken.bytesSent,
      },
      this.#entryPoint,
    );
    this.#cpuMicroseconds = 0;
    Object.assign(this.#taken, { databaseMicroseconds, childCpuMicroseconds, bytesSent });
    return changes;
  }
}
