import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { TempFileJsonReader } from 'operation-rest';
import { LongBase64 } from '../../schema/vocabulary/scalars.ts';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

/** Bodies up to `held` bytes stay in memory; larger ones go to files, up to `largest`. */
const held = 4096;
const largest = 100_000;

const graph = buildTestSchema(
  `
  scalar LongBase64
  type Query { get: String }
  type Mutation { put(long: LongBase64, text: String, filler: LongBase64): String! }`,
  {
    LongBase64: LongBase64.toConfig(),
    Mutation: {
      async put(_: unknown, { long, text }: { long?: string | AsyncPieces | null; text?: string | null }) {
        const kind = typeof long === 'object' && long !== null ? await whole(long) : long;
        return JSON.stringify([kind, text]);
      },
    },
  },
);
interface AsyncPieces {
  pieces(): AsyncIterable<string>;
}

async function whole(text: AsyncPieces): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of text.pieces()) pieces.push(piece);
  return pieces.join('');
}

const slots = { acquired: 0, released: 0 };
const facade = await startTestFacade({
  graph,
  operations: {
    'a/put.graphql': `mutation Put($long: LongBase64, $text: String, $filler: LongBase64)
      @rest(method: PUT, path: "/things", maxBodyBytes: ${largest}) { put(long: $long, text: $text, filler: $filler) @body }`,
  },
  product: 'hosting-like',
  overrides: { maxBodyBytes: held },
  server: {
    async acquireTempFileSlot() {
      slots.acquired++;
      return () => {
        slots.released++;
      };
    },
  },
});

const put = (body: string | Buffer) =>
  facade.request('/things', {
    method: 'PUT',
    headers: { 'user-agent': 'tests', 'content-type': 'application/json' },
    body: body as string,
  });

/** The same body with a long text in front, under a key of its own. */
const lengthened = (body: string): string =>
  body.replace('{', `{"filler": "${'A'.repeat(2 * held)}"${/^\s*\{\s*\}/.test(body) ? '' : ', '}`);

test.each([
  '{"long": "plain", "text": "t"}',
  '{"text": "t", "long" : "\\u017e\\ud83d\\udc0e ž🐎\\n\\t\\"\\\\\\/\\b\\f\\r"}',
  '{"l\\u006fng": "by another spelling", "text": "\\\\\\" long"}',
  '{"long": ""}',
  '{"long": null}',
  '{"long": 5}',
  '{"long": {"long": "x"}}',
  '{"long": ["x"]}',
  '{"long": "first", "long": 7, "long": "last"}',
  '{"other": {"long": "inside"}, "long": "b", "list": [{"long": "c"}]}',
  '{"text": "{\\"long\\": \\"x\\"}", "long": "y"}',
  '{"text": "\\u0000", "long": "y"}',
  '{"long": "\\u0000"}',
  '{"long": "\\ud800"}',
  '{"long": "\\ud800\\u0041", "text": "a"}',
  '{"long": "\\x41"}',
  '{"long": "\\u00g1"}',
  '{"long": "\u0001"}',
  '{"long": "line\nfeed"}',
  '{"long": "open',
  '{"long": "open\\',
  '{"long": "open\\"',
  '{"long": "a"',
  '{"long": "a"} {}',
  '{"long": "a",}',
  '{"long" "a"}',
  '{"long": "a" "text": "b"}',
  '{long: "a"}',
  `{"long": "a", "deep": ${'['.repeat(101)}${']'.repeat(101)}}`,
])('%s has the same result when it is long', async body => {
  const short = await put(body);
  const long = await put(lengthened(body));
  expect([long.status, long.text]).toEqual([short.status, short.text]);
});

test('a long text arrives complete, whatever it contains', async () => {
  const text = `${'ž🐎\u0085\u2028" \\ \n\t/'.repeat(1500)}end`;
  const { status, json } = await put(JSON.stringify({ text: 'before', long: text }));
  expect([status, JSON.parse(json)]).toEqual([200, [text, 'before']]);
});

