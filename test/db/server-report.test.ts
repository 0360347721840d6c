import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { assertSuitable, clockWarning, readServerReport, UnsuitableServerError } from '../../src/db/server-report.ts';
import { testDatabase } from '../harness/gateway.ts';

const url = await testDatabase('bare');
const report = await readServerReport({ connectionString: url });

test('a server of the tests is suitable, and its clock is that of this machine', () => {
  assertSuitable(report);
  expect(report).toMatchObject({ isPooler: false, isStandby: false, database: new URL(url).pathname.slice(1) });
  expect(Math.abs(report.clockLeadMs)).toBeLessThan(5_000);
  expect(clockWarning(report)).toBeUndefined();
});

test.each([
  [{ version: '14.9', majorVersion: 14 }, /is version 14\.9; 15 or later is needed/],
  [{ isStandby: true }, /leads to a standby, which takes no writes\. Set it to the primary/],
  [{ hasTrigrams: false }, /has no extension pg_trgm\. Install the contrib modules/],
])('a server with %j is refused in one sentence that says what to do', (difference, message) => {
  expect(() => assertSuitable({ ...report, ...difference })).toThrow(UnsuitableServerError);
  expect(() => assertSuitable({ ...report, ...difference })).toThrow(message);
});

test.each([
  [30_400, /is 30 s ahead of that of the database/],
  [-61_000, /is 61 s behind that of the database/],
])('a clock that differs by %d ms is worth a warning', (clockLeadMs, message) => {
  expect(clockWarning({ ...report, clockLeadMs })).toMatch(message);
});

test('a database that does not exist is named, and is not created', async () => {
  const missing = url.replace(/[^/]*$/, 'portico_of_a_typing_error');
  await expect(openDatabase({ url: missing, poolSize: 2, statementTimeoutMs: 1_000 })).rejects.toThrow(
    'database "portico_of_a_typing_error" does not exist',
  );
});
