import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageVersion } from '../harness/client-gateway.ts';

const root = join(import.meta.dirname, '..', '..');
const table = readFileSync(join(root, 'docs', 'clients.md'), 'utf8');
const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => ({ file: `test/${name}`, text: readFileSync(join(root, 'test', name), 'utf8') }))
  .filter(({ text }) => /^import \{ [^}]*clientGateway/m.test(text));

test('the printed table has each file of client tests, with the versions that are installed', () => {
  expect(sources.length).toBeGreaterThan(10);
  const missing = sources.flatMap(({ file, text }) => {
    const rows = table.split('\n').filter(line => line.endsWith(`| \`${file}\` |`));
    const packages = [...text.matchAll(/usedBy\('([^']+)', packageVersion\(/g)].map(([, name = '']) => name);
    const isPrinted = (name: string): boolean =>
      rows.some(row => row.startsWith(`| ${name} | ${packageVersion(name)} |`));
    return rows.length === 0 ? [file] : packages.filter(name => !isPrinted(name)).map(name => `${file}: ${name}`);
  });
  // After a change: `npm run print-clients`.
  expect(missing).toEqual([]);
});

test('every client in the table passes', () => {
  const results = [...table.matchAll(/\| (\d+) of (\d+) tests pass \|/g)];
  expect(results.length).toBeGreaterThan(10);
  expect(results.filter(([, passed, all]) => passed !== all || all === '0')).toEqual([]);
});
