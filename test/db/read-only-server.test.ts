import { expect, test } from '@jest/globals';
import pg from 'pg';
import { isConnectionLost, sqlState } from '../../src/db/sql-state.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ logLevel: 'warn' });

/** Runs a statement about the database of the test, `%` in it, and ends the sessions of the gateway. */
async function reconfigure(statement: string): Promise<void> {
  const url = new URL(gateway.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const admin = new pg.Client(url.href);
  await admin.connect();
  await admin.query(statement.replace('%', name));
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await admin.end();
}

const register = (): Promise<Answer> => gateway.request('/api/v1/auth/guest/', { method: 'POST' });

test('writes to a server that became a standby are 503 with Retry-After, and are made as soon as a primary is there', async () => {
  expect((await register()).status).toBe(201);
  // Sessions behave as on a standby: every write is 25006.
  await reconfigure('alter database % set default_transaction_read_only = on');
  for (let at = 0; at < 6; at++) {
    const { status, headers } = await register();
    expect({ status, mayRetry: Number(headers.get('retry-after')) > 0 }).toEqual({ status: 503, mayRetry: true });
  }
  expect((await gateway.request('/api/v1/articles/')).status).toBe(200);
  const url = new URL(gateway.databaseUrl);
  const admin = new pg.Client(Object.assign(new URL(url), { pathname: '/postgres' }).href);
  await admin.connect();
  // The sessions are not ended: those that met a read-only server were closed by the gateway.
  await admin.query(`alter database ${url.pathname.slice(1)} reset default_transaction_read_only`);
  await admin.end();
  const statuses = [];
  for (let at = 0; at < 6; at++) statuses.push((await register()).status);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 201]);
});

test('a missing file is no error of the database, and a missing socket is one', () => {
  const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  expect(sqlState(Object.assign(missing, { syscall: 'open' }))).toBeUndefined();
  expect(isConnectionLost(missing)).toBe(false);
  expect(isConnectionLost(Object.assign(missing, { syscall: 'connect' }))).toBe(true);
  expect(isConnectionLost(Object.assign(new Error('no name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))).toBe(
    true,
  );
});
