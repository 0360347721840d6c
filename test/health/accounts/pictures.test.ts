import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { readPictureFile } from '../../../src/health/accounts/picture-file.ts';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const ada = await person(gateway, mails);

const upload = async (bytes: Uint8Array, type = 'image/png') => {
  const form = new FormData();
  form.append('profile_picture', new Blob([new Uint8Array(bytes)], { type }), 'me.png');
  const { status, json } = await gateway.request('/api/v1/auth/me/', {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ada.access}` },
    body: form,
  });
  return { status, problem: json.profile_picture };
};

const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#0b6b57' } });

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}

/** A PNG whose header has this size, with other chunks before its pixels. */
function png(width: number, height: number, more: Buffer[] = [], interlaced = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, interlaced], 8);
  const pixels = deflateSync(Buffer.alloc(100_000));
  const parts = [chunk('IHDR', header), ...more, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

// Drawn before the gateway loads its decoder, which takes these formats from the whole process.
const others: [string, Buffer][] = [
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')],
  [
    'an SVG with a prologue',
    Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  ],
  [
    'an SVG behind a byte order mark',
    Buffer.from('\uFEFF <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  ],
  ['a GIF', await drawn(10, 10).gif().toBuffer()],
  ['a TIFF', await drawn(10, 10).tiff().toBuffer()],
  ['an AVIF', await drawn(10, 10).avif().toBuffer()],
  ['a PDF', Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n')],
  ['a portable bitmap', Buffer.from('P6\n2 2\n255\n000000000000')],
  ['a CSV matrix', Buffer.from('1,2\n3,4\n')],
  ['a RIFF file that is no WebP', Buffer.from('RIFF\x10\0\0\0WAVEfmt \0\0\0\0', 'latin1')],
  ['the first byte of a JPEG', Buffer.from([0xff])],
];

test.each(others)('%s gets to no decoder, whatever the form says that it is', async (_what, bytes) => {
  expect(readPictureFile(bytes)).toEqual({ format: 'unknown' });
  for (const type of ['image/png', 'image/svg+xml', 'image/gif'])
    expect(await upload(bytes, type)).toEqual({ status: 400, problem: ['Upload a JPEG, PNG or WebP picture.'] });
});

test('the decoder has three formats left, and honest pictures of each are taken', async () => {
  for (const bytes of [
    await drawn(600, 500).jpeg().toBuffer(),
    await drawn(600, 500).jpeg({ progressive: true }).toBuffer(),
    await drawn(600, 500).withIccProfile('p3').withMetadata({ orientation: 6 }).png().toBuffer(),
    await drawn(600, 500).png({ progressive: true, palette: true }).toBuffer(),
    await drawn(600, 500).webp().toBuffer(),
  ])
    expect(await upload(bytes)).toEqual({ status: 200, problem: expect.stringContaining('/media/') });
  for (const [what, bytes] of others.slice(0, 6))
    await expect([what, sharp(bytes).metadata()][1]).rejects.toThrow('unsupported image format');
});

test('orientation and color profile of a PNG are kept, texts are not', async () => {
  const bytes = await drawn(30, 20).withIccProfile('p3').withMetadata({ orientation: 6 }).png().toBuffer();
  const file = readPictureFile(bytes);
  const read = await sharp('bytes' in file ? file.bytes : bytes).metadata();
  expect([read.orientation, read.icc !== undefined, read.width]).toEqual([6, true, 30]);
});

test.each([
  [
    'of 900 megapixels in a kilobyte',
    png(30_000, 30_000),
    'Ensure this picture has no more than 50 megapixels: it has 30000 × 30000 pixels.',
  ],
  [
    'that is interlaced and takes 200 MB',
    png(7_000, 7_000, [], 1),
    'Ensure this picture has no more than 37 megapixels, or is not progressive: it has 7000 × 7000 pixels.',
  ],
  ['that ends within a chunk', png(10, 10).subarray(0, 60), expect.stringContaining('corrupted')],
  [
    'of 20,000 chunks',
    png(10, 10, Array(20_000).fill(chunk('tEXt', Buffer.alloc(0)))),
    expect.stringContaining('corrupted'),
  ],
])('a PNG %s is refused', async (_what, bytes, problem) => {
  expect(await upload(bytes)).toEqual({ status: 400, problem: [problem] });
});

test('no chunk that is inflated beside the pixels gets to the decoder', () => {
  const zeros = deflateSync(Buffer.alloc(10_000_000));
  const text = chunk('zTXt', Buffer.concat([Buffer.from('key\0\0', 'latin1'), zeros]));
  const profile = chunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), Buffer.alloc(70_000)]));
  const file = readPictureFile(png(10, 10, [...Array(60).fill(text), profile]));
  expect(file).toEqual({ format: 'png', bytes: png(10, 10) });
});

test('a JPEG of more scans than an encoder writes is refused', async () => {
  const bytes = await drawn(64, 64).jpeg({ progressive: true }).toBuffer();
  const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  const of = (more: number): Buffer =>
    Buffer.concat([bytes.subarray(0, -2), ...Array(more).fill(scan), bytes.subarray(-2)]);
  expect(readPictureFile(of(10))).toMatchObject({ format: 'jpeg' });
  expect(await upload(of(1_000))).toEqual({ status: 400, problem: [expect.stringContaining('corrupted')] });
});
