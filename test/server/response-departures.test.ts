import { EventEmitter } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { ResponseDepartures } from '../../src/server/response-departures.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

/** A response whose bytes a test sets, with a clock of its own. */
function leaving(minBytesPerSecond = 100) {
  const clock = { now: 0 };
  const socket = { bytesWritten: 0, writableLength: 0 };
  const response = Object.assign(new EventEmitter(), { req: { socket } });
  const departures = new ResponseDepartures({ graceMs: 1_000, minBytesPerSecond }, () => clock.now);
  departures.add(response as unknown as ServerResponse);
  /** Whether it is too slow after `seconds` in which `bytesPerSecond` leave while `waiting` bytes wait. */
  const isSlowAfter = (seconds: number, bytesPerSecond: number, waiting = 1_000): boolean => {
    let isSlow = false;
    for (let step = 0; step < seconds * 4; step++) {
      clock.now += 250;
      socket.bytesWritten += bytesPerSecond / 4 + waiting - socket.writableLength;
      socket.writableLength = waiting;
      isSlow ||= departures.findSlow().length > 0;
    }
    return isSlow;
  };
  return { response, isSlowAfter };
}

describe('a response', () => {
  test('that is read at the least rate may take as long as it needs', () => {
    expect(leaving().isSlowAfter(3_600, 101)).toBe(false);
  });

  test('that nobody reads, or that is read byte by byte, is too slow after the free time', () => {
    const unread = leaving();
    expect([unread.isSlowAfter(1, 0), unread.isSlowAfter(1, 0)]).toEqual([false, true]);
    const dripping = leaving();
    expect([dripping.isSlowAfter(1, 4), dripping.isSlowAfter(1, 4)]).toEqual([false, true]);
  });

  test('that was read fast at first earns twice the free time', () => {
    const { isSlowAfter } = leaving();
    expect([isSlowAfter(60, 1_000_000), isSlowAfter(1, 1), isSlowAfter(1, 1)]).toEqual([false, false, true]);
  });

  test('that is still being made waits for nobody', () => {
    const { isSlowAfter } = leaving();
    expect([isSlowAfter(600, 0, 0), isSlowAfter(1, 0)]).toEqual([false, false]);
  });

  test('is not watched after it has closed, and without a least rate', () => {
    const { response, isSlowAfter } = leaving();
    response.emit('close');
    expect(isSlowAfter(600, 0)).toBe(false);
    expect(leaving(0).isSlowAfter(600, 0)).toBe(false);
  });
});

/** Asks from one address and reads nothing of the response. */
const ask = (url: string, address: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'tests', 'x-forwarded-for': address };
    get(url, { headers, agent: false }, response => resolve(response.pause())).once('error', reject);
  });

const settings = { TRUST_PROXY: 'loopback', UNREAD_MAX_MB: '8' };
const gateway = await testGateway({ settings });
const least = { RESPONSE_SLOW_TIMEOUT_MS: '500', RESPONSE_MIN_BYTES_PER_SECOND: '100000' };
const strict = await testGateway({ beside: gateway, settings: { ...settings, ...least } });
const { wren } = (await demoOf(gateway)).users;
const world = await newWorld(gateway, wren.classic_token);
await world.commit({ 'large.bin': Buffer.alloc(12_000_000, 'x') });
const { json: tree } = await world.get('/git/trees/main');
/** Its response is a text of 16 MB, more than the buffers of the kernel take. */
const path = `/repos/${world.owner}/${world.name}/git/blobs/${tree.tree[0].sha}`;

test('large answers of one address have a bound together', async () => {
  const slow = await ask(`${gateway.url}${path}`, '192.0.2.1');
  const refused = await ask(`${gateway.url}${path}`, '192.0.2.1');
  let text = '';
  for await (const chunk of refused) text += chunk;
  expect([slow.statusCode, refused.statusCode, refused.headers['retry-after'], JSON.parse(text).message]).toEqual([
    200,
    429,
    '5',
    expect.stringContaining('secondary rate limit'),
  ]);
  const other = await ask(`${gateway.url}${path}`, '2001:db8::1');
  let bytes = 0;
  for await (const chunk of other) bytes += chunk.length;
  expect([other.statusCode, bytes > 15_000_000]).toEqual([200, true]);
  slow.once('error', () => {}).destroy();
}, 180_000);

test('who drips is cut off, and what waited is not counted any more', async () => {
  const dripping = await ask(`${strict.url}${path}`, '192.0.2.1');
  const drip = setInterval(() => dripping.read(1_000), 50);
  while (!/portico_slow_clients_total\{[^}]*side="reader"[^}]*\} 1\n/.test((await strict.metrics()).text));
  clearInterval(drip);
  const reads = (async () => {
    for await (const _ of dripping);
  })();
  await expect(reads).rejects.toThrow('aborted');
  const again = await ask(`${strict.url}${path}`, '192.0.2.1');
  expect(again.statusCode).toBe(200);
  again.once('error', () => {}).destroy();
}, 180_000);
