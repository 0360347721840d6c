import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { ownedFolderName, removeStrayFolders } from '../../src/git/owned-folders.ts';

const root = mkdtempSync(join(tmpdir(), 'portico-owned-'));
const module = join(import.meta.dirname, '..', '..', 'dist', 'src', 'git', 'owned-folders.js');
const child = spawn(
  process.execPath,
  [
    '--input-type=module',
    '-e',
    `const { ownedFolderName } = await import(${JSON.stringify(module)}); console.log(ownedFolderName()); setInterval(() => {}, 1000);`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

const hourMs = 3_600_000;
const clean = (keep?: Set<string>): Promise<void> =>
  removeStrayFolders(root, { ...(keep ? { keep } : {}), strayAfterMs: 6 * hourMs });
const folder = (name: string): string => {
  mkdirSync(join(root, name));
  return name;
};
const left = (...names: string[]): boolean[] => names.map(name => existsSync(join(root, name)));

test('a folder goes at once with its process, and otherwise when it is old', async () => {
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const other = folder(line.toString().trim());
  const own = folder(ownedFolderName());
  // The same process id after a restart of a container, whose first process is always the same: another start.
  const former = folder(own.replace(/^(\d+)-\d+-/, '$1-1-'));
  const elsewhere = folder(own.replace(/^(\d+-\d+)-[0-9a-f]{12}-/, '$1-000000000000-'));
  const unnamed = folder('of-an-older-version');
  await clean();
  expect(left(other, own, former, elsewhere, unnamed)).toEqual([true, true, false, true, true]);

  child.kill('SIGKILL');
  await once(child, 'exit');
  await clean(new Set([other]));
  expect(left(other)).toEqual([true]);
  await clean();
  expect(left(other, own)).toEqual([false, true]);

  const longAgo = (Date.now() - 7 * hourMs) / 1000;
  for (const name of [elsewhere, unnamed]) utimesSync(join(root, name), longAgo, longAgo);
  await clean();
  expect(left(own, elsewhere, unnamed)).toEqual([true, false, false]);
});

test('a root that does not exist has none', async () => {
  await removeStrayFolders(join(root, 'absent'), { strayAfterMs: 1 });
});
