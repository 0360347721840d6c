import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { testDatabase } from '../harness/gateway.ts';
import { insertRepositories } from './repository-rows.ts';

const url = await testDatabase('empty');
const database = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 10_000 });
await insertRepositories(database.sql, 1);
await database.close();

test('90 MB are written and read in less than 300 MB of memory', async () => {
  const script = fileURLToPath(new URL('./large-blob-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, url]);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ isSame: true, length: 90 * 1024 * 1024 });
  // The process needs about 115 MB before it begins.
  expect(report.most / 1024 / 1024).toBeLessThan(300);
}, 120_000);
