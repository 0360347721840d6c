import { createHash } from 'node:crypto';
import { GitError } from './git-error.ts';

/** The id of an object: SHA-1 as 40 hexadecimal digits in lower case. */
export type Oid = string;

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitObject {
  oid: Oid;
  type: ObjectType;
  content: Buffer;
}

/** Bytes that are read piece by piece, as often as they are asked for. */
export interface ByteSource {
  /** Of all of them. */
  size: number;
  pieces(): AsyncIterable<Buffer>;
}

/** A blob that is not in memory. Its size is known; whoever asks for its content as a whole gets an error. */
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

/** In bytes, of the content. */
export function objectSize(object: GitObject): number {
  return object instanceof LargeBlob ? object.source.size : object.content.length;
}

/** Reads the bytes once for their id. */
export async function createLargeBlob(source: ByteSource): Promise<LargeBlob> {
  const hash = createHash('sha1').update(objectHeader('blob', source.size));
  for await (const piece of source.pieces()) hash.update(piece);
  return new LargeBlob(hash.digest('hex'), source);
}

/** The numbers git gives the types in packs; ours in the rows. */
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

/** Bytes in front of the content in what is hashed. */
export function objectHeader(type: ObjectType, size: number): string {
  return `${type} ${size}\0`;
}

export function hashObject(type: ObjectType, content: Uint8Array): Oid {
  return createHash('sha1').update(objectHeader(type, content.length)).update(content).digest('hex');
}

/** A new object out of its content. */
export function createObject(type: ObjectType, content: Buffer): GitObject {
  return { oid: hashObject(type, content), type, content };
}
