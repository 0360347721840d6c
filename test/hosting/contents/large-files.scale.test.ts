import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../src/db/database.ts';
import { testDatabase } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { Program } from '../../harness/program.ts';
import { testSecret } from '../../harness/secret.ts';

const url = await testDatabase('demo');
const database = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 10_000 });
const demo = await demoOf({ database });
await database.close();
const { classic_token: token } = demo.users.wren;
const repository = '/repos/wren/dotfiles';

// A separate process, so that its memory is only what these requests need.
const program = new Program({
  DATABASE_URL: url,
  SECRET_KEY: testSecret,
  SEED: 'none',
  RATE_LIMIT_FACTOR: 'off',
  REQUEST_TIMEOUT_MS: '200000',
});
afterAll(() => program.remove());
const [address = ''] = await program.printed(/http:\/\/127\.0\.0\.1:\d+(?=[\s\S]*curl)/);

const noise = randomBytes(300_000);
const words = Buffer.from('words that repeat, '.repeat(20_000));
const size = 90 * 1024 * 1024;

/** Half of it is incompressible. The buffers are reused, so that the generator itself needs no memory. */
function* content(of: number, from: number): Generator<Buffer> {
  for (let at = 0; at < of; ) {
    const source = at % 2 === 0 ? noise : words;
    const start = (from + at) % 200_000;
    // Base64: three bytes become four characters.
    const piece = source.subarray(start, start + Math.min(76_797 + (at % 2) * 3, of - at));
    at += piece.length;
    yield piece;
  }
}

function* body(path: string, of: number, from: number): Generator<string> {
  yield `{"message":"${path}","content":"`;
  for (const piece of content(of, from)) yield piece.toString('base64');
  yield '","branch":"main"}';
}

const headers = { authorization: `Bearer ${token}`, 'user-agent': 'portico tests' };

function put(path: string, pieces: Iterable<string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${repository}/contents/${path}`, { method: 'PUT', headers }, answer => {
      const parts: Buffer[] = [];
      answer.on('data', part => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
    });
    sent.on('error', reject);
    pipeline(Readable.from(pieces), sent).catch(reject);
  });
}

function blobId(pieces: Iterable<Buffer>, of: number): string {
  const hash = createHash('sha1').update(`blob ${of}\0`);
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

// Only Linux reports the peak memory of a process.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  '90 MB are written and read through the API in less than 200 MB of memory, two files at a time too',
  async () => {
    program.forgetPeak();
    const idle = program.peak();
    const path = randomUUID();
    const one = await put(path, body(path, size, 1));
    expect([one.status, JSON.parse(one.text).content]).toMatchObject([
      201,
      { size, sha: blobId(content(size, 1), size) },
    ]);

    const raw = { ...headers, accept: 'application/vnd.host.raw' };
    const whole = await fetch(`${address}${repository}/contents/${path}`, { headers: raw });
    const hash = createHash('sha1').update(`blob ${size}\0`);
    for await (const piece of whole.body ?? []) hash.update(piece);
    expect(hash.digest('hex')).toBe(blobId(content(size, 1), size));

    const range = { headers: { ...raw, range: `bytes=${size - 20}-` } };
    const part = await fetch(`${address}${repository}/contents/${path}`, range);
    const last = Buffer.concat([...content(size, 1)].slice(-2)).subarray(-20);
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, last]);
    const half = size / 3;
    const two = await Promise.all([2, 3].map(from => put(`${path}-${from}`, body(`${path}-${from}`, half, from))));
    expect(two.map(({ status }) => status)).toEqual([201, 201]);

    // What files of 90 MB add is 70 to 140 MB: V8 collects Buffers as late as the rest of its heap. One of them as text has 120 MB, and
    // its bytes 90.
    expect(program.peak() - idle).toBeLessThan(200);
  },
  240_000,
);
