import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OsAccount } from '../../src/db/embedded-account.ts';

export interface ServerProgramOptions {
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  env?: Record<string, string>;
  /** Runs as this account where the harness runs as root. */
  account?: OsAccount | undefined;
  /** File to which its output is appended. */
  logFile: string;
  /** Whether it serves. */
  isReady(): Promise<boolean>;
  /** Signal of an orderly stop; SIGTERM when absent. */
  stopSignal?: NodeJS.Signals;
}

const readyTimeoutMs = 180_000;

/** One server process of a topology, which can end and start again at the same address. */
export class ServerProgram {
  readonly name: string;
  readonly #options: ServerProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ServerProgramOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the process and waits until it serves. @throws Error with the end of its log */
  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Starts the process and does not wait. */
  launch(): void {
    if (this.isRunning) throw new Error(`${this.name} runs already.`);
    const { command, args, cwd, env = {}, account, logFile } = this.#options;
    const log = openSync(logFile, 'a');
    this.#child = spawn(command, args, {
      cwd,
      // biome-ignore lint/style/noProcessEnv: where programs are found.
      env: { PATH: `${process.env.PATH}:/usr/sbin`, LC_ALL: 'C', ...env },
      stdio: ['ignore', log, log],
      ...(account && process.geteuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {}),
    });
    closeSync(log);
    this.#child.once('error', () => {});
  }

  /** Waits until it serves. @throws Error with the end of its log when it ends, or after 3 minutes */
  async ready(): Promise<void> {
    for (const end = Date.now() + readyTimeoutMs; ; await delay(25)) {
      if (await this.#options.isReady().catch(() => false)) return;
      if (!this.isRunning) throw new Error(`${this.name} ended (${this.ending}):\n${this.log.slice(-3_000)}`);
      if (Date.now() > end) throw new Error(`${this.name} is not ready:\n${this.log.slice(-3_000)}`);
    }
  }

  /** Waits for its end, which a signal to it or another process has caused. */
  async ended(): Promise<void> {
    if (this.isRunning && this.#child) await once(this.#child, 'exit');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    this.signal(this.#options.stopSignal ?? 'SIGTERM');
    await this.ended();
  }

  /** What it has printed. */
  get log(): string {
    return readFileSync(this.#options.logFile, 'utf8');
  }

  /** Its exit status or the signal that ended it. */
  get ending(): string {
    return String(this.#child?.signalCode ?? this.#child?.exitCode ?? 'not started');
  }
}

/** Whether a server accepts connections at this port of 127.0.0.1. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

/**
 * A free port below the range from which the system takes ports of outgoing connections: one of those could take the port while
 * its server is down.
 */
export async function freeListenPort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>(resolve => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error('No port from 20000 to 32000 is free.');
}
