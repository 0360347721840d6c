import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endsFirst } from './ends-first.ts';
import { startProcess } from './start-process.ts';
import {
  type FromWorkProcess,
  outOfMemoryCode,
  type ToWorkProcess,
  type WorkOrder,
  type WorkStart,
} from './work-messages.ts';

export interface WorkProcessOptions {
  /** Module that calls `serveWork`. As for a `WorkerTask`, it must be erasable TypeScript in the sources. */
  program: URL;
  start: WorkStart;
  /** Megabytes of the old generation of V8. */
  maxHeapMb: number;
  /** Megabytes of everything that the process allocates after its start, Buffers included: RLIMIT_DATA. */
  maxDataMb: number;
  /** Seconds of CPU time after which the kernel ends it: it may have lost its parent in the middle of its work. */
  maxCpuSeconds: number;
  /** Time to start and to load the program. Node.js with it takes about half a second, and several times as long under load. */
  maxStartMs: number;
}

/** The end of a process while it ran a computation. */
export class WorkProcessEnded extends Error {
  readonly reason: 'deadline' | 'killed' | 'memory';
  /** Milliseconds since it was given the computation: it cannot be asked any more what CPU time it used. */
  readonly ranMs: number;

  constructor(reason: WorkProcessEnded['reason'], ranMs: number) {
    super(`A process for heavy work ended (${reason}).`);
    this.reason = reason;
    this.ranMs = ranMs;
  }
}

/** The process could not start, whatever it was to compute. */
export class WorkProcessUnstarted extends Error {}

type Done = Extract<FromWorkProcess, { kind: 'done' }>;

/**
 * The limits are those of the kernel, because V8 bounds neither Buffers nor a growing Map: threads with such limits end the whole
 * process. A limit that the kernel does not have is skipped; Windows has no shell, no limit but that of the heap, and no niceness.
 */
const limitScript = `${endsFirst}ulimit -c 0; ulimit -t "$1" 2>/dev/null; shift; exec nice -n 10 "$@"`;

/**
 * Megabytes of each half of the young generation from the start. V8 grows it from 1 MB, and copies what survives until then: with it, a
 * comparison of 60 files takes 102 ms at the median instead of 110.
 */
const semiSpaceMb = 16;

/** Ends for lack of memory: V8 calls abort() or traps, and `serveWork` exits where an array buffer cannot be allocated. */
const memoryEnds: ReadonlySet<unknown> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', outOfMemoryCode]);

/** In which work whose signal is aborted ends its own processes of git. */
const abortGraceMs = 5_000;