test('invalid UTF-8 is reported', async () => {
  for (const hex of ['ff', 'c0af', 'eda080', '22f0', 'f09f']) {
    const bytes = Buffer.concat([
      Buffer.from(`{"long": "${'A'.repeat(2 * held)}`),
      Buffer.from(hex, 'hex'),
      Buffer.from('"}'),
    ]);
    const { status, json } = await put(bytes);
    expect([status, json.message]).toEqual([400, 'Problems parsing JSON']);
  }
});

test('is refused beyond the limits of the body and of the part in memory', async () => {
  const of = (size: number): string => `{"long":"${'A'.repeat(size - 11)}"}`;
  expect((await put(of(largest))).status).toBe(200);
  const over = await put(of(largest + 1));
  expect([over.status, over.json.message]).toEqual([413, `The body is larger than ${largest} bytes.`]);
  const other = await put(JSON.stringify({ text: 'x'.repeat(held + 1), long: 'A' }));
  expect([other.status, other.json.message]).toEqual([413, `The body is larger than ${held} bytes.`]);
  // Size takes precedence over malformed JSON.
  expect((await put(`{"long":"\u0001${'A'.repeat(largest)}"}`)).status).toBe(413);
});

test('wherever chunks are split', async () => {
  const value = { a: ['long', { long: '"' }], long: 'é🐎\\"\n\u{1f600}Zz ', 'lo"ng': 1, text: '\\' };
  const plain = JSON.stringify(value);
  const escaped = plain.replace(/[^ -~]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  for (const text of [plain, escaped, `\uFEFF${escaped}`]) {
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size++) {
      const reader = new TempFileJsonReader(['long'], 10_000);
      for (let at = 0; at < bytes.length; at += size) await reader.take(bytes.subarray(at, at + size));
      const json = JSON.parse(reader.end()) as Record<string, unknown>;
      reader.restore(json);
      expect({ ...json, long: await whole(json.long as AsyncPieces) }).toEqual(value);
      await reader.close();
    }
  }
});

test('a body in files holds one slot until its request has ended, and one in memory none', async () => {
  const before = { ...slots };
  const statuses = [(await put('{"long": "short"}')).status];
  expect(slots).toEqual(before);
  for (const body of ['{"long": "a"}', '{"long": "\\x"}']) statuses.push((await put(lengthened(body))).status);
  expect(statuses).toEqual([200, 200, 400]);
  // Two requests, each to two facades: own, foreign.
  expect(slots).toEqual({ acquired: before.acquired + 4, released: before.released + 4 });
});

/** Temporary files of bodies that this process has open. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('request-body-');
    } catch {
      return false;
    }
  }).length;

test('a key that is repeated has one file, and is refused', async () => {
  for (const repeated of ['"long":"",', '"long":"", "l\\u006fng":"",']) {
    const reader = new TempFileJsonReader(['long'], 1_000_000);
    await reader.take(Buffer.from(`{${repeated.repeat(5_000)}`));
    const open = openFiles();
    expect(() => reader.end()).toThrow('malformed');
    await reader.close();
    expect([open, openFiles()]).toEqual([1, 0]);
  }
  const body = `{${Array(9_000).fill('"long":""').join(',')}}`;
  expect((await put(body)).status).toBe(400);
  expect(openFiles()).toBe(0);
});

test('an upload that is cut off leaves no file and no slot', async () => {
  const before = slots.acquired;
  const { port, hostname } = new URL(facade.url);
  const socket = connect(Number(port), hostname);
  const head = `PUT /things HTTP/1.1\r\nHost: ${hostname}\r\nUser-Agent: tests\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: ${largest}\r\n\r\n{"long":"${'A'.repeat(3 * held)}`);
  while (openFiles() === 0) await new Promise(setImmediate);
  socket.destroy();
  while (openFiles() > 0 || slots.released < slots.acquired) await new Promise(setImmediate);
  expect(slots.acquired).toBe(before + 1);
});
