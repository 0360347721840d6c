import { connect, type Socket } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { WebSocketMessageLimit } from '../../src/server/websocket-messages.ts';
import { WebSocketSlots } from '../../src/server/websocket-slots.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const settings = { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' };
const gateway = await testGateway({ data: 'empty', settings });
const small = await testGateway({ beside: gateway, settings: { ...settings, MAX_WEBSOCKETS: '8' } });
const open: { destroy(): void }[] = [];
afterAll(() => {
  for (const socket of open) socket.destroy();
});
let addresses = 0;
let address = '';
beforeEach(() => {
  address = `198.51.100.${++addresses}`;
});

interface Upgraded {
  status: number;
  retryAfter: string | undefined;
  socket: Socket;
  closed: Promise<void>;
}

/** A client that neither reads, answers nor closes. */
function upgrade(at: TestGateway, ip = address): Promise<Upgraded> {
  const { hostname, port } = new URL(at.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  open.push(socket);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: ${ip}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', data => {
      const head = String(data);
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]);
      resolve({ status, retryAfter: /^retry-after: (.*)$/im.exec(head)?.[1], socket, closed });
    });
  });
}

/** Sends connection_init with a token and resolves with the response. */
async function authenticate(at: TestGateway, access: string, ip = address): Promise<string> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': ip },
  });
  open.push({ destroy: () => socket.terminate() });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('message', data => resolve(String(data)));
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${access}` } })),
    );
  });
}

test.each([
  '{"type":"ping","type":"pong"}',
  '{"type":"ping","payload":{"a":1,"b":{"c":1,"c":2}}}',
  '{"type":"connection_init","payload":{"Authorization":"a","\\u0041uthorization":"b"}}',
  '{"type":"ping"',
])('a message that parsers read differently ends the connection: %s', async message => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address },
  });
  open.push({ destroy: () => socket.terminate() });
  socket.once('open', () => socket.send(message));
  const code = await new Promise(resolve => socket.once('close', resolve));
  expect(code).toBe(4400);
});

const guest = async (): Promise<string> => (await send(gateway, 'POST', '/auth/guest/')).json.access;

test('an IP address has at most twenty unauthenticated connections, and other addresses still get a slot', async () => {
  const tried = await Promise.all(Array.from({ length: 30 }, () => upgrade(gateway)));
  const statuses = tried.map(({ status }) => status);
  expect([statuses.filter(status => status === 101).length, statuses.filter(status => status === 429).length]).toEqual([
    20, 10,
  ]);
  expect(tried.find(({ status }) => status === 429)?.retryAfter).toBe('5');
  expect(await authenticate(gateway, await guest(), '198.51.100.200')).toContain('connection_ack');
  // The clients do not answer the close frame; the server destroys their sockets nevertheless, which releases their slots.
  await Promise.all(
    tried
      .filter(({ status }) => status === 101)
      .map(({ socket, closed }) => {
        socket.resume();
        socket.once('end', () => socket.end());
        return closed;
      }),
  );
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  expect((await upgrade(gateway)).status).toBe(101);
});

test('unauthenticated connections of all addresses use at most half of the slots', async () => {
  const tried: Upgraded[] = [];
  for (let at = 0; at < 8; at++) tried.push(await upgrade(small, `192.0.2.${at}`));
  expect(tried.map(({ status }) => status)).toEqual([101, 101, 101, 101, 503, 503, 503, 503]);
  expect(tried.at(-1)?.retryAfter).toBe('5');
  tried[0]?.socket.destroy();
  // Its slot is released when the gateway has seen the close.
  let last = 0;
  for (let tries = 0; tries < 50 && last !== 101; tries++) last = (await upgrade(small, '192.0.2.100')).status;
  expect(last).toBe(101);
});

test('an IP address has sixty upgrade requests per minute, open or closed', async () => {
  let refused: Upgraded | undefined;
  for (let at = 0; at < 61; at++) {
    const upgraded = await upgrade(gateway);
    upgraded.socket.destroy();
    await upgraded.closed;
    // The gateway may process the last close after the next upgrade.
    if (upgraded.status === 429 && upgraded.retryAfter === '5') at--;
    else if (upgraded.status === 429) refused = upgraded;
  }
  expect([refused?.status, refused?.retryAfter]).toEqual([429, '60']);
  expect((await upgrade(gateway, '198.51.100.201')).status).toBe(101);
});

test('an authenticated socket counts as open only', () => {
  const slots = new WebSocketSlots(10, 1);
  const taken = Array.from({ length: 5 }, (_, at) => slots.take(`192.0.2.${at}`));
  expect(slots.take('192.0.2.9')).toBe('full');
  const [first] = taken;
  if (typeof first === 'string' || !first) throw new Error('No slot.');
  first.identified();
  first.identified();
  const next = slots.take('192.0.2.9');
  expect(typeof next).toBe('object');
  expect(slots.take('192.0.2.10')).toBe('full');
  first.release();
  first.release();
  expect(slots.take('192.0.2.10')).toBe('full');
  if (typeof next === 'object') next.release();
  expect(typeof slots.take('192.0.2.10')).toBe('object');
});

test('an IP address has a hundred sockets, IPv6 by its /64, and without limits as many as there are slots', () => {
  const all = (slots: WebSocketSlots, ip: (at: number) => string): number => {
    let taken = 0;
    for (let at = 0; at < 300; at++) {
      const slot = slots.take(ip(at));
      if (typeof slot === 'object') {
        taken++;
        slot.identified();
      }
    }
    return taken;
  };
  expect(all(new WebSocketSlots(1_000, 1), () => '192.0.2.1')).toBe(100);
  expect(all(new WebSocketSlots(1_000, 1), at => `2001:db8::${at.toString(16)}`)).toBe(100);
  expect(all(new WebSocketSlots(1_000, 2), () => '192.0.2.1')).toBe(200);
  expect(all(new WebSocketSlots(250, 0), () => '192.0.2.1')).toBe(250);
});

test('subscriptions of a person are charged with the requests of the health API, before their documents are parsed', async () => {
  const access = await guest();
  const responses = await Promise.all(
    Array.from({ length: 600 }, () =>
      gateway.request('/api/v1/auth/me/', { headers: { authorization: `Bearer ${access}` } }),
    ),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address },
  });
  open.push({ destroy: () => socket.terminate() });
  const next = () => new Promise<string>(resolve => socket.once('message', data => resolve(String(data))));
  await new Promise(resolve => socket.once('open', resolve));
  const first = next();
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${access}` } }));
  expect(await first).toContain('connection_ack');
  for (const query of ['subscription { chatMessageAdded(chatId: "x") { id } }', 'no document at all {']) {
    const answer = next();
    socket.send(JSON.stringify({ id: query.slice(0, 3), type: 'subscribe', payload: { query } }));
    expect(await answer).toContain('"code":"THROTTLED"');
  }
});

