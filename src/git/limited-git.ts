import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { isShortage } from '../errors/shortage.ts';
import { endsFirst } from '../workers/ends-first.ts';
import { ProcessStartError, startProcess } from '../workers/start-process.ts';
import { groupCpuTime } from './process-cpu.ts';
import { gitEnvironment, type RunningGit, safeConfigArgs } from './system-git.ts';

/** Resource limits of a git process that handles untrusted data. */
export interface GitLimits {
  /** Maximum size of a file that git writes. */
  maxFileBytes: number;
  /**
   * Maximum address space. An object that unpacks to gigabytes ends the git process instead of exhausting the machine.
   */
  maxMemoryBytes: number;
}

export interface LimitedGitOptions {
  folder: string;
  limits: GitLimits;
  /** `name=value`; appended to the settings that make git ignore the configuration of the repository. */
  config?: readonly string[];
  /** Added to the default environment. */
  env?: Record<string, string>;
  /** Kills the process group. */
  signal: AbortSignal;
  /** Milliseconds of CPU time after which the process group is killed; asked every second. `ended` rejects with the code `cpu`. */
  maxCpuMs?: () => number;
  /**
   * Called for each line of stderr as it arrives. A carriage return, which git uses to overwrite a progress line, ends
   * a line too.
   */
  onLine?: (line: string) => void;
  /**
   * Called every second, and at the end, with the CPU time of git and its child processes since the last call: user and system, in
   * microseconds. Not called while they use none.
   */
  onCpuTime?: (microseconds: number) => void;
}

/** A git process that failed. `stderr` is the last part of its output and may contain text of third parties. */
export class GitProcessError extends Error {
  override name = 'GitFailed';
  readonly code: number | string;
  readonly stderr: string;

  constructor(code: number | string, stderr: string) {
    super(`git ended (${code})`);
    this.code = code;
    this.stderr = stderr;
  }
}

const maxStderrChars = 4_000;

/**
 * Starts git with kernel resource limits in its own process group, so that its child processes end with it. Node.js has
 * no setrlimit, so a shell sets the limits and runs git. A limit that the kernel does not support is skipped. `ended` rejects with
 * GitProcessError, or with the reason of the signal.
 * @throws ProcessStartError
 */
export function startLimitedGit(args: readonly string[], options: LimitedGitOptions): RunningGit {
  const { folder, limits, config = [], env = {}, signal, maxCpuMs, onLine, onCpuTime } = options;
  signal.throwIfAborted();
  const blocks = String(Math.ceil(limits.maxFileBytes / 512));
  const kibibytes = String(Math.ceil(limits.maxMemoryBytes / 1024));
  const child = startProcess(
    '/bin/sh',
    ['-c', limitScript, 'sh', blocks, kibibytes, ...safeConfigArgs, ...config.flatMap(one => ['-c', one]), ...args],
    {
      cwd: folder,
      env: { ...gitEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    },
  ) as ChildProcessByStdio<Writable, Readable, Readable>;
  let times = '';
  (child.stdio[3] as Readable).on('data', (chunk: Buffer) => {
    times += chunk.toString();
  });
  // A killed process does not report its time.
  let cpuWhenKilled: Promise<number> | undefined;
  const kill = (): void => {
    const { pid } = child;
    if (pid === undefined) return;
    cpuWhenKilled ??= onCpuTime ? groupCpuTime(pid) : Promise.resolve(0);
    void cpuWhenKilled.finally(() => {
      // The shell ends last: then its id may belong to another group.
      if (child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    });
  };
  signal.addEventListener('abort', kill, { once: true });
  let hasUsedUp = false;
  const { pid } = child;
  let reported = 0;
  const report = (total: number): void => {
    if (total <= reported) return;
    onCpuTime?.(total - reported);
    reported = total;
  };
  const watch =
    (maxCpuMs || onCpuTime) && pid !== undefined
      ? setInterval(async () => {
          if (hasUsedUp) return;
          const used = await groupCpuTime(pid);
          report(used);
          if (maxCpuMs === undefined || used <= maxCpuMs() * 1_000) return;
          hasUsedUp = true;
          kill();
        }, cpuWatchMs).unref()
      : undefined;
  let stderr = '';
  let line = '';
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    stderr = (stderr + text).slice(-maxStderrChars);
    const lines = (line + text).split(/[\r\n]/);
    line = (lines.pop() ?? '').slice(-maxStderrChars);
    if (onLine) for (const one of lines) onLine(one);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', error => reject(isShortage(error) ? error : new GitProcessError('start', error.message)));
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      clearInterval(watch);
      void (cpuWhenKilled ?? Promise.resolve(parseTimes(times))).then(time => {
        report(time);
        if (signal.aborted) reject(signal.reason);
        else if (code === 0) resolve();
        else if (hasUsedUp) reject(new GitProcessError('cpu', stderr));
        else if (shortageText.test(stderr)) reject(new ProcessStartError('git', 'EAGAIN'));
        else reject(new GitProcessError(killedBy ?? code ?? 'unknown', stderr));
      });
    });
  });
  ended.catch(() => {});
  return { process: child, ended, kill };
}

/**
 * Starts git in a turn of its own, for requests: a start takes about 10 ms of the main thread, and those of requests that arrive together
 * would follow one another without a turn. The output is to be read from the turn in which this resolves, because at the end of a process
 * Node.js drops what nobody reads. Processes that read from one another start together.
 */
export async function startLimitedGitInTurn(args: readonly string[], options: LimitedGitOptions): Promise<RunningGit> {
  await nextEventLoopTurn();
  return startLimitedGit(args, options);
}

/** What the shell and git say when the kernel gives them no process or descriptor. */
const shortageText = /\b[Cc]annot fork\b|\bfork: |Resource temporarily unavailable|Too many open files/;

/** Most git processes end before the first time. */
const cpuWatchMs = 1_000;

/** The event loop of this process goes first. `times` writes the CPU time of the shell, and on the second line that of its child processes. */
const limitScript = `${endsFirst}ulimit -c 0; ulimit -f "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2
  nice -n 5 git "$@" 3>&-; code=$?; times >&3; exit $code`;

/** Microseconds of the output of `times`: «0m1.250000s 0m0.040000s» twice. */
function parseTimes(text: string): number {
  let seconds = 0;
  for (const [, minutes, rest] of text.matchAll(/\b(\d+)m([\d.]+)s/g)) seconds += Number(minutes) * 60 + Number(rest);
  return Math.round(seconds * 1_000_000);
}

/** Runs git to its end, with `input` on its standard input, and returns its whole output: for short output only. */
export async function runLimitedGit(
  args: readonly string[],
  options: LimitedGitOptions,
  input?: string,
): Promise<Buffer> {
  const { process: child, ended } = await startLimitedGitInTurn(args, options);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  child.stdout.on('data', chunk => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}
