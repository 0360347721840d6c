import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const [, section = ''] = /^## Promises$(.*?)^## /ms.exec(readFileSync('docs/security.md', 'utf8')) ?? [];
const rows = section
  .split('\n')
  .filter(line => line.startsWith('| '))
  .slice(1)
  .map(line => line.split('|').map(cell => cell.trim()));

describe('docs/security.md', () => {
  test('has a table of promises', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each(rows.map(([, promise = '', tests = '']) => [promise, tests]))('%s', (promise, tests) => {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(promise).not.toBe('');
    expect(files).not.toEqual([]);
    for (const file of files) expect([file, existsSync(file), /\.test\.ts$/.test(file)]).toEqual([file, true, true]);
  });
});
