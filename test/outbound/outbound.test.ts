import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type OutboundClient, openOutboundClient } from '../../src/outbound/outbound-client.ts';
import { OutboundError } from '../../src/outbound/outbound-error.ts';

let requests = 0;
let connections = 0;
let port = 0;
const server: Server = createServer((request, response) => {
  requests++;
  if (request.url === '/redirect')
    response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end('moved');
  else if (request.url === '/large') response.end(Buffer.alloc(10_000_000, 'x'));
  else if (request.url === '/drip') {
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  } else if (request.url === '/hang') request.resume();
  else if (request.url === '/break') request.socket.destroy();
  else response.writeHead(200, { 'x-twice': ['a', 'b'] }).end('inside');
}).on('connection', () => connections++);
const opened: OutboundClient[] = [];
const outbound = (options: Parameters<typeof openOutboundClient>[0]): OutboundClient => {
  const client = openOutboundClient(options);
  opened.push(client);
  return client;
};

beforeAll(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  for (const client of opened) await client.close();
  server.closeAllConnections();
  await new Promise(done => server.close(done));
});

const get = (
  from: OutboundClient,
  url: string,
  more: { timeoutMs?: number; maxBytes?: number; insecure?: boolean } = {},
) => from.send({ method: 'GET', url, headers: {}, timeoutMs: 5_000, maxBytes: 1_000, ...more });
const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    error => (error instanceof OutboundError ? error.reason : String(error)),
  );

