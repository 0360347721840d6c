import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-lint-'));
  const rule = join(root, 'scripts/spread-arguments.grit');
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [rule], linter: { rules: { preset: 'none' } } }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isRefused(statement: string): boolean {
  writeFileSync(join(folder, 'sample.ts'), `declare const list: number[];\n${statement}\n`);
  const { stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', 'sample.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stderr.includes('limited by the stack');
}

test.each([
  'list.push(...list);',
  'list.unshift(...list);',
  'list.splice(0, 1, ...list);',
  'Math.max(0, ...list.map(one => one + 1));',
  'String.fromCharCode(...list);',
  'new Date(...(list as [number]));',
  'list.push.apply(list, list);',
  'Reflect.apply(Math.max, undefined, list);',
])('a list that is spread into a call is refused: %s', statement => {
  expect(isRefused(statement)).toBe(true);
});

test.each([
  'list.concat([...list, ...list]);',
  'Math.max(0, [...list].length);',
  'const job = { apply: (one: number[]) => one }; job.apply(list);',
  '// biome-ignore lint/plugin/spread-arguments: three numbers\nMath.max(...list);',
])('array literals, other functions named apply, and a list with a bound are allowed: %s', statement => {
  expect(isRefused(statement)).toBe(false);
});
