import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { describeStartError } from '../../src/start-errors.ts';
import { testDatabase } from '../harness/gateway.ts';

const url = await testDatabase('bare');
const folder = mkdtempSync(join(tmpdir(), 'start-errors-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The error of `work`. */
async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing failed.');
}

test('a data folder below a file is one sentence', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const error = await errorOf(() => mkdirSync(join(file, 'data'), { recursive: true }));
  expect(describeStartError(error)).toMatch(
    /^ENOTDIR: not a directory, mkdir '.*'\. Set PORTICO_DATA to a folder that this user may write, on a file system with free space\.$/,
  );
});

test('a role without rights is one sentence', async () => {
  const role = `start_${process.pid}`;
  const admin = new pg.Client(url);
  await admin.connect();
  try {
    await admin.query(`create role ${role} login password '${role}'`);
    const limited = Object.assign(new URL(url), { username: role, password: role }).href;
    const database = await openDatabase({ url: limited, poolSize: 2, statementTimeoutMs: 10_000 });
    const error = await errorOf(() => migrate(database));
    await database.close();
    expect(describeStartError(error)).toMatch(
      /^The database refuses a statement: .*permission denied.*\. Make the role of DATABASE_URL the owner of the database\.$/s,
    );
  } finally {
    await admin.query(`drop role if exists ${role}`);
    await admin.end();
  }
});

test('a defect shows its stack', () => {
  expect(describeStartError(new TypeError('of nothing'))).toMatch(/^TypeError: of nothing\n {4}at /);
});
