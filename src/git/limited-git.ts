import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment, safeConfigArgs } from './system-git.ts';

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
  /**
   * Called for each line of stderr as it arrives. A carriage return, which git uses to overwrite a progress line, ends
   * a line too.
   */
  onLine?: (line: string) => void;
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

export interface RunningGit {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Rejects with GitProcessError, or with the reason of the signal. */
  ended: Promise<void>;
}

const maxStderrChars = 4_000;

/**
 * Starts git with kernel resource limits in its own process group, so that its child processes end with it. Node.js has
 * no setrlimit, so a shell sets the limits and then executes git. A limit that the kernel does not support is skipped.
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
      // The process has already ended.
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

/** Runs git to its end and returns its whole output: for short output only. */
export async function runLimitedGit(args: readonly string[], options: LimitedGitOptions): Promise<Buffer> {
  const { process: child, ended } = startLimitedGit(args, options);
  child.stdin.end();
  const chunks: Buffer[] = [];
  child.stdout.on('data', chunk => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}