/** A child process that runs one computation at a time. It does not keep this process alive. */
export class WorkProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #settle: ((done: Done | undefined) => void) | undefined;
  #overdue = false;
  /** Whether it has ended or is about to. */
  hasEnded = false;

  constructor(options: WorkProcessOptions) {
    const { program, start, maxHeapMb, maxDataMb, maxCpuSeconds, maxStartMs } = options;
    const heap = [`--max-old-space-size=${maxHeapMb}`, `--min-semi-space-size=${semiSpaceMb}`];
    // The sources import those of the packages, which are not built yet.
    const sources = program.pathname.endsWith('.ts') ? ['--conditions=operation-rest-source'] : [];
    const node = [process.execPath, ...heap, ...sources, '--disable-warning=ExperimentalWarning'];
    const command = [...node, fileURLToPath(program)];
    const [file, args] =
      process.platform === 'win32'
        ? [process.execPath, command.slice(1)]
        : ['/bin/sh', ['-c', limitScript, 'sh', `${maxCpuSeconds}`, ...command]];
    this.#child = startChild(file, args, {
      // What it writes to stderr at its end is the log of V8: the reason is in its signal.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: environment(),
    });
    const startTimer = setTimeout(() => this.end(), maxStartMs);
    this.#ready = new Promise((resolve, reject) => {
      const fail = (): void => reject(new WorkProcessUnstarted('A process for heavy work could not start.'));
      this.#child.on('message', (message: FromWorkProcess) => {
        if (message.kind === 'done') return this.#settle?.(message);
        clearTimeout(startTimer);
        void limitData(this.#child.pid, message.dataBytes, maxDataMb).then(resolve);
      });
      this.#child.on('error', fail);
      this.#child.on('exit', (_code, signal) => {
        clearTimeout(startTimer);
        // Somebody has killed it: that says nothing of the next one.
        if (signal !== null && !this.hasEnded) reject(new WorkProcessEnded('killed', 0));
        fail();
        this.hasEnded = true;
        this.#settle?.(undefined);
      });
    });
    this.#ready.catch(() => {});
    // A message that it does not read any more.
    this.#send(start);
    this.#holdOpen(false);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Runs a computation, which is ended after `deadlineMs`, and soon after the signal is aborted. The start of the process does not count.
   * @throws WorkProcessEnded, WorkProcessUnstarted
   */
  async run(order: WorkOrder, deadlineMs: number, signal?: AbortSignal): Promise<Done> {
    this.#holdOpen(true);
    try {
      await this.#ready;
      return await this.#compute(order, deadlineMs, signal);
    } finally {
      this.#holdOpen(false);
    }
  }

  /** Whether this process stays alive for the sake of the child process. */
  #holdOpen(isHeld: boolean): void {
    for (const one of [this.#child, this.#child.channel]) {
      if (isHeld) one?.ref();
      else one?.unref();
    }
  }

  async #compute(order: WorkOrder, deadlineMs: number, signal: AbortSignal | undefined): Promise<Done> {
    const startedAt = performance.now();
    const timer = Number.isFinite(deadlineMs)
      ? setTimeout(() => {
          this.#overdue = true;
          this.end();
        }, deadlineMs)
      : undefined;
    let abortTimer: NodeJS.Timeout | undefined;
    const abort = (): void => {
      this.#send({ kind: 'abort' });
      abortTimer = setTimeout(() => this.end(), abortGraceMs);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const done = await new Promise<Done | undefined>(resolve => {
        this.#settle = resolve;
        if (this.hasEnded) resolve(undefined);
        else this.#send(order);
        if (signal?.aborted) abort();
      });
      if (!done) throw new WorkProcessEnded(this.#reason(), performance.now() - startedAt);
      return done;
    } finally {
      this.#settle = undefined;
      clearTimeout(timer);
      clearTimeout(abortTimer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends it at once, also in the middle of a computation. */
  end(): void {
    this.hasEnded = true;
    this.#child.kill('SIGKILL');
  }

  #reason(): WorkProcessEnded['reason'] {
    if (this.#overdue) return 'deadline';
    return memoryEnds.has(this.#child.signalCode ?? this.#child.exitCode) ? 'memory' : 'killed';
  }

  #send(message: ToWorkProcess): void {
    this.#child.send(message, error => {
      // The exit of the process is reported to `run`.
      if (error) this.end();
    });
  }
}

/** @throws WorkProcessUnstarted */
function startChild(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return startProcess(file, args, options);
  } catch (error) {
    throw new WorkProcessUnstarted('A process for heavy work could not start.', { cause: error });
  }
}

/**
 * Limits what a process may allocate from now on. Not by `ulimit -d` before its start: the kernel counts 575 MB as data that Node.js only
 * reserves, and another number on another machine. Without `prlimit` (util-linux), only the heap has a limit.
 */
async function limitData(pid: number | undefined, startBytes: number | undefined, maxMb: number): Promise<void> {
  if (pid === undefined || startBytes === undefined) return;
  const bytes = startBytes + maxMb * 1024 * 1024;
  let limiter: ChildProcess;
  try {
    limiter = startProcess('prlimit', [`--pid=${pid}`, `--data=${bytes}:${bytes}`], {
      stdio: 'ignore',
      env: environment(),
    });
  } catch {
    return;
  }
  await new Promise<void>(resolve => {
    limiter.on('error', () => resolve());
    limiter.on('exit', () => resolve());
  });
}

/** Variables by which Node.js and `pg` find programs, certificates and servers. Settings and secrets are not among them. */
function environment(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: handed on to the child process, and not read here.
  const all = process.env;
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => /^(PATH|PG[A-Z]+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|TZ)$/.test(name)),
  );
}
