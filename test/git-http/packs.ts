import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import { basic } from '../harness/hosting.ts';

const types = { commit: 1, tree: 2, blob: 3, tag: 4, refDelta: 7 };

export type PackType = keyof typeof types;

export const noOid = '0'.repeat(40);

/** An entry: type and stated size, the base of a delta, and the zlib stream of `data`. */
export function entry(type: PackType, size: number, data: Buffer, base?: string): Buffer {
  const head: number[] = [];
  let byte = (types[type] << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  head.push(byte);
  return Buffer.concat([Buffer.from(head), Buffer.from(base ?? '', 'hex'), deflateSync(data)]);
}

export function pack(...entries: Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const bytes = Buffer.concat([head, ...entries]);
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}

export const oidOf = (type: string, content: Buffer): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** An object of a pack that a test writes. */
export interface MadeObject {
  type: 'commit' | 'tree' | 'blob' | 'tag';
  oid: string;
  content: Buffer;
}

export function made(type: MadeObject['type'], content: Buffer | string): MadeObject {
  const bytes = Buffer.from(content);
  return { type, oid: oidOf(type, bytes), content: bytes };
}

/** A tree of entries, which are given in the order of git. */
export const madeTree = (entries: readonly { mode?: string; name: string; oid: string }[]): MadeObject =>
  made(
    'tree',
    Buffer.concat(
      entries.map(({ mode = '100644', name, oid }) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
      ),
    ),
  );

/** A commit. `headers`: lines after the committer. */
export const madeCommit = (tree: string, parents: readonly string[] = [], headers = '', message = 'x\n'): MadeObject =>
  made('commit', `tree ${tree}\n${parents.map(oid => `parent ${oid}\n`).join('')}${people}${headers}\n${message}`);

const people = 'author A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n';

export const packOf = (objects: readonly MadeObject[]): Buffer =>
  pack(...objects.map(({ type, content }) => entry(type, content.length, content)));

/** A packet line. */
export const line = (text: string): string => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

export interface RefCommand {
  ref: string;
  old?: string;
  to?: string;
}

/** Commands as git sends them, and the flush packet. */
export const commandLines = (commands: readonly RefCommand[], capabilities = ''): string => {
  const first = `\0report-status side-band-64k delete-refs ${capabilities}`;
  const lines = commands.map(({ ref, old = noOid, to = noOid }, at) =>
    line(`${old} ${to} ${ref}${at === 0 ? first : ''}`),
  );
  return `${lines.join('')}0000`;
};

/** Pushes over HTTP without git. */
export function sendPush(
  gateway: TestGateway,
  { owner, name }: { owner: string; name: string },
  token: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return gateway.request(`/${owner}/${name}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-receive-pack-request',
      authorization: basic('x', token),
      ...headers,
    },
    body: new Uint8Array(Buffer.from(body)),
  });
}
