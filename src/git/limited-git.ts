import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment, safeConfigArgs } from './system-git.ts';

/** What a git may use that works on what strangers made. */
export interface GitLimits {
  /** Bytes of one file that it writes. */
  maxFileBytes: number;
  /** Bytes of memory that it may ask for. An object that unpacks to gigabytes ends it, and not this machine. */
  maxMemoryBytes: number;
}

export interface LimitedGitOptions {
  folder: string;
  limits: GitLimits;
  /** `name=value`, after those that keep git from obeying the repository. */
  config?: readonly string[];
  /** Beside PATH and what every git here is given. */
  env?: Record<string, string>;
  /** Ends it and all that it has started. */
  signal: AbortSignal;
  /** A line of what it says, as it comes: it ends a line that it overwrites by a carriage return. */
  onLine?: (line: string) => void;
}

/** A git that ended badly. `said` is the end of what it said, as it said it: it may hold what others wrote. */
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

export interface RunningGit {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Rejects with GitFailed, or with the reason of the signal. */
  ended: Promise<void>;
}

const maxStderrChars = 4_000;

/**
 * Starts git with limits that the kernel holds, in a process group of its own, so that the programs it starts end with it.
 * Limits are set by a shell, which then becomes git: Node has no call for them. Where a kernel knows one of them not, the
 * others still hold.
 */
export function startLimitedGit(args: readonly string[], options: LimitedGitOptions): RunningGit {
  const { folder, limits, config = [], env = {}, signal, onLine } = options;
  signal.throwIfAborted();
  const blocks = String(Math.ceil(limits.maxFileBytes / 512));
  const kibibytes = String(Math.ceil(limits.maxMemoryBytes / 1024));
  const child = spawn(
    '/bin/sh',
    ['-c', limitScript, 'sh', blocks, kibibytes, ...safeConfigArgs, ...config.flatMap(one => ['-c', one]), ...args],
    { cwd: folder, env: { ...gitEnvironment(), ...env }, stdio: 'pipe', detached: true },
  );
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  signal.addEventListener('abort', kill, { once: true });
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
    child.once('error', error => reject(new GitProcessError('start', error.message)));
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve();
      else reject(new GitProcessError(killedBy ?? code ?? 'unknown', stderr));
    });
  });
  ended.catch(() => {});
  return { process: child, ended };
}

const limitScript = 'ulimit -c 0; ulimit -f "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2; exec git "$@"';

/** Runs it to its end and gives what it wrote, of which it keeps everything: for short answers. */
export async function runLimitedGit(args: readonly string[], options: LimitedGitOptions): Promise<Buffer> {
  const { process: child, ended } = startLimitedGit(args, options);
  child.stdin.end();
  const chunks: Buffer[] = [];
  child.stdout.on('data', chunk => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}
