import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttackedGateway } from './attacked-gateway.ts';
import { type Shape, testShapes } from './loop-delay.ts';

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A masked frame of RFC 6455. `length`: what it states, where that is not the length of the payload. */
function frame(
  opcode: keyof typeof opcodes,
  payload: Buffer | string = '',
  { isLast = true, reserved = 0, length }: { isLast?: boolean; reserved?: number; length?: number } = {},
): Buffer {
  const bytes = Buffer.from(payload);
  const stated = length ?? bytes.length;
  const head = Buffer.alloc(stated < 126 ? 2 : stated < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | (reserved << 4) | opcodes[opcode];
  if (stated < 126) head[1] = 0x80 | stated;
  else if (stated < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(stated, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(stated), 2);
  }
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, Buffer.alloc(4), bytes]);
}

const text = (message: object | string): Buffer =>
  frame('text', typeof message === 'string' ? message : JSON.stringify(message));

const init = (gateway: AttackedGateway): Buffer =>
  text({ type: 'connection_init', payload: { Authorization: `Bearer ${gateway.token}` } });
const subscribe = (query: string, variables: object = {}): Buffer =>
  text({ id: randomBytes(6).toString('hex'), type: 'subscribe', payload: { query, variables } });

/** Opens a WebSocket from an address of its own. Resolves when the upgrade has been answered. */
async function upgrade(gateway: AttackedGateway, headers: readonly string[] = []): Promise<Socket> {
  const socket = gateway.connect();
  const { host } = new URL(gateway.url);
  const address = [...randomBytes(3)].join('.');
  const head = [
    'GET /graphql HTTP/1.1',
    `Host: ${host}`,
    `X-Forwarded-For: 10.${address}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise<void>(resolve => {
    socket.once('data', () => resolve());
    socket.once('close', () => resolve());
  });
  socket.resume();
  return socket;
}

/** Time in which the gateway works at what was sent: there is no answer to wait for. */
const workMs = 400;

/** Sockets that send these bytes at the same time, after `connection_init` if it is among them. */
const floods = (name: string, bytes: (gateway: AttackedGateway) => readonly Buffer[], sockets = 4): Shape => ({
  name,
  prepare(gateway) {
    const parts = bytes(gateway);
    return async () => {
      const opened = await Promise.all(Array.from({ length: sockets }, () => upgrade(gateway)));
      for (const socket of opened) for (const part of parts) socket.write(part);
      await delay(workMs);
    };
  },
});

/** Frames of a caller with a credential, whose subscriptions are admitted. */
const subscriptions = (name: string, frames: () => readonly Buffer[], sockets = 4): Shape => ({
  name,
  prepare(gateway) {
    const parts = frames();
    return async () => {
      const opened = await Promise.all(Array.from({ length: sockets }, () => upgrade(gateway)));
      await Promise.all(
        opened.map(async socket => {
          const isAcknowledged = new Promise<void>(resolve => {
            socket.once('data', () => resolve());
            socket.once('close', () => resolve());
          });
          socket.write(init(gateway));
          await isAcknowledged;
        }),
      );
      for (const socket of opened) for (const part of parts) socket.write(part);
      await delay(workMs);
    };
  },
});

/** Upgrade requests with a hostile header. */
const upgrades = (name: string, headers: readonly string[], sockets = 8): Shape => ({
  name,
  prepare: gateway => async () => {
    await Promise.all(Array.from({ length: sockets }, () => upgrade(gateway, headers)));
  },
});

const list = <T>(count: number, piece: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => piece(at));
const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

const ruleSuites = 'subscription($r: ID!) { ruleSuiteAdded(repositoryId: $r) { id } }';
const rules = (selection: string): string => `subscription { ruleSuiteAdded(repositoryId: "x") { ${selection} } }`;

await testShapes(
  'WebSocket',
  // biome-ignore format: a table is read by its lines.
  [
    upgrades('protocols of 15 KB', [`Sec-WebSocket-Protocol: ${fill('a,', 15_000)}graphql-transport-ws`]),
    upgrades('protocols with blanks', [`Sec-WebSocket-Protocol: a${fill(' ', 15_000)}b`]),
    upgrades('extensions of 15 KB', [`Sec-WebSocket-Extensions: ${fill('a;b=c,', 14_000)}x`]),
    upgrades('extensions with blanks and quotes', [`Sec-WebSocket-Extensions: a; b="${fill('\\"', 14_000)}"`]),
    upgrades('a hundred upgrades at a time', [], 100),
    upgrades('Authorization with blanks', [`Authorization: x a${fill(' ', 14_000)}b`]),
    upgrades('addresses of thousands of proxies', [`X-Forwarded-For: ${fill('1.1.1.1,', 14_000)}`]),
    floods('10,000 pings', () => [Buffer.concat(list(10_000, () => frame('ping', 'x'.repeat(100))))]),
    floods('10,000 pongs', () => [Buffer.concat(list(10_000, () => frame('pong')))]),
    floods('100,000 empty frames', () => [
      Buffer.concat([
        frame('text', '', { isLast: false }),
        ...list(100_000, () => frame('continuation', '', { isLast: false })),
      ]),
    ]),
    floods('a message of 60,000 fragments of a byte', () => [
      Buffer.concat([
        frame('text', '{', { isLast: false }),
        ...list(60_000, () => frame('continuation', ' ', { isLast: false })),
      ]),
    ]),
    floods('fragments between pings', () => [
      Buffer.concat([
        frame('text', '{', { isLast: false }),
        ...list(20_000, () => Buffer.concat([frame('ping'), frame('continuation', ' ', { isLast: false })])),
      ]),
    ]),
    floods('a frame that states 2^40 bytes', () => [frame('text', Buffer.alloc(60_000, 0x20), { length: 2 ** 40 })]),
    floods('a frame of 10 MB', () => [frame('text', Buffer.alloc(10_000_000, 0x20))]),
    floods('binary messages of 64 KB', () => list(200, () => frame('binary', Buffer.alloc(65_000)))),
    floods('text that is not UTF-8', () => list(100, () => frame('text', Buffer.alloc(65_000, 0xc3)))),
    floods('reserved bits and opcodes', () => [Buffer.concat(list(10_000, () => frame('text', 'x', { reserved: 7 })))]),
    floods('close frames with reasons', () => [
      Buffer.concat(
        list(10_000, () => frame('close', Buffer.concat([Buffer.from([3, 232]), Buffer.alloc(120, 0x61)]))),
      ),
    ]),
    floods('JSON of 60,000 nested lists', () => list(15, () => text('['.repeat(60_000)))),
    floods('JSON of 30,000 nested lists in a ping of the protocol', () =>
      list(15, () => text(`{"type":"ping","payload":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)),
    ),
    floods('JSON of thousands of equal keys', () =>
      list(15, () => text(`{${fill('"type":1,', 60_000)}"type":"ping"}`)),
    ),
    floods('JSON of thousands of keys in connection_init', () => [
      text(`{"type":"connection_init","payload":{${list(5_000, at => `"k${at}":1`).join(',')}}}`),
    ]),
    floods('JSON of a number of 60,000 digits', () =>
      list(15, () => text(`{"type":"ping","payload":{"a":${fill('9', 60_000)}}}`)),
    ),
    floods('JSON of escapes', () =>
      list(15, () => text(`{"type":"ping","payload":{"a":"${fill('\\u0041', 60_000)}"}}`)),
    ),
    floods('JSON that is cut', () => list(15, () => text(`{"type":"ping","payload":{"a":"${fill('a', 60_000)}`))),
    floods('a credential of 60 KB of blanks', () => [
      text({ type: 'connection_init', payload: { Authorization: `Bearer a${fill(' ', 60_000)}b` } }),
    ]),
    floods('a credential of 60 KB of dots', () => [
      text({ type: 'connection_init', payload: { Authorization: `Bearer ${fill('a.', 60_000)}` } }),
    ]),
    floods('a thousand times connection_init', gateway => [Buffer.concat(list(1_000, () => init(gateway)))]),
    floods('subscriptions without a credential', () => [Buffer.concat(list(900, () => subscribe(ruleSuites)))]),
    subscriptions('900 subscriptions', () => [Buffer.concat(list(900, () => subscribe(ruleSuites, { r: 'x' })))]),
    subscriptions('900 subscriptions with one id', () => [
      Buffer.concat(
        list(900, () => text({ id: 'a', type: 'subscribe', payload: { query: ruleSuites, variables: { r: 'x' } } })),
      ),
    ]),
    subscriptions('900 completions of nothing', () => [
      Buffer.concat(list(900, at => text({ id: `${at}`, type: 'complete' }))),
    ]),
    subscriptions('fields that conflict pairwise', () =>
      list(15, () => subscribe(rules(list(250, at => `a: ref(x: ${at}) { id }`).join(' ')))),
    ),
    subscriptions('a cycle of fragments', () =>
      list(15, () =>
        subscribe(
          `${rules('...f0')} ${list(200, at => `fragment f${at} on RuleSuite { ...f${(at + 1) % 200} }`).join(' ')}`,
        ),
      ),
    ),
    subscriptions('a chain of fragments that doubles', () =>
      list(15, () =>
        subscribe(
          `${rules('...f0')} ${list(150, at => `fragment f${at} on RuleSuite { ...f${at + 1} ...f${at + 1} }`).join(' ')} fragment f150 on RuleSuite { id }`,
        ),
      ),
    ),
    subscriptions('fields nested 900 deep', () =>
      list(15, () => subscribe(rules(`${'a{'.repeat(900)}b${'}'.repeat(900)}`))),
    ),
    subscriptions('lists nested 900 deep', () =>
      list(15, () =>
        subscribe(`subscription { ruleSuiteAdded(repositoryId: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`),
      ),
    ),
    subscriptions('a block string of 60,000 lines', () =>
      list(15, () => subscribe(`subscription { ruleSuiteAdded(repositoryId: """${fill('\n', 29_000)}""") { id } }`)),
    ),
    subscriptions('an id of 60 KB', () => list(15, () => subscribe(ruleSuites, { r: fill('A', 60_000) }))),
    subscriptions('a variable of thousands of items', () =>
      list(15, () => subscribe(ruleSuites, { r: list(14_000, () => 'a') })),
    ),
    subscriptions('hundreds of operations', () =>
      list(15, () =>
        subscribe(list(400, at => `subscription s${at} { ruleSuiteAdded(repositoryId: "x") { id } }`).join(' ')),
      ),
    ),
    subscriptions('unknown fields that resemble others', () =>
      list(15, () => subscribe(`subscription { ${list(400, at => `ruleSuiteAdde${at % 10}`).join(' ')} }`)),
    ),
  ],
  async gateway => {
    const { status, text: answer } = await gateway.graphql('{ articles(first: 1) { nodes { headline } } }');
    if (status !== 200 || answer.includes('"errors"')) throw new Error(answer);
  },
  // The limits of a connection are those of its messages: with larger ones a flood is admitted that is refused in production.
  { RATE_LIMIT_FACTOR: 'on' },
);
