import { spawn } from 'node:child_process';
import { gitEnvironment } from '../harness/git-environment.ts';

/** Runs the system's git, for at most a minute. */
export function git(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn('git', ['-c', 'gc.auto=0', '-c', 'safe.directory=*', ...args], {
    cwd,
    env: gitEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    output.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    output.stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ code: code ?? -1, ...output }));
  });
}
