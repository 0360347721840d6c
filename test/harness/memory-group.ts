import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const versionOne = '/sys/fs/cgroup/memory';
const versionTwo = '/sys/fs/cgroup';

/** A control group of the kernel, as a container has one, whose processes have a limit of memory together. */
export class MemoryGroup {
  readonly #path: string;
  readonly #files: { limit: string; peak: string };

  private constructor(path: string, files: { limit: string; peak: string }) {
    this.#path = path;
    this.#files = files;
  }

  /** Undefined where this account may make none. */
  static make(name: string, megabytes: number): MemoryGroup | undefined {
    const isOne = existsSync(join(versionOne, 'memory.limit_in_bytes'));
    const path = join(isOne ? versionOne : versionTwo, `${name}-${process.pid}`);
    const files = isOne
      ? { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' }
      : { limit: 'memory.max', peak: 'memory.peak' };
    try {
      mkdirSync(path);
      writeFileSync(join(path, files.limit), String(megabytes * 1024 * 1024));
      return new MemoryGroup(path, files);
    } catch {
      return undefined;
    }
  }

  /** Starts what follows it in the group. */
  get prefix(): string[] {
    return ['/bin/sh', '-c', `echo $$ > ${this.#path}/cgroup.procs && exec "$@"`, 'sh'];
  }

  /** Megabytes of all processes together at most, with pages of files that the kernel may drop. */
  get peak(): number {
    return Number(this.#read(this.#files.peak)) / 1024 / 1024;
  }

  /** Process ids. */
  get members(): number[] {
    return this.#read('cgroup.procs').trim().split('\n').filter(Boolean).map(Number);
  }

  /** Its processes have ended. */
  remove(): void {
    rmdirSync(this.#path);
  }

  #read(file: string): string {
    return readFileSync(join(this.#path, file), 'utf8');
  }
}
