import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import type { AttackedGateway } from './attacked-gateway.ts';
import { type Shape, shape, testShapes, times } from './loop-delay.ts';

const list = <T>(count: number, piece: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => piece(at));
const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

interface Upload {
  method?: string;
  path?: string;
  type?: string;
  headers?: Record<string, string>;
  count?: number;
}

/** A body of a person with a session, sent several times at once: of the profile unless another path is given. */
const body = (
  name: string,
  build: () => Buffer | string,
  { method = 'PATCH', path = '/api/v1/auth/me/', type = 'application/json', headers = {}, count = 4 }: Upload = {},
): Shape => ({
  name,
  prepare(gateway) {
    const bytes = Buffer.from(build());
    return () =>
      times(count, () =>
        gateway.send(method, path, {
          headers: { 'content-type': type, ...headers },
          body: bytes,
          token: gateway.access,
        }),
      );
  },
});

const boundary = 'boundary-of-the-form';
const multipart = `multipart/form-data; boundary=${boundary}`;

/** A form of parts; `head`: the lines of a part before its content. */
const formOf = (parts: readonly { head: string; content: Buffer | string }[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, content }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const field = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const form = (name: string, build: () => Buffer, type = multipart): Shape => body(`a form: ${name}`, build, { type });

/** A picture of the profile. */
const picture = (name: string, build: () => Buffer, { type = 'image/png', count = 4 }: Upload = {}): Shape =>
  body(
    `a picture: ${name}`,
    () =>
      formOf([{ head: `${field('profile_picture')}; filename="me.png"\r\nContent-Type: ${type}`, content: build() }]),
    { type: multipart, count },
  );

/** A check sum of PNG. */
function crc(bytes: Buffer): number {
  let value = 0xffff_ffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  }
  return (value ^ 0xffff_ffff) >>> 0;
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG of so many pixels of zeros, with `others` before its data. */
function png(
  width: number,
  height: number,
  { depth = 8, color = 0, others = [] }: { depth?: number; color?: number; others?: Buffer[] } = {},
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = depth;
  head[9] = color;
  const rowBytes = 1 + Math.ceil((width * depth * (color === 6 ? 4 : 1)) / 8);
  // Rows of more than 60 MB are cut: the decoder meets the end.
  const data = deflateSync(Buffer.alloc(Math.min(rowBytes * height, 60_000_000)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...others,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** An animated GIF of so many frames of one pixel. */
function gif(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0]),
    size,
    Buffer.from([0, 2, 2, 0x44, 1, 0]),
  ]);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...list(frames, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** A TIFF whose directories point to each other. */
function tiff(directories: number): Buffer {
  const parts = [Buffer.from('II*\0\x08\0\0\0', 'latin1')];
  for (let at = 0; at < directories; at++) {
    const one = Buffer.alloc(2 + 2 * 12 + 4);
    one.writeUInt16LE(2, 0);
    one.writeUInt16LE(256, 2);
    one.writeUInt16LE(3, 4);
    one.writeUInt32LE(1, 6);
    one.writeUInt16LE(60_000, 10);
    one.writeUInt16LE(257, 14);
    one.writeUInt16LE(3, 16);
    one.writeUInt32LE(1, 18);
    one.writeUInt16LE(60_000, 22);
    one.writeUInt32LE(at === directories - 1 ? 8 : 8 + (at + 1) * one.length, 26);
    parts.push(one);
  }
  return Buffer.concat(parts);
}

const svg = (text: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">${text}</svg>`);

const rest = (name: string, path: string, build: () => object | string): Shape => ({
  name,
  prepare(gateway) {
    const given = build();
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    return () =>
      times(4, () =>
        gateway.send('POST', path, {
          headers: { 'content-type': 'application/json' },
          body: text,
          token: gateway.access,
        }),
      );
  },
});
const hosting = (name: string, method: string, path: string, build: () => string): Shape => ({
  name,
  prepare(gateway) {
    const text = build();
    return () =>
      times(4, () =>
        gateway.send(method, path, {
          headers: { 'content-type': 'application/json' },
          body: text,
          token: gateway.token,
        }),
      );
  },
});

/** A message of `length` characters to the companion, to a chat group, or of an assessment. */
const message = (name: string, text: string): Shape =>
  shape(`a message: ${name}`, async (gateway: AttackedGateway) => {
    const headers = { 'content-type': 'application/json' };
    await Promise.all([
      gateway.send('POST', '/api/v1/chat/ai/', {
        headers,
        body: JSON.stringify({ message: text }),
        token: gateway.access,
      }),
      gateway.send('POST', '/api/v1/assessments/guest/', {
        headers,
        body: JSON.stringify({ symptoms: list(20, () => text.slice(0, 100)), allergies: text.slice(0, 1_000) }),
      }),
      gateway.send('POST', '/api/v1/articles/1/comments/', {
        headers,
        body: JSON.stringify({ content: text, text }),
        token: gateway.access,
      }),
    ]);
  });

await testShapes(
  'uploads',
  // biome-ignore format: a table is read by its lines.
  [
    // JSON.
    body('JSON of one key 15,500 times', () => `{${list(15_500, () => '"about_me":"x"').join(',')}}`, { count: 8 }),
    body('JSON of a file key 15,500 times', () => `{${list(15_500, () => '"profile_picture":"x"').join(',')}}`, {
      count: 8,
    }),
    body('JSON of one key 400,000 times, 6 MB', () => `{${list(400_000, () => '"about_me":"x"').join(',')}}`, {
      count: 2,
    }),
    body('JSON of 100,000 keys', () => `{${list(60_000, at => `"k${at}":1`).join(',')}}`),
    body('JSON nested 500,000 deep', () => `{"about_me":${fill('[', 500_000)}${fill(']', 500_000)}}`),
    body('JSON of objects nested 100,000 deep', () => `${fill('{"a":', 500_000)}1${fill('}', 100_000)}`),
    body('JSON of a number of 900,000 digits', () => `{"weight_kg":${fill('9', 900_000)}}`),
    body('JSON of a decimal of 900,000 digits', () => `{"weight_kg":"1.${fill('9', 900_000)}"}`),
    body('JSON of numbers with exponents', () => `{"conditions":[${list(90_000, () => '1e400').join(',')}]}`),
    body('JSON of escapes', () => `{"about_me":"${fill('\\ud800', 900_000)}"}`),
    body('JSON of 900 KB of blanks', () => `{"about_me":"x"${fill(' ', 900_000)}}`),
    body('JSON without an end', () => `{"about_me":"${fill('x', 900_000)}`),
    body('JSON of 200,000 items', () => `{"conditions":[${list(200_000, () => '"a"').join(',')}]}`),
    body('JSON of 6 MB in a string', () => `{"about_me":"${fill('x', 6_000_000)}"}`, { count: 2 }),
    body('JSON that is not UTF-8', () => Buffer.alloc(1_000_000, 0xff)),
    body('a gzip body', () => gzipSync(Buffer.alloc(200_000_000, 0x20)), { headers: { 'content-encoding': 'gzip' } }),
    hosting('JSON of one key 15,500 times for a tree', 'POST', '/repos/wren/x/git/trees', () => `{${list(15_500, () => '"tree":[]').join(',')}}`),
    hosting('JSON of a tree of 10 MB in one string', 'POST', '/repos/harbor-lab/compass/git/trees', () =>
      JSON.stringify({ tree: [{ path: 'a', mode: '100644', type: 'blob', content: fill('x', 10_000_000) }] }),
    ),
    hosting('JSON of a tree of nested keys', 'POST', '/repos/harbor-lab/compass/git/trees', () => `{"tree":[${list(100_000, () => '{"path":"a","path":"b"}').join(',')}]}`),
    hosting('a blob of base64 with line feeds', 'POST', '/repos/harbor-lab/compass/git/blobs', () =>
      JSON.stringify({ encoding: 'base64', content: fill('YQ==\n', 10_000_000) }),
    ),
    hosting('a blob of base64 that is none', 'POST', '/repos/harbor-lab/compass/git/blobs', () =>
      JSON.stringify({ encoding: 'base64', content: fill('=a', 10_000_000) }),
    ),
    hosting('topics of 100,000 names', 'PUT', '/repos/harbor-lab/compass/topics', () =>
      JSON.stringify({ names: list(90_000, at => `t${at}`) }),
    ),
    hosting('a public key of 1 MB', 'POST', '/user/keys', () =>
      JSON.stringify({ title: 'x', key: `ssh-rsa ${fill('A', 900_000)}` }),
    ),
    hosting('a public key of blanks', 'POST', '/user/keys', () =>
      JSON.stringify({ title: 'x', key: `ssh-rsa${fill(' ', 900_000)}x` }),
    ),
    hosting('an address of a webhook of 900 KB', 'POST', '/repos/harbor-lab/compass/hooks', () =>
      JSON.stringify({ config: { url: `https://${fill('a.', 900_000)}example` } }),
    ),
    // Forms.
    form('9,000 parts', () => formOf(list(9_000, at => ({ head: field(`f${at}`), content: 'x' })))),
    form('100,000 parts of one name', () => formOf(list(60_000, () => ({ head: field('about_me'), content: 'x' })))),
    form('15,000 files', () =>
      formOf(list(15_000, () => ({ head: `${field('profile_picture')}; filename="a"`, content: 'x' }))),
    ),
    form('a part of 100,000 headers', () =>
      formOf([{ head: `${field('about_me')}\r\n${fill('X-A: b\r\n', 900_000)}X-B: c`, content: 'x' }]),
    ),
    form('a header of 900 KB', () => formOf([{ head: `${field(fill('a', 900_000))}`, content: 'x' }])),
    form('parameters of a disposition', () =>
      formOf([{ head: `Content-Disposition: form-data${fill('; a="b"', 900_000)}`, content: 'x' }]),
    ),
    form('blanks in a disposition', () =>
      formOf([{ head: `Content-Disposition: form-data;${fill(' ', 900_000)}x`, content: 'x' }]),
    ),
    form('almost the boundary', () =>
      formOf([{ head: field('about_me'), content: fill(`\r\n--${boundary.slice(0, -1)}`, 6_000_000) }]),
    ),
    form('line feeds', () => formOf([{ head: field('about_me'), content: fill('\r\n', 6_000_000) }])),
    form('a boundary of 10 KB', () => Buffer.from(fill('--a\r\n', 900_000)), `multipart/form-data; boundary=${fill('a', 10_000)}`),
    form('a boundary of blanks', () => Buffer.from('x'), `multipart/form-data;${fill(' ', 12_000)}boundary="a`),
    body('a form of 100,000 keys', () => list(60_000, at => `k${at}=v`).join('&'), {
      type: 'application/x-www-form-urlencoded',
    }),
    body('a form of one key 100,000 times', () => fill('about_me=v&', 900_000), {
      type: 'application/x-www-form-urlencoded',
    }),
    body('a form of encodings', () => `about_me=${fill('%e4%', 900_000)}`, {
      type: 'application/x-www-form-urlencoded',
    }),
    body('a form of brackets', () => `about_me${fill('[a]', 900_000)}=x`, {
      type: 'application/x-www-form-urlencoded',
    }),
    // Pictures.
    picture('an SVG of 6 MB', () => svg(fill('<rect width="1" height="1"/>', 6_000_000)), { type: 'image/svg+xml' }),
    picture('an SVG of nested uses', () =>
      svg(
        `<g id="a0"><rect width="1" height="1"/></g>${list(40, at => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`).join('')}<use href="#a40"/>`,
      ),
    ),
    picture('an SVG of entities', () =>
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY a0 "x">${list(20, at => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('')}]><svg xmlns="http://www.w3.org/2000/svg"><text>&a20;</text></svg>`,
      ),
    ),
    picture('an SVG of filters', () =>
      svg(
        `<filter id="f"><feGaussianBlur stdDeviation="1000"/></filter>${fill('<rect width="9999" height="9999" filter="url(#f)"/>', 500_000)}`,
      ),
    ),
    picture('a PNG of 49 megapixels', () => png(7_000, 7_000, { color: 6 }), { count: 2 }),
    picture('a PNG of 50,000 × 50,000', () => png(50_000, 50_000, { depth: 1 })),
    picture('a PNG of 7,000 × 7,000 of 16 bits', () => png(7_000, 7_000, { depth: 16, color: 6 })),
    picture('a PNG of 100,000 text chunks', () =>
      png(10, 10, { others: list(100_000, () => chunk('tEXt', Buffer.from('a\0b'))) }),
    ),
    picture('a PNG of a compressed text of 100 MB', () =>
      png(10, 10, {
        others: [chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100_000_000))]))],
      }),
    ),
    picture('a GIF of 100,000 frames', () => gif(1, 1, 100_000)),
    picture('a GIF of 60,000 × 60,000', () => gif(60_000, 60_000, 3)),
    picture('a TIFF of directories in a circle', () => tiff(100_000)),
    picture('random bytes of 6 MB', () => randomBytes(6_000_000)),
    picture('a PDF', () => Buffer.from(`%PDF-1.7\n${fill('1 0 obj<</Type/Page>>endobj\n', 1_000_000)}`)),
    // Messages.
    message('2,000 blanks', `a${' '.repeat(1_998)}b`),
    message('a ligature that expands', '\ufdfa'.repeat(2_000)),
    message('letters with a hundred marks', `a${'\u0301'.repeat(100)}`.repeat(19)),
    message('marks alone', '\u0301'.repeat(2_000)),
    message('one word of 2,000 letters', 'a'.repeat(2_000)),
    message('letters apart', 'k i l l '.repeat(250)),
    message('homoglyphs and joiners', 'ѕ\u200dυ\u200dі\u200dϲ\u200dі\u200dԁ\u200dе '.repeat(130)),
    message('digits for letters', '5u1c1d3 k1ll my53lf '.repeat(100)),
    message('negations', 'not no never '.repeat(150)),
    message('Chinese without a break', '我想死不想活'.repeat(330)),
    message('Arabic with marks', 'أُرِيدُ أَنْ أَمُوتَ '.repeat(100)),
    message('addresses and quotes', '"http://a.b/('.repeat(150)),
    rest('symptoms of 1 MB', '/api/v1/assessments/guest/', () => ({ symptoms: [fill('pain ', 900_000)] })),
    rest('300,000 symptoms', '/api/v1/assessments/guest/', () => ({ symptoms: list(200_000, () => 'a') })),
    rest('symptoms of commas', '/api/v1/assessments/guest/', () => ({ symptoms: fill(',', 900_000) })),
    rest('a message of 1 MB', '/api/v1/chat/ai/', () => ({ message: fill('word ', 900_000) })),
    rest('a note of 1 MB', '/api/v1/health/vitals/', () => ({ heart_rate: 60, notes: fill('ä\u0301', 400_000) })),
    rest('a time of 900 KB', '/api/v1/health/vitals/', () => ({
      heart_rate: 60,
      measured_at: `2026-01-01T00:00:00.${fill('0', 900_000)}Z`,
    })),
  ],
  async gateway => {
    const { status, text } = await gateway.send('PATCH', '/api/v1/auth/me/', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ about_me: 'A honest text' }),
      token: gateway.access,
    });
    if (status !== 200) throw new Error(text);
  },
);
