import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { adapters } from './adapters.ts';

const root = join(import.meta.dirname, '..', '..');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/** `npm test` runs the suite through Node's own server. */
const others = adapters.filter(one => one !== 'node-http');

test.each(others)(
  'the suite of this folder passes through %s',
  async adapter => {
    // biome-ignore lint/style/noProcessEnv: the environment of a child process.
    const env = { ...process.env, FACADE_ADAPTER: adapter };
    const args = ['--experimental-vm-modules', jest, 'test/facade', '--json', '--silent', '--maxWorkers=50%'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout: string }) => error);
    const { numFailedTests, numRuntimeErrorTestSuites, numPassedTests, testResults } = JSON.parse(stdout) as {
      numFailedTests: number;
      numRuntimeErrorTestSuites: number;
      numPassedTests: number;
      testResults: { status: string; name: string; message: string }[];
    };
    expect(testResults.filter(one => one.status === 'failed').map(one => `${one.name}: ${one.message}`)).toEqual([]);
    expect([numFailedTests, numRuntimeErrorTestSuites]).toEqual([0, 0]);
    expect(numPassedTests).toBeGreaterThan(900);
  },
  600_000,
);
