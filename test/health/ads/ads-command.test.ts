import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../../src/db/database.ts';
import { type AdOptions, addAdCommand, endAdCommand, listAdsCommand } from '../../../src/health/ads/ads.commands.ts';
import { testDatabase } from '../../harness/gateway.ts';

const root = join(import.meta.dirname, '../../..');
const url = await testDatabase('empty');

/** Runs a command of the program and returns its output. */
function ads(...words: string[]): { status: number | null; out: string; err: string } {
  const program = join(root, 'dist/src/command-line/portico.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'ads', ...words], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: '', DATABASE_URL: url },
  });
  return { status, out: stdout, err: stderr };
}

test('ads are added, listed and ended', async () => {
  const database = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 10_000 });
  const lines: string[] = [];
  const around = {
    db: database.sql,
    now: new Date('2026-11-01T12:00:00Z'),
    write: (line: string) => void lines.push(line),
  };
  const add = (options: Partial<AdOptions>) =>
    addAdCommand({ title: 'A <b>walk</b>', target: 'https://walk.example.org', ...options }, around);
  try {
    await listAdsCommand(around);
    await add({ impressions: '5' });
    await add({ title: 'Later', starts: '2999-01-01' });
    await add({ title: 'Over', ends: '2026-11-01T12:00:00Z' });
    await listAdsCommand(around);
    expect(await endAdCommand('1', around)).toBe(true);
    for (const id of ['1', '99', 'x', '1.5']) expect(await endAdCommand(id, around)).toBe(false);
    await expect(add({ ends: 'soon' })).rejects.toMatchObject({
      extensions: { problems: [{ path: ['ends'] }] },
    });
  } finally {
    await database.close();
  }
  expect(lines).toEqual([
    'There are no ads.',
    'Ad 1 added.',
    'Ad 2 added.',
    'Ad 3 added.',
    '3\tover\tweight 1\t0 shown, 0 clicked\tOver\thttps://walk.example.org/',
    '2\twaiting\tweight 1\t0 shown, 0 clicked\tLater\thttps://walk.example.org/',
    '1\tlive\tweight 1\t0 of 5 shown, 0 clicked\tA <b>walk</b>\thttps://walk.example.org/',
    'Ad 1 ended.',
    'There is no running ad 1.',
    'There is no running ad 99.',
    'There is no running ad x.',
    'There is no running ad 1.5.',
  ]);
});

test('the program adds an ad and reports invalid fields', () => {
  const good = ads('add', '--title', 'A path', '--target', 'https://path.example.org', '--weight', '3');
  expect(good).toEqual({ status: 0, out: expect.stringMatching(/^Ad \d+ added\.\n$/), err: '' });
  const wrong = ads('add', '--title', 'x', '--target', 'javascript:alert(1)', '--weight', 'many');
  expect({ status: wrong.status, out: wrong.out }).toEqual({ status: 1, out: '' });
  expect(wrong.err).toMatch(/^targetUrl: Enter a valid http or https address.*\nweight: Enter a whole number/);
  expect(wrong.err).not.toContain('    at ');
});
