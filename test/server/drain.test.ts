import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { GatewayServer } from '../../src/server/http-server.ts';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';

const defaultTimeout = await testGateway();
const queued = await testGateway();
const arriving = await testGateway({ data: 'empty' });
const delayed = await testGateway({ settings: { DRAIN_DELAY_MS: '3000' } });
const shortTimeout = await testGateway({ data: 'empty', settings: { DRAIN_TIMEOUT_MS: '400' } });

const listing = 'GET /api/v1/articles/ HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Blocks every reader of articles until it is released. */
async function lockArticles(gateway: TestGateway): Promise<pg.Client> {
  const locker = new pg.Client(gateway.databaseUrl);
  await locker.connect();
  await locker.query('begin; lock table article in access exclusive mode');
  return locker;
}

/** Resolves when a statement of the gateway waits for the lock. */
async function waitForLock(locker: pg.Client): Promise<void> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const { rows } = await locker.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    if (Date.now() > deadline) throw new Error('No request reached the database.');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

const isPending = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => 'settled'), new Promise(resolve => setImmediate(resolve, 'pending'))])) ===
  'pending';

describe('stopping', () => {
  test('answers every request that was sent before, also on connections that are not accepted yet', async () => {
    const answers = Array.from({ length: 100 }, async () => {
      const client = await BareConnection.open(queued.url);
      client.send(listing);
      return client.answer();
    });
    // In the same turn of the event loop: the kernel has accepted the connections, and the gateway has not.
    const stopped = queued.stop();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter(status => status !== 200)).toEqual([]);
    await stopped;
  });

  test('rejects new connections, closes idle ones, and lets an active request finish', async () => {
    const idle = await BareConnection.open(defaultTimeout.url);
    idle.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.until(/"ok"\}$/);
    const locker = await lockArticles(defaultTimeout);
    const running = await BareConnection.open(defaultTimeout.url);
    running.send(listing);
    await waitForLock(locker);

    const stopped = defaultTimeout.stop();
    await idle.closed();
    await expect(BareConnection.open(defaultTimeout.url)).rejects.toThrow(/ECONNREFUSED/);
    expect(running.isClosed).toBe(false);
    expect(await isPending(stopped)).toBe(true);

    await locker.end();
    const [answer] = answersIn(await running.closed());
    expect(answer?.status).toBe(200);
    expect(answer?.headers.connection).toBe('close');
    expect(JSON.parse(answer?.body ?? '').results).toHaveLength(20);
    await stopped;
  });

  test('serves a request that is still arriving, reports not ready, and closes the connection', async () => {
    const connection = await BareConnection.open(arriving.url);
    connection.send('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
    // A second connection that got a response shows that the server has read the first half of the other request.
    await arriving.request('/livez');
    const stopped = arriving.stop();
    connection.send('\r\n');
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(503);
    expect(JSON.parse(answer?.body ?? '')).toEqual({ status: 'not ready' });
    expect(answer?.headers.connection).toBe('close');
    await stopped;
  });

  test('serves requests on connections that were idle when it began, for DRAIN_DELAY_MS', async () => {
    const idle = await BareConnection.open(delayed.url);
    idle.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.until(/"ok"\}$/);
    const stopped = delayed.stop();
    // The end of another response does not close the idle connection.
    expect((await delayed.request('/livez')).headers.get('connection')).toBe('close');
    idle.send(listing);
    const [, answer] = answersIn(await idle.closed());
    expect({ status: answer?.status, connection: answer?.headers.connection }).toEqual({
      status: 200,
      connection: 'close',
    });
    await stopped;
  });

  test('destroys connections that are active after DRAIN_TIMEOUT_MS', async () => {
    const locker = await lockArticles(shortTimeout);
    const endless = await BareConnection.open(shortTimeout.url);
    endless.send(listing);
    await waitForLock(locker);
    const started = performance.now();
    await shortTimeout.stop();
    const took = performance.now() - started;
    expect(took).toBeGreaterThanOrEqual(395);
    expect(took).toBeLessThan(3_000);
    expect(await endless.closed()).toBe('');
    await locker.end();
  });
});

test('a response that is written but not yet sent is sent completely', async () => {
  // Node's own close destroys such a connection as idle. 64 MB is more than two sockets can hold.
  const size = 64 * 1024 * 1024;
  const server = new GatewayServer({
    handle: (_request, response) => response.end(Buffer.alloc(size, 'x')),
    requestTimeout: 30_000,
    bodies: { idleMs: 20_000, minBytesPerSecond: 0 },
    responses: { graceMs: 20_000, minBytesPerSecond: 0 },
    interrupt: () => ({ status: 503, body: {} }),
  });
  const connection = await BareConnection.open(await server.listen(0, '127.0.0.1'));
  connection.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await connection.until(/\r\n\r\n/);
  connection.pause();
  const drained = server.drain(20_000);
  connection.resume();
  const received = await connection.closed(20_000);
  expect(received.length - received.indexOf('\r\n\r\n') - 4).toBe(size);
  await drained;
});
