import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { GitProcessError, type LimitedGitOptions, startLimitedGit } from '../../src/git/limited-git.ts';

const limits: LimitedGitOptions['limits'] = { maxFileBytes: 2 ** 30, maxMemoryBytes: 2 ** 31 };

const folder = mkdtempSync(join(tmpdir(), 'portico-limited-git-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a shell script as a child process of git. */
function run(script: string, options: Partial<LimitedGitOptions> = {}) {
  const times: number[] = [];
  const running = startLimitedGit(['work'], {
    folder,
    limits,
    config: [`alias.work=!${script}`],
    signal: new AbortController().signal,
    onCpuTime: time => times.push(time),
    ...options,
  });
  running.process.stdin.end();
  let output = '';
  running.process.stdout.on('data', chunk => {
    output += chunk;
  });
  return { ...running, times, output: () => output };
}

/** Processes of a group that have not ended. */
function runningIn(group: number): number {
  const states = readdirSync('/proc').map(name => {
    try {
      const [state, , of] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      return Number(of) === group && state !== 'Z';
    } catch {
      return false;
    }
  });
  return states.filter(Boolean).length;
}

const count = (to: number): string => `i=0; while [ $i -lt ${to} ]; do i=$((i+1)); done`;

const sumOf = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0);

test('the CPU time of child processes is reported', async () => {
  const { ended, times } = run(count(300_000));
  await ended;
  // One addition of a shell takes more than a tenth of a microsecond on every machine.
  expect(sumOf(times)).toBeGreaterThan(30_000);
});

test('and while they run, each portion once', async () => {
  const stop = new AbortController();
  const { ended, times } = run('while :; do :; done', { signal: stop.signal });
  while (times.length < 2) await new Promise(later => setTimeout(later, 50));
  stop.abort();
  await ended.catch(() => {});
  expect(times.every(time => time > 0)).toBe(true);
  expect(times.length).toBeGreaterThanOrEqual(2);
});

test('also of processes that are killed, with all of their group', async () => {
  const stop = new AbortController();
  const {
    process: child,
    ended,
    times,
  } = run(`${count(300_000)}; echo counted; cat /dev/zero >/dev/null`, {
    signal: stop.signal,
  });
  await new Promise(resolve => child.stdout.once('data', resolve));
  stop.abort(new Error('stopped'));
  await expect(ended).rejects.toThrow('stopped');
  expect(sumOf(times)).toBeGreaterThan(30_000);
  // The kernel ends them one after the other. Waiting longer than the test may take fails it.
  while (runningIn(child.pid ?? 0) > 0) await new Promise(resolve => setImmediate(resolve));
});

test('an exit code and stderr are those of git', async () => {
  const { ended } = run('echo wrong >&2; exit 3');
  const error = await ended.catch((one: unknown) => one);
  expect(error).toBeInstanceOf(GitProcessError);
  expect(error).toMatchObject({ stderr: expect.stringContaining('wrong') });
});

test('a file beyond the limit ends the process', async () => {
  const { ended } = run('head -c 100000 /dev/zero > zeros && echo written', {
    limits: { ...limits, maxFileBytes: 51_200 },
  });
  await expect(ended).rejects.toBeInstanceOf(GitProcessError);
});
