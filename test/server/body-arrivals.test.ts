import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { BodyArrivals } from '../../src/server/body-arrivals.ts';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

/** A request whose bytes and buffer a test sets, with a clock of its own. */
function arriving(headers: Record<string, string> = { 'transfer-encoding': 'chunked' }) {
  const clock = { now: 0 };
  const state = { complete: false, readableLength: 0, readableHighWaterMark: 100, socket: { bytesRead: 0 }, headers };
  const request = Object.assign(new EventEmitter(), state);
  const response = new EventEmitter();
  const arrivals = new BodyArrivals({ idleMs: 1_000, minBytesPerSecond: 100 }, () => clock.now);
  arrivals.add(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  /** Whether it is too slow after `seconds` in which `bytesPerSecond` arrive. */
  const isSlowAfter = (seconds: number, bytesPerSecond: number): boolean => {
    let isSlow = false;
    for (let step = 0; step < seconds * 4; step++) {
      clock.now += 250;
      request.socket.bytesRead += bytesPerSecond / 4;
      isSlow ||= arrivals.findSlow().length > 0;
    }
    return isSlow;
  };
  return { request, response, arrivals, isSlowAfter };
}

describe('a body', () => {
  test('that keeps the least rate may take as long as it needs', () => {
    expect(arriving().isSlowAfter(3_600, 100)).toBe(false);
  });

  test('that drips is too slow after the free time', () => {
    const { isSlowAfter } = arriving();
    expect([isSlowAfter(1, 4), isSlowAfter(1, 4)]).toEqual([false, true]);
  });

  test('that was fast at first is too slow once its average is', () => {
    const { isSlowAfter } = arriving();
    expect([isSlowAfter(10, 1_000), isSlowAfter(80, 10), isSlowAfter(40, 10)]).toEqual([false, false, true]);
  });

  test('of which nothing arrives is too slow, however fast it was', () => {
    const { isSlowAfter } = arriving();
    expect([isSlowAfter(10, 10_000), isSlowAfter(1, 0), isSlowAfter(1, 0)]).toEqual([false, false, true]);
  });

  test('that the server does not read is not too slow', () => {
    const { request, isSlowAfter } = arriving();
    request.readableLength = 100;
    expect(isSlowAfter(60, 0)).toBe(false);
    request.readableLength = 0;
    expect([isSlowAfter(1, 0), isSlowAfter(1, 0)]).toEqual([false, true]);
  });

  test('with a slow source may drip for longer and not pause', () => {
    const allowed = () => {
      const { request, arrivals, isSlowAfter } = arriving();
      arrivals.allowSlow(request as unknown as IncomingMessage);
      return isSlowAfter;
    };
    const drips = allowed();
    expect([drips(5, 4), drips(3, 4)]).toEqual([false, true]);
    const pauses = allowed();
    expect([pauses(4, 4), pauses(2, 0)]).toEqual([false, true]);
    expect(allowed()(3_600, 100)).toBe(false);
  });

  test.each(['end', 'close'])('is not watched after «%s»', event => {
    const { request, response, isSlowAfter } = arriving();
    (event === 'end' ? request : response).emit(event);
    expect(isSlowAfter(60, 0)).toBe(false);
  });

  test.each([{}, { 'content-length': '0' }])('that the headers %j announce none is not awaited', headers => {
    expect(arriving(headers).isSlowAfter(60, 0)).toBe(false);
  });
});

const gateway = await testGateway({
  settings: { REQUEST_TIMEOUT_MS: '1000', BODY_IDLE_TIMEOUT_MS: '800', BODY_MIN_BYTES_PER_SECOND: '1000' },
});
const token = (await demoOf(gateway)).users.wren.classic_token;
const { owner, name } = await newWorld(gateway, token);

describe('a gateway', () => {
  const head = (target: string, bytes: number): string =>
    `${target} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

  /** Sends `body` in pieces, one each 50 ms, until all is sent or the connection is closed. Returns the answer, and how long it took. */
  async function drip(target: string, body: string, pieceLength: number) {
    const connection = await BareConnection.open(gateway.url);
    const startedAt = performance.now();
    connection.send(head(target, body.length));
    let sent = 0;
    const timer = setInterval(() => {
      connection.send(body.slice(sent, sent + pieceLength));
      sent += pieceLength;
      if (sent >= body.length || connection.isClosed) clearInterval(timer);
    }, 50);
    await connection.until(/\r\n\r\n/, 20_000);
    clearInterval(timer);
    connection.destroy();
    return { status: answersIn(connection.received)[0]?.status, ms: performance.now() - startedAt };
  }

  const put = `PUT /repos/${owner}/${name}/contents`;
  const fileOf = (length: number): string =>
    JSON.stringify({ message: 'm', content: Buffer.alloc(length, 'x').toString('base64') });

  test('takes an upload for longer than the time of an answer', async () => {
    const body = fileOf(30_000);
    const { status, ms } = await drip(`${put}/slow.txt`, body, Math.ceil(body.length / 60));
    expect(status).toBe(201);
    expect(ms).toBeGreaterThan(2_500);
  });

  test('takes a GraphQL request for longer than the time of an answer', async () => {
    const body = JSON.stringify({ query: '{ viewer { login } }', extensions: { x: 'x'.repeat(10_000) } });
    const { status, ms } = await drip('POST /graphql', body, Math.ceil(body.length / 60));
    expect(status).toBe(200);
    expect(ms).toBeGreaterThan(2_500);
  });

  test.each([`${put}/loris.txt`, 'POST /graphql', 'POST /api/v1/auth/login/'])(
    'cuts off a dripping %s',
    async target => {
      expect((await drip(target, fileOf(30_000), 4)).status).toBe(408);
    },
  );

  test('cuts off a body that stops', async () => {
    const connection = await BareConnection.open(gateway.url);
    connection.send(`${head(`${put}/stop.txt`, 99)}{"message":`);
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(408);
  });
});
