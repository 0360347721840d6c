import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is true of the whole tree, each claim a sentence; all are tried, and one that does not hold makes the exit code 1. */
const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

const claims: [sentence: string, run: () => string | undefined][] = [
  ['The types hold', () => run(bin('tsc'), '-p', '.')],
  // What is built is checked by itself: a test that is left out of it can be what made a type known.
  ['The types of what is built hold', () => run(bin('tsc'), '-p', 'tsconfig.build.json', '--noEmit')],
  ['The code is formatted and lint finds nothing', () => run(bin('biome'), 'check', '--error-on-warnings', '.')],
  [
    'Imports go one way, without cycles',
    () =>
      run(
        bin('depcruise'),
        '--config',
        '.dependency-cruiser.mjs',
        'schema',
        'src',
        'rest-facade',
        'seeds',
        'test',
        'bench',
        'scripts',
      ),
  ],
  ['Nothing is dead', () => run(bin('knip'))],
  [
    'Printed files are current and every root field has an access scope',
    () => run(process.execPath, 'scripts/print.ts', '--check'),
  ],
  ['Names say what is inside', noDrawers],
  ['The lockfile holds no addresses', noAddresses],
];

function run(command: string, ...args: string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? undefined : `${stdout}${stderr}`.trim();
}

function tracked(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
}

function noDrawers(): string | undefined {
  const drawers = tracked().filter(file => /(^|\/)(utils?|helpers?|common|misc|shared|lib|index)(\/|\.ts$)/.test(file));
  return drawers.length > 0 ? `Give these a name that promises something: ${drawers.join(', ')}` : undefined;
}

function noAddresses(): string | undefined {
  const found = /"resolved": "http/.test(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return found ? 'package-lock.json names a registry; .npmrc has omit-lockfile-registry-resolved=true.' : undefined;
}

for (const [sentence, prove] of claims) {
  const started = performance.now();
  const complaint = prove();
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`${complaint === undefined ? 'ok  ' : 'FAIL'} ${sentence} (${time})`);
  if (complaint === undefined) continue;
  console.log(complaint.replace(/^/gm, '     '));
  process.exitCode = 1;
}
