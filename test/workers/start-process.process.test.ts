import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ProcessStartError, startProcess } from '../../src/workers/start-process.ts';

const program = join(import.meta.dirname, 'without-descriptors-worker.ts');

test('a child process that cannot be started for lack of descriptors is an error of its caller, in each way to start one', async () => {
  const { stdout } = await promisify(execFile)(
    '/bin/sh',
    [
      '-c',
      'ulimit -n 64; exec "$@"',
      'sh',
      process.execPath,
      '--conditions=operation-rest-source',
      '--disable-warning=ExperimentalWarning',
      program,
    ],
    { env: {} },
  );
  expect(JSON.parse(stdout)).toEqual({
    startProcess: 'EMFILE',
    startLimitedGit: 'EMFILE',
    runGit: 'EMFILE',
    WorkProcess: 'EMFILE',
  });
});

test('an error of the start that comes later ends no process, whoever listens', async () => {
  const child = startProcess('/nonexistent/program', [], { stdio: 'pipe' });
  expect(child.stdout).not.toBeNull();
  const [error] = await new Promise<unknown[]>(resolve => child.once('error', (...all) => resolve(all)));
  expect(error).toMatchObject({ code: 'ENOENT' });
});

test('what spawn throws names the program and the code', () => {
  // Longer than the kernel takes: spawn throws, as for lack of memory.
  const start = (): unknown => startProcess('/bin/true', ['x'.repeat(200_000)], {});
  expect(start).toThrow(ProcessStartError);
  expect(start).toThrow('/bin/true cannot be started (E2BIG).');
});