/** `PORT` is replaced by that of a server on this machine, so that a missing check is detected. */
const refused = [
  'http://127.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0X7F.1:PORT/',
  'http://0x7f.0x0.0x0.0x1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0177.0.0.0x1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://１２７.0.0.1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::FFFF:7F00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'http://[::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[ff02::1]:PORT/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  'http://168.63.129.16/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://192.168.0.1/',
  'http://192.168.257/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://239.255.255.255/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://LocalHost.:PORT/',
  'http://app.localhost:PORT/',
  'http://ⓛocalhost:PORT/',
  'http://loopback.test:PORT/',
  'http://LoopBack.Test.:PORT/',
  'http://metadata.test/',
  'http://mapped.test:PORT/',
  'http://nat64.test/',
  'https://loopback.test:PORT/',
  'http://name@public.test/',
  'http://name:word@public.test/',
  'http://127.0.0.1:PORT@public.test/',
  'http://public.test:22/',
  'http://public.test:25/',
  'http://public.test:0/',
  'ftp://public.test/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'javascript:alert(1)',
  '//127.0.0.1:PORT/',
  'http://',
  'http://:80/',
  '127.0.0.1:PORT',
];
const names: Record<string, string[]> = {
  'loopback.test': ['127.0.0.1', '::1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
  'public.test': ['8.8.8.8'],
};
const resolve = async (name: string): Promise<string[]> => {
  const found = names[name];
  if (!found) throw new Error('no such name');
  return found;
};

describe('blocked requests', () => {
  test('the table is long enough', () => expect(refused.length).toBeGreaterThanOrEqual(60));

  test.each(refused)('%s', async template => {
    const url = template.replace('PORT', String(port));
    const before = connections;
    expect(await reasonOf(get(outbound({ allow: [], resolve }), url))).toBe('blocked');
    expect(await reasonOf(get(outbound({ allow: [], resolve }), url, { insecure: true }))).toBe('blocked');
    expect(connections).toBe(before);
  });

  test('an endless URL', async () => {
    const url = `http://public.test/${'a'.repeat(9_000)}`;
    expect(await reasonOf(get(outbound({ allow: [], resolve }), url))).toBe('blocked');
  });

  test('a name that cannot be resolved', async () => {
    expect(await reasonOf(get(outbound({ allow: [], resolve }), 'http://nowhere.test/'))).toBe('unresolved');
    expect(await reasonOf(get(outbound({ allow: [], resolve: async () => [] }), 'http://nowhere.test/'))).toBe(
      'unresolved',
    );
  });

  test('DNS rebinding: a name is resolved once, and only that address is used', async () => {
    let lookups = 0;
    const rebinding = async (): Promise<string[]> => (lookups++ === 0 ? ['192.0.2.1'] : ['127.0.0.1']);
    const before = connections;
    const client = outbound({ allow: ['192.0.2.0/24'], resolve: rebinding });
    expect(['timeout', 'unreachable']).toContain(
      await reasonOf(get(client, `http://rebinding.test:${port}/`, { timeoutMs: 300 })),
    );
    expect(lookups).toBe(1);
    expect(await reasonOf(get(client, `http://rebinding.test:${port}/`))).toBe('blocked');
    expect(connections).toBe(before);
  });

  test('of a name with several addresses only the allowed ones are used', async () => {
    const client = outbound({ allow: [], resolve: async () => ['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'] });
    expect(await client.resolveAddresses('mixed.test')).toEqual(['8.8.8.8', '2606:4700::1111']);
  });

  test('a redirect to this machine is returned and not followed', async () => {
    const client = outbound({ allow: ['Receiver.Test'], resolve: async () => ['127.0.0.1'] });
    const before = requests;
    const answer = await get(client, `http://receiver.test:${port}/redirect`);
    expect([answer.status, answer.body.toString(), requests - before]).toEqual([302, 'moved', 1]);
  });
});

describe('resolveAddresses', () => {
  const client = outbound({ allow: ['10.1.0.0/16', 'inside.test'], resolve });

  test.each([
    ['8.8.8.8', ['8.8.8.8']],
    ['PUBLIC.test.', ['8.8.8.8']],
    ['10.1.2.3', ['10.1.2.3']],
    ['[2606:4700::1111]', ['2606:4700::1111']],
    ['2606:4700::1111', ['2606:4700::1111']],
  ])('%s', async (host, addresses) => expect(await client.resolveAddresses(host)).toEqual(addresses));

  test.each(['10.2.0.1', '2130706433', 'loopback.test', 'public.test:80', 'a@public.test', 'public.test/x', '', ' '])(
    '«%s» is blocked',
    async host => expect(await reasonOf(client.resolveAddresses(host))).toBe('blocked'),
  );
});

describe('a response', () => {
  const client = outbound({ allow: ['127.0.0.1/32'] });
  const at = (path: string): string => `http://127.0.0.1:${port}${path}`;

  test('has status, headers and body', async () => {
    const answer = await get(client, at('/'));
    expect(answer).toMatchObject({ status: 200, headers: { 'x-twice': 'a, b' }, isTruncated: false });
    expect(answer.body.toString()).toBe('inside');
  });

  test('is truncated at maxBytes', async () => {
    const answer = await get(client, at('/large'));
    expect([answer.isTruncated, answer.body.length]).toEqual([true, 1_000]);
  });

  test.each(['/hang', '/drip'])('of %s ends at the timeout', async path => {
    const before = Date.now();
    expect(await reasonOf(get(client, at(path), { timeoutMs: 200, maxBytes: 1_000_000 }))).toBe('timeout');
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  test('is unreachable for a broken connection, a closed port and plain text instead of TLS', async () => {
    const closedServer = createTcpServer();
    await new Promise<void>(done => closedServer.listen(0, '127.0.0.1', done));
    const free = (closedServer.address() as AddressInfo).port;
    await new Promise(done => closedServer.close(done));
    expect(await reasonOf(get(client, at('/break')))).toBe('unreachable');
    expect(await reasonOf(get(client, `http://127.0.0.1:${free}/`))).toBe('unreachable');
    expect(await reasonOf(get(client, `https://127.0.0.1:${port}/`))).toBe('unreachable');
  });

  test('can be aborted by the caller', async () => {
    const stopping = new AbortController();
    const waiting = client.send({
      method: 'GET',
      url: at('/hang'),
      headers: {},
      timeoutMs: 5_000,
      maxBytes: 1,
      signal: stopping.signal,
    });
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
