import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../../src/db/database.ts';
import { numbers } from '../../git/random-history.ts';
import { testDatabase } from '../../harness/gateway.ts';
import { testSecret } from '../../harness/secret.ts';
import { until } from '../../jobs/job-harness.ts';
import { MixedLoad, readDemoWorld } from '../../topology/mixed-load.ts';
import { freeListenPort, ServerProgram } from '../../topology/server-program.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { HeavyLoad } from './heavy-load.ts';
import { workProcessIds } from './work-process-ids.ts';

/** Of which half hit child processes and half the gateway. `KILLS=50` is what docs/security.md reports. */
// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const kills = Number(process.env.KILLS ?? 8);

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, 60_000);

const folder = mkdtempSync(join(tmpdir(), 'portico-kills-'));
closing.push(() => rmSync(folder, { recursive: true, force: true }));
const databaseUrl = await testDatabase('demo');
const database = await openDatabase({ url: databaseUrl, poolSize: 4, statementTimeoutMs: 30_000 });
closing.push(() => database.close());
const receiver = await openReceiver();
closing.push(() => receiver.close());
const port = await freeListenPort();
const url = `http://127.0.0.1:${port}`;
const gateway = new ServerProgram({
  name: 'gateway',
  command: process.execPath,
  args: [join(import.meta.dirname, '..', '..', '..', 'scripts', 'start.ts')],
  cwd: folder,
  env: {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecret,
    PORT: String(port),
    PORTICO_DATA: folder,
    RATE_LIMIT_FACTOR: 'off',
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    // A comparison of the load ends at it, after half a second in a child process.
    WORK_MAX_STEPS: '300000',
  },
  logFile: join(folder, 'gateway.log'),
  isReady: async () => (await fetch(`${url}/readyz`)).status === 200,
});
closing.push(() => gateway.kill());

const jobs = {
  /** Jobs that run, or are due. */
  open: sql<{ name: string }>`select name from jobs.job where state = 'active'
    or (state in ('created', 'retry') and start_after < now() + interval '30 s')`,
  lost: sql<{ name: string }>`select name from jobs.job where state = 'failed'
    and id not in (select job_id from jobs.attempt where parked_at is not null)`,
  parked: sql<{ queue: string }>`select queue from jobs.attempt where parked_at is not null`,
};

test('child processes and gateways are killed under load: nothing acknowledged is lost, every job is done once or parked, and every error is 503', async () => {
  await gateway.start();
  await until('the credentials', () => existsSync(join(folder, 'demo.json')));
  const demo = readDemoWorld(folder);
  const clones = join(folder, 'clones');
  mkdirSync(clones);
  const mixed = new MixedLoad({ url, demo, folder: clones });
  const { http } = mixed;
  const token = demo.hosting.users.wren.classic_token;
  const heavy = new HeavyLoad({ http, database, token, receiver });
  await Promise.all([mixed.start(), heavy.start()]);
  const pick = numbers(11);

  const children = Math.ceil(kills / 2);
  for (let killed = 0; killed < children; ) {
    const { compared } = heavy;
    await until('a comparison', () => heavy.compared > compared);
    await delay(pick(300));
    const ids = workProcessIds(gateway.pid ?? 0);
    const id = ids[pick(ids.length)];
    if (id === undefined) continue;
    process.kill(id, 'SIGKILL');
    killed++;
  }
  // Their end is 503 for what they computed, and cuts no connection.
  expect({ cut: http.counts.cut, failures: http.failures.filter(one => !one.includes(' unavailable: ')) }).toEqual({
    cut: 0,
    failures: [],
  });
  const { unavailable } = http.counts;
  expect(unavailable).toBeGreaterThan(0);

  for (let killed = 0; killed < kills - children; killed++) {
    const { compared } = heavy;
    const hooked = heavy.acknowledged['hooked files'] ?? 0;
    await until('the load', () => heavy.compared > compared && (heavy.acknowledged['hooked files'] ?? 0) > hooked);
    await delay(pick(1_000));
    await gateway.kill();
    await gateway.start();
  }
  await until('a merge', () => (heavy.acknowledged.merges ?? 0) > 0, 120);
  await Promise.all([mixed.stop(), heavy.stop()]);

  // A job of a dead process is found by its heartbeat after ten to twenty seconds, and a delivery is sent again seconds later.
  await until('all jobs are done', async () => (await database.read(jobs.open)).length === 0, 120);
  const parked = await database.read(jobs.parked);
  const parkedDeliveries = parked.filter(({ queue }) => queue === 'webhook-delivery').length;
  const acknowledged = { ...mixed.acknowledged, ...heavy.acknowledged };
  const deliveries = receiver.of('push').length;
  process.stdout.write(
    `${JSON.stringify({ kills, counts: http.counts, unavailable, compared: heavy.compared, acknowledged, deliveries, parked })}\n`,
  );
  expect(http.defects).toEqual([]);
  expect([...(await mixed.problems()), ...(await heavy.problems())]).toEqual([]);
  expect(await database.read(jobs.lost)).toEqual([]);
  expect(heavy.untold.length).toBeLessThanOrEqual(parkedDeliveries);
  for (const [name, count] of Object.entries(acknowledged))
    expect({ name, isSome: count > 0 }).toEqual({ name, isSome: true });
}, 1_200_000);
