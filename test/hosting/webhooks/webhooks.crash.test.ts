import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { inTransaction, openDatabase } from '../../../src/db/database.ts';
import { recordHookEvent } from '../../../src/hosting/webhooks/record-hook-event.ts';
import { createJobRunner } from '../../../src/server/job-runner.ts';
import { createLogger } from '../../../src/server/logger.ts';
import { testDatabase } from '../../harness/gateway.ts';
import { testSecret } from '../../harness/secret.ts';
import { until } from '../../jobs/job-harness.ts';
import { openReceiver, payloadOf } from './receiver.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});
const url = await testDatabase('demo');
const database = await openDatabase({ url, poolSize: 4, statementTimeoutMs: 10_000 });
closing.push(() => database.close());
const db = database.sql;

// Slow: a dead worker is detected by missing heartbeats of 10 seconds and a check every 10 seconds, and the retry waits
// for 2 to 4 seconds.
test('a delivery of a worker that is killed during the request is sent by another, with the same GUID', async () => {
  const receiver = await openReceiver((_, response, nth) => {
    if (nth > 1) response.end('ok');
  });
  closing.push(() => receiver.close());
  await sql`update app set webhook_url = ${receiver.url}, webhook_content_type = 'json', events = array['star']`.execute(
    db,
  );
  const program = fileURLToPath(new URL('./webhook-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [program, url, testSecret], { stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(() => worker.kill('SIGKILL'));
  const [line] = await once(createInterface(worker.stdout), 'line');
  expect(line).toBe('ready');

  const { rows } = await sql<{
    id: number;
  }>`select id from repository where name = 'compass' order by id limit 1`.execute(db);
  const repositoryId = rows[0]?.id ?? 0;
  const told = await inTransaction(database, inside =>
    recordHookEvent(inside, {
      event: 'star',
      action: 'created',
      repositoryId,
      at: new Date(),
      own: { starred_at: null },
    }),
  );
  expect(told).toBe(1);
  const refused = inTransaction(database, async inside => {
    await recordHookEvent(inside, { event: 'star', action: 'deleted', repositoryId, at: new Date() });
    throw new Error('rolled back');
  });
  await expect(refused).rejects.toThrow('rolled back');

  await until('the receiver has it', () => receiver.received.length === 1);
  worker.kill('SIGKILL');
  const config = readConfig({ DATABASE_URL: url, SECRET_KEY: testSecret, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' });
  const logger = createLogger('silent', { write() {} });
  const workers = createJobRunner({
    config,
    database,
    keys: deriveKeys(config),
    clock: () => new Date(),
    url,
    logger,
    pollSeconds: 0.1,
  });
  await workers.start();
  closing.push(() => workers.stop());
  await until('another made it', () => receiver.received.length === 2, 40);
  const [first, second] = receiver.received;
  expect(second?.headers['x-host-delivery']).toBe(first?.headers['x-host-delivery']);
  expect(second && payloadOf(second)).toEqual(first && payloadOf(first));
  const made = await until('it is written down', async () => {
    const found = await sql<{ status: string; redelivery: boolean }>`select status, redelivery from webhook_delivery
      where delivered_at is not null`.execute(db);
    return found.rows.length > 0 ? found.rows : undefined;
  });
  expect(made).toEqual([{ status: 'OK', redelivery: false }]);
}, 90_000);
