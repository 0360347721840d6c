import { createHash } from 'node:crypto';
import { GitError } from './git-error.ts';

/** Object id: SHA-1 as 40 lower-case hexadecimal digits. */
export type Oid = string;

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitObject {
  oid: Oid;
  type: ObjectType;
  content: Buffer;
}

/** Bytes that can be read in pieces, any number of times. */
export interface ByteSource {
  /** Total number of bytes. */
  size: number;
  pieces(): AsyncIterable<Buffer>;
}

/** A blob that is not in memory. Its size is known; `content` throws. */
export class LargeBlob implements GitObject {
  readonly type = 'blob';
  readonly oid: Oid;
  readonly source: ByteSource;

  constructor(oid: Oid, source: ByteSource) {
    this.oid = oid;
    this.source = source;
  }

  get content(): Buffer {
    throw new GitError('too-large', this.oid, `The blob ${this.oid} is to be read in pieces.`);
  }
}

/** Size of the content in bytes. */
export function objectSize(object: GitObject): number {
  return object instanceof LargeBlob ? object.source.size : object.content.length;
}

/** Reads the bytes once to compute the id. */
export async function createLargeBlob(source: ByteSource): Promise<LargeBlob> {
  const hash = createHash('sha1').update(objectHeader('blob', source.size));
  for await (const piece of source.pieces()) hash.update(piece);
  return new LargeBlob(hash.digest('hex'), source);
}

/** Type numbers as in git packs; also used in the rows. */
export const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const types: (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];

export function typeFromNumber(number: number): ObjectType {
  const type = types[number];
  if (type === undefined) throw new TypeError(`No type of object has the number ${number}.`);
  return type;
}

export function isObjectType(text: string): text is ObjectType {
  return text in typeNumbers;
}

export function isOid(text: string): text is Oid {
  return /^[0-9a-f]{40}$/.test(text);
}

/** The header that git hashes before the content. */
export function objectHeader(type: ObjectType, size: number): string {
  return `${type} ${size}\0`;
}

export function hashObject(type: ObjectType, content: Uint8Array): Oid {
  return createHash('sha1').update(objectHeader(type, content.length)).update(content).digest('hex');
}

/** Creates an object from its content. */
export function createObject(type: ObjectType, content: Buffer): GitObject {
  return { oid: hashObject(type, content), type, content };
}
