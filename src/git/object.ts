import { createHash } from 'node:crypto';

/** The id of an object: SHA-1 as 40 hexadecimal digits in lower case. */
export type Oid = string;

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitObject {
  oid: Oid;
  type: ObjectType;
  content: Buffer;
}

/** The numbers git gives the types in packs; ours in the rows. */
export const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const types: (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];

export function typeOf(number: number): ObjectType {
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
export function loosePrefix(type: ObjectType, size: number): string {
  return `${type} ${size}\0`;
}

export function oidOf(type: ObjectType, content: Uint8Array): Oid {
  return createHash('sha1').update(loosePrefix(type, content.length)).update(content).digest('hex');
}

/** A new object out of its content. */
export function objectOf(type: ObjectType, content: Buffer): GitObject {
  return { oid: oidOf(type, content), type, content };
}
