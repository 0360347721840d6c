import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { GitError } from './git-error.ts';

/**
 * What git must not do with a repository that somebody else made: read settings of this machine or account, ask anybody
 * anything, follow replacements instead of the objects, run hooks or programs, or fetch what is missing from somewhere.
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

/** The environment of a git: nothing of this process but where programs are. */
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

/** A git that runs in `folder`. `ended` rejects when it ends badly, with what it said. */
export function startGit(
  folder: string,
  args: readonly string[],
): { process: ChildProcessByStdio<Writable, Readable, Readable>; ended: Promise<void> } {
  const child = spawn('git', [...safeConfigArgs, ...args], { cwd: folder, env: gitEnvironment(), stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 2000) stderr += chunk.toString();
  });
  // A process that ended before it was told everything is told by `ended`.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', error =>
      reject(new GitError('not-a-repository', folder, `git cannot be started: ${error.message}`)),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(new GitError('not-a-repository', folder, `git ${args[0]} ended (${signal ?? code}): ${stderr.trim()}`));
    });
  });
  // Whoever awaits it late still gets the reason; until then it is nobody's unhandled rejection.
  ended.catch(() => {});
  return { process: child, ended };
}

/** Whether there is a git to start. Asked anew each time: it may be installed while this process runs. */
export async function isGitInstalled(): Promise<boolean> {
  return runGit('/', ['--version']).then(
    () => true,
    () => false,
  );
}

/** Runs git to its end and gives what it wrote. */
export async function runGit(folder: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const { process: child, ended } = startGit(folder, args);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  child.stdout.on('data', chunk => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}
