import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { type GitObject, typeNumbers } from '../../src/git/object.ts';
import type { AttackedGateway, HostileAnswer } from './attacked-gateway.ts';
import type { HostileObjects } from './hostile-objects.ts';

const deltaType = 7;

/** A pack entry: type and stated size, the base of a delta, and the zlib stream of `data`. */
function packEntry(type: number, data: Buffer, base = ''): Buffer {
  const head: number[] = [];
  let byte = (type << 4) | (data.length & 15);
  for (let rest = Math.floor(data.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  head.push(byte);
  return Buffer.concat([Buffer.from(head), Buffer.from(base, 'hex'), deflateSync(data)]);
}

export const objectEntry = ({ type, content }: GitObject): Buffer => packEntry(typeNumbers[type], content);

/** A delta to the object with the id `base`. */
export const deltaEntry = (base: string, delta: Buffer): Buffer => packEntry(deltaType, delta, base);

export function packOf(entries: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const bytes = Buffer.concat([head, ...entries]);
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}

/** A number in groups of seven bits, as deltas state sizes. */
export function sizeBytes(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  do {
    const next = Math.floor(rest / 128);
    bytes.push((rest & 0x7f) | (next > 0 ? 0x80 : 0));
    rest = next;
  } while (rest > 0);
  return Buffer.from(bytes);
}

export const pkt = (line: string): Buffer =>
  Buffer.from(`${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`);

export const flush = Buffer.from('0000');
const zeros = '0'.repeat(40);

/** The commands of a push, of a ref each: the first with the capabilities. */
export function commandsOf(commands: readonly { ref: string; from?: string; to?: string }[]): Buffer {
  const lines = commands.map(({ ref, from = zeros, to = zeros }, at) =>
    pkt(`${from} ${to} ${ref}${at === 0 ? '\0report-status side-band-64k' : ''}`),
  );
  return Buffer.concat([...lines, flush]);
}

/** Sends a push. `path`: `owner/name`. */
export function sendPush(
  gateway: AttackedGateway,
  path: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<HostileAnswer> {
  return gateway.send('POST', `/${path}.git/git-receive-pack`, {
    headers: {
      'content-type': 'application/x-git-receive-pack-request',
      authorization: `Basic ${Buffer.from(`x:${gateway.token}`).toString('base64')}`,
      ...headers,
    },
    body,
  });
}

/** Sends a request for a pack or a list of refs, anonymously. */
export function sendFetch(
  gateway: AttackedGateway,
  path: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<HostileAnswer> {
  return gateway.send('POST', `/${path}.git/git-upload-pack`, {
    headers: { 'content-type': 'application/x-git-upload-pack-request', ...headers },
    body,
  });
}

/** The push that creates these objects and refs. */
export const pushOf = ({ objects, refs }: HostileObjects): Buffer =>
  Buffer.concat([commandsOf(Object.entries(refs).map(([ref, to]) => ({ ref, to }))), packOf(objects.map(objectEntry))]);
