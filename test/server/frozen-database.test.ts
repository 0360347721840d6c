import { afterAll, expect, jest, test } from '@jest/globals';
import { sql } from 'kysely';
import { createVisibleAccounts } from '../harness/accounts.ts';
import { type Answer, testDatabase, testGateway } from '../harness/gateway.ts';
import { registration } from '../harness/people.ts';
import { databaseProxy } from '../jobs/database-proxy.ts';

jest.setTimeout(120_000);

// Registered first: the gateway stops with the database.
afterAll(() => proxy.thaw());
const proxy = await databaseProxy(await testDatabase('demo'));
const gateway = await testGateway({ databaseUrl: proxy.url, settings: { STATEMENT_TIMEOUT_MS: '3000' } });

interface Timed {
  answer: Answer;
  ms: number;
}

async function timed(ask: () => Promise<Answer>): Promise<Timed> {
  const startedAt = performance.now();
  const answer = await ask();
  return { answer, ms: performance.now() - startedAt };
}

/** Repeats a request until it succeeds. */
async function eventually(ask: () => Promise<Answer>): Promise<number> {
  for (const end = Date.now() + 30_000; ; ) {
    const { status } = await ask();
    if (status < 500 || Date.now() > end) return status;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

test('while the database does not answer, /metrics answers within a second, and requests end with 503 and Retry-After soon', async () => {
  const [reader] = await createVisibleAccounts(gateway, 1);
  const headers = { authorization: `Bearer ${reader?.access}` };
  const list = (): Promise<Answer> => gateway.request('/api/v1/articles/');
  const own = (): Promise<Answer> => gateway.request('/api/v1/auth/me/', { headers });
  const write = (): Promise<Answer> =>
    gateway.request('/api/v1/auth/register/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registration()),
    });
  expect((await list()).status).toBe(200);
  expect((await gateway.metrics()).text).toContain('portico_jobs_readable 1');
  proxy.freeze();
  try {
    // Two at a time: the second one finds the statement of the first without an answer.
    const scrapes = await Promise.all([timed(gateway.metrics), timed(gateway.metrics)]);
    for (const { answer, ms } of [...scrapes, await timed(gateway.metrics)]) {
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('portico_jobs_readable 0');
      expect(ms).toBeLessThan(1_500);
    }
    // The limit of the statement, the wait for another connection, and the delay of a busy machine.
    const ended = await Promise.all(
      [list, own, write, () => gateway.graphql('{ articleCategories { slug } }')].map(timed),
    );
    for (const { answer, ms } of ended) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(ms).toBeLessThan(12_000);
    }
    const refused = await Promise.all([list, own, write].map(timed));
    for (const { answer, ms } of refused) {
      expect(answer.status).toBe(503);
      expect(ms).toBeLessThan(12_000);
    }
  } finally {
    proxy.thaw();
  }
  expect(await eventually(list)).toBe(200);
  expect(await eventually(own)).toBeLessThan(500);
  expect((await gateway.metrics()).text).toContain('portico_jobs_readable 1');
});

test('a statement that may take longer than others has its time on the side of the client, too', async () => {
  const { setStatementTimeout } = await import('../../src/db/statement-timeout.ts');
  const sleep = (seconds: number, limitMs?: number) =>
    gateway.database.pools.anonymous.transaction(async db => {
      if (limitMs !== undefined) await setStatementTimeout(db, limitMs);
      await sql`select pg_sleep(${seconds})`.execute(db);
    });
  await expect(sleep(2)).rejects.toThrow('statement timeout');
  await sleep(2, 10_000);
  await sleep(2, 0);
});
