import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a process ended: its exit status, or the signal that ended it. */
export type Ending = number | NodeJS.Signals;

const start = join(import.meta.dirname, '..', '..', 'scripts', 'start.ts');

/** The gateway as people start it: `node scripts/start.ts`, in a folder of its own and with no settings but those given. */
export class Program {
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-program-'));
  output = '';
  errors = '';
  ending: Ending | undefined;

  constructor(settings: Record<string, string>) {
    this.#child = spawn(process.execPath, [start], {
      cwd: this.folder,
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

  /** Waits until it has printed what matches; rejects when it ends before or takes too long. Gives the match. */
  async printed(pattern: RegExp, waitTimeoutMs = 60_000): Promise<RegExpExecArray> {
    await this.#wait(() => pattern.test(this.output) || this.ending !== undefined, waitTimeoutMs);
    const found = pattern.exec(this.output);
    if (!found)
      throw new Error(`It ended (${this.ending}) before it printed ${pattern}:\n${this.output}${this.errors}`);
    return found;
  }

  /** The most memory it has had since `forgetPeak` was called, in megabytes, as Linux counts it. */
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

  /** Ends it, however it is, and removes its folder. */
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

  #wait(happened: () => boolean, waitTimeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(look);
        reject(new Error(`Nothing for ${waitTimeoutMs} ms:\n${this.output}${this.errors}`));
      }, waitTimeoutMs);
      const look = (): void => {
        if (!happened()) return;
        clearTimeout(timer);
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }
}
