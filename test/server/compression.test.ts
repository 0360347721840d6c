import { get, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;
const world = await newWorld(gateway, token);
const text = 'A line of text.\n'.repeat(2_000);
await world.commit({ 'large.txt': text, 'small.txt': 'small', 'image.png': Buffer.from(text) });
const contents = `/repos/${world.owner}/${world.name}/contents`;

interface Plain {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A request whose response is not decompressed. */
function ask(path: string, headers: Record<string, string>, method = 'GET', body?: string): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const all = { 'user-agent': 'portico tests', authorization: `Bearer ${token}`, ...headers };
    const sent = sendRequest(`${gateway.url}${path}`, { method, headers: all }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const gzip = { 'accept-encoding': 'gzip' };
const raw = { accept: 'application/vnd.host.raw' };

describe('a response', () => {
  test.each([
    ['JSON of REST', `${contents}/large.txt`, {}],
    ['the health API', '/api/v1/articles/', { authorization: '' }],
    ['a document of the contract', '/openapi/hosting.json', {}],
    ['the SDL', '/schema.graphql', {}],
    ['a static file', '/docs/swagger-ui-bundle.js', {}],
    ['an HTML page', '/harbor-lab/compass/blob/main/README.md', { accept: 'text/html' }],
  ])('of %s is compressed as Accept-Encoding says', async (_what, path, headers) => {
    const plain = await ask(path, headers);
    expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
    expect(plain.headers.vary).toMatch(/accept-encoding/i);
    const packed = await ask(path, { ...headers, ...gzip });
    expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.headers.vary).toMatch(/accept-encoding/i);
    const small = await ask(path, { ...headers, 'accept-encoding': 'gzip, deflate, br' });
    expect(small.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(small.bytes).equals(plain.bytes)).toBe(true);
  });

  test('of GraphQL is compressed', async () => {
    const body = JSON.stringify({ query: '{ articles(first: 20) { nodes { id headline } } }' });
    const headers = { 'content-type': 'application/json', ...gzip };
    const { headers: sent, bytes } = await ask('/graphql', headers, 'POST', body);
    expect(sent['content-encoding']).toBe('gzip');
    expect(sent.vary).toBe('Authorization, Origin, Accept-Encoding');
    expect(JSON.parse(gunzipSync(bytes).toString()).data.articles.nodes).toHaveLength(20);
  });

  test.each([
    ['that is small', `${contents}/small.txt`, raw],
    ['whose client refuses it', `${contents}/large.txt`, { 'accept-encoding': 'gzip;q=0, identity' }],
    ['of the bytes of a file, which may be any', `${contents}/large.txt`, raw],
    ['of a part', `${contents}/large.txt`, { ...raw, range: 'bytes=0-9999' }],
    ['of a picture', '/avatars/u/1', {}],
    ['of a pack of git', `/${world.owner}/${world.name}.git/info/refs?service=git-upload-pack`, { authorization: '' }],
  ])('%s is not compressed', async (_what, path, headers) => {
    const { headers: sent } = await ask(path, { ...gzip, ...headers });
    if (sent['content-type']?.includes('svg')) return;
    expect(sent['content-encoding']).toBeUndefined();
  });

  test('an archive is not compressed', async () => {
    const redirect = await ask(`/repos/${world.owner}/${world.name}/zipball`, gzip);
    const { pathname, search } = new URL(String(redirect.headers.location));
    const { status, headers } = await ask(`${pathname}${search}`, gzip);
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
  });
});

describe('the entity tag of a compressed response', () => {
  test('is weak, and that of the plain one strong', async () => {
    const path = `${contents}/large.txt`;
    const plain = await ask(path, {});
    const packed = await ask(path, gzip);
    expect(plain.headers.etag).toMatch(/^"/);
    expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
    for (const etag of [String(plain.headers.etag), String(packed.headers.etag)]) {
      const same = await ask(path, { ...gzip, 'if-none-match': etag });
      expect([same.status, same.headers.etag, same.bytes.length]).toEqual([304, packed.headers.etag, 0]);
      expect(same.headers.vary).toMatch(/accept-encoding/i);
      const identity = await ask(path, { 'if-none-match': etag });
      expect([identity.status, identity.headers.etag]).toEqual([304, plain.headers.etag]);
    }
  });
});

test.each([{}, raw])('HEAD has the headers of GET (%j)', async accept => {
  const kept = ['etag', 'vary', 'content-encoding', 'content-type', 'content-length', 'accept-ranges', 'last-modified'];
  for (const encoding of [{}, gzip]) {
    for (const name of ['large.txt', 'small.txt']) {
      const [whole, head] = await Promise.all(
        ['GET', 'HEAD'].map(method => ask(`${contents}/${name}`, { ...accept, ...encoding }, method)),
      );
      const of = (one: Plain | undefined) => kept.map(header => [header, one?.headers[header]]);
      const isPacked = whole?.headers['content-encoding'] !== undefined;
      const expected = of(whole).map(([header, value]) =>
        header === 'content-encoding' ? [header, undefined] : [header, value],
      );
      expect(of(head)).toEqual(isPacked ? expected : of(whole));
    }
  }
});

test('a client that leaves while its response is compressed causes no error', async () => {
  await new Promise<void>(resolve => {
    const sent = get(
      `${gateway.url}/docs/swagger-ui-bundle.js`,
      { headers: { ...gzip, 'user-agent': 't' } },
      response => {
        response.once('data', () => {
          sent.destroy();
          resolve();
        });
        response.on('error', () => {});
      },
    );
    sent.on('error', () => {});
  });
  expect((await gateway.request('/livez')).status).toBe(200);
});
