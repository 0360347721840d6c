import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a process ended: exit status or signal. */
export type Ending = number | NodeJS.Signals;

const start = join(import.meta.dirname, '..', '..', 'scripts', 'start.ts');

/** How a test starts the gateway. */
export interface ProgramLaunch {
  /** A program and arguments that start what follows them, such as a shell that sets limits first. */
  prefix?: readonly string[];
  /** What starts the gateway, in the folder `cwd`; `node scripts/start.ts` in the folder of the program when absent. */
  command?: { line: readonly [program: string, ...args: string[]]; cwd: string };
}

/** The gateway as operators start it: `node scripts/start.ts`, in its own folder and with only the given settings. */
export class Program {
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-program-'));
  output = '';
  errors = '';
  ending: Ending | undefined;

  constructor(settings: Record<string, string>, { prefix = [], command }: ProgramLaunch = {}) {
    const [program = '', ...args] = [...prefix, ...(command?.line ?? [process.execPath, start])];
    this.#child = spawn(program, args, {
      cwd: command?.cwd ?? this.folder,
      env: { PORTICO_DATA: this.folder, PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', chunk => {
      this.output += chunk;
      this.#changed();
    });
    this.#child.stderr?.on('data', chunk => {
      this.errors += chunk;
      this.#changed();
    });
    this.#child.once('close', (code, signal) => {
      this.ending = signal ?? code ?? 0;
      this.#changed();
    });
  }

  /** Waits until the output matches; rejects if the process exits first or after the timeout. Returns the match. */
  async printed(pattern: RegExp, waitTimeoutMs = 60_000): Promise<RegExpExecArray> {
    await this.#wait(() => pattern.test(this.output) || this.ending !== undefined, waitTimeoutMs);
    const found = pattern.exec(this.output);
    if (!found)
      throw new Error(`It ended (${this.ending}) before it printed ${pattern}:\n${this.output}${this.errors}`);
    return found;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Peak memory since `forgetPeak`, in megabytes, as Linux reports it (VmHWM). */
  peak(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ended(waitTimeoutMs = 60_000): Promise<Ending> {
    await this.#wait(() => this.ending !== undefined, waitTimeoutMs);
    return this.ending as Ending;
  }

  /** Kills the process if it still runs, and removes its folder. */
  async remove(): Promise<void> {
    if (this.ending === undefined) {
      this.signal('SIGKILL');
      await this.ended();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #wait(isMet: () => boolean, waitTimeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        reject(new Error(`Nothing for ${waitTimeoutMs} ms:\n${this.output}${this.errors}`));
      }, waitTimeoutMs);
      const check = (): void => {
        if (!isMet()) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }
}