/** A socket that has sent nothing yet. */
async function fresh(at: TestGateway = gateway): Promise<{ socket: WebSocket; closed: Promise<number> }> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address },
  });
  open.push({ destroy: () => socket.terminate() });
  socket.on('error', () => {});
  const closed = new Promise<number>(resolve => socket.once('close', resolve));
  await new Promise(resolve => socket.once('open', resolve));
  return { socket, closed };
}

const nested = `${'['.repeat(25_000)}${']'.repeat(25_000)}`;
test.each([
  ['a ping, whose payload is echoed', `{"type":"ping","payload":{"a":${nested}}}`],
  ['a pong', `{"type":"pong","payload":{"a":${nested}}}`],
  ['connection_init', `{"type":"connection_init","payload":{"a":${nested}}}`],
])('%s, nested 25,000 deep, is a message that is not valid', async (_what, message) => {
  const { socket, closed } = await fresh();
  socket.send(message);
  expect(await closed).toBe(4400);
  expect(gateway.defects).toEqual([]);
});

test.each([
  ['messages', (socket: WebSocket) => socket.send('{"type":"ping"}')],
  ['WebSocket pings', (socket: WebSocket) => socket.ping()],
  ['unsolicited WebSocket pongs', (socket: WebSocket) => socket.pong()],
])('a connection takes a thousand %s at once, and no more', async (_what, sendOne) => {
  const { socket, closed } = await fresh();
  // In batches with responses: `ws` closes a connection to which it owes 60 pongs.
  for (let batch = 0; batch < 20; batch++) {
    for (let at = 0; at < 49; at++) sendOne(socket);
    const answered = new Promise<void>(resolve => {
      socket.on('pong', data => String(data) === `${batch}` && resolve());
    });
    socket.ping(`${batch}`);
    await answered;
    socket.removeAllListeners('pong');
  }
  for (let at = 0; at < 10; at++) sendOne(socket);
  expect(await closed).toBe(1008);
});

test('the bytes sent by a connection are also limited per twenty seconds', () => {
  const limit = new WebSocketMessageLimit(1);
  const now = performance.now();
  for (let at = 0; at < 16; at++) expect(limit.take(65_536, now)).toBe(true);
  expect(limit.take(1, now + 19_000)).toBe(false);
  expect(limit.take(65_536, now + 21_000)).toBe(true);
  const off = new WebSocketMessageLimit(0);
  for (let at = 0; at < 2_000; at++) expect(off.take(65_536, now)).toBe(true);
});

test('a message of more than 64 frames closes its connection', async () => {
  const { socket, closed } = await fresh();
  socket.send('', { fin: false });
  for (let at = 0; at < 70; at++) socket.send('', { fin: false });
  expect(await closed).toBe(1008);
});
