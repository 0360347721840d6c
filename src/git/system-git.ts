import type { ChildProcessByStdio, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isShortage } from '../errors/shortage.ts';
import { startProcess } from '../workers/start-process.ts';
import { GitError } from './git-error.ts';

/**
 * Settings for work on an untrusted repository: git ignores the configuration of the machine and the account, never
 * prompts, ignores replace refs, runs no hooks or other programs, and fetches nothing.
 */
export const safeConfigArgs: readonly string[] = [
  'safe.directory=*',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap(setting => ['-c', setting]);

/** The environment of a git process: PATH is the only variable taken from this process. */
export function gitEnvironment(): Record<string, string> {
  // biome-ignore lint/style/noProcessEnv: where the program is found, and nothing else of it.
  const { PATH } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
  };
}

/** A git process. */
export interface RunningGit {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Rejects when git fails. */
  ended: Promise<void>;
  /** Ends it and its child processes. */
  kill(): void;
}

/**
 * Starts git in `folder`. `ended` rejects with the first 2,000 characters of stderr when git fails.
 * @throws ProcessStartError
 */
export function startGit(folder: string, args: readonly string[]): RunningGit {
  const child = startProcess('git', [...safeConfigArgs, ...args], {
    cwd: folder,
    env: gitEnvironment(),
    stdio: 'pipe',
  }) as ChildProcessWithoutNullStreams;
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 2000) stderr += chunk.toString();
  });
  // A process that ends before it has read its input is reported by `ended`.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', error =>
      reject(
        isShortage(error) ? error : new GitError('not-a-repository', folder, `git cannot be started: ${error.message}`),
      ),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(new GitError('not-a-repository', folder, `git ${args[0]} ended (${signal ?? code}): ${stderr.trim()}`));
    });
  });
  // Prevents an unhandled rejection; callers that await `ended` later still get the reason.
  ended.catch(() => {});
  return { process: child, ended, kill: () => void child.kill() };
}

/** Whether git can be started. Not cached: git may be installed while this process runs. */
export async function isGitInstalled(): Promise<boolean> {
  return runGit('/', ['--version']).then(
    () => true,
    () => false,
  );
}

/** What a start tells of a git that is absent, or that cannot do all that is asked of it. */
export async function gitWarning(): Promise<string | undefined> {
  const text = await runGit('/', ['--version']).catch(() => undefined);
  if (!text) return 'git cannot be started: fetches, pushes, imports, merges and renames of files need it in the PATH.';
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(text.toString()) ?? [];
  if (Number(major) > 2 || (major === '2' && Number(minor) >= 38)) return undefined;
  return `git ${major}.${minor} is older than 2.38: merges of files that both sides have changed are refused.`;
}

/**
 * Runs git to its end and returns its output.
 * @throws GitError `not-a-repository` when git fails
 */
export async function runGit(folder: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const { process: child, ended } = startGit(folder, args);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  child.stdout.on('data', chunk => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}
