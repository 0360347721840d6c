import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { refusedEngines } from './engines.ts';

/**
 * Checks the source tree. All checks run at the same time. A check that fails prints its output and sets exit code 1.
 *
 * They take 26 s of CPU time, and 10 s where the last run's results in `node_modules/.cache` still hold. Without results the regular
 * expressions take some minutes more.
 */
const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

const folders = [
  'schema',
  'src',
  'rest-facade',
  'packages/operation-rest/src',
  'packages/triage/src',
  'seeds',
  'test',
  'bench',
  'scripts',
];

/** Resolves to undefined, or to a description of the violation. */
type Check = () => Promise<string | undefined>;

const checks: [name: string, check: Check][] = [
  ['Types', () => run(bin('tsc'), '-p', '.', '--incremental', '--tsBuildInfoFile', join(cache, 'tsc.tsbuildinfo'))],
  [
    // Without the tests, whose imports can hide a type error.
    'Types of what is built',
    () =>
      run(
        bin('tsc'),
        ...['-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', join(cache, 'tsc-build.tsbuildinfo')],
      ),
  ],
  [
    'Build, printed files, and an access word on every root field',
    () => run(process.execPath, 'scripts/print.ts', '--check'),
  ],
  ['Import rules', () => run(bin('depcruise'), '--config', '.dependency-cruiser.mjs', ...folders)],
  ['Unused files, exports and dependencies', () => run(bin('knip'), '--cache')],
  ['Format and lint', () => run(bin('biome'), 'check', '--error-on-warnings', '.')],
  ['Conventions of the schema', () => run(process.execPath, 'scripts/lint-graph.ts')],
  ['Operations on the served graph', () => run(process.execPath, 'scripts/lint-operations.ts')],
  ['Regular expressions', () => run(process.execPath, 'scripts/check-regular-expressions.ts')],
  ['File names', async () => vagueFileNames()],
  ['Lockfile', async () => registryAddresses()],
  ['Engines of packages', async () => refusedEngines()],
];

/** Runs a command to its end. Resolves to its output if it failed. */
async function run(command: string, ...args: string[]): Promise<string | undefined> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return status === 0 ? undefined : `${output}${errors}`.trim();
}

function vagueFileNames(): string | undefined {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const vague = files.filter(file => /(^|\/)(utils?|helpers?|common|misc|shared|lib|index)(\/|\.ts$)/.test(file));
  return vague.length > 0 ? `Rename these after what they contain: ${vague.join(', ')}` : undefined;
}

function registryAddresses(): string | undefined {
  const found = /"resolved": "http/.test(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return found ? 'package-lock.json names a registry; .npmrc has omit-lockfile-registry-resolved=true.' : undefined;
}

await Promise.all(
  checks.map(async ([name, check]) => {
    const start = performance.now();
    const failure = await check();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (failure === undefined) return;
    console.log(failure.replace(/^/gm, '     '));
    process.exitCode = 1;
  }),
);
