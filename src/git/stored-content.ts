import { inflateSync } from 'node:zlib';
import { hashObject, type ObjectType, type Oid } from './object.ts';

/** An object as its row stores it. */
export interface StoredObject {
  oid: Oid;
  type: ObjectType;
  /** Bytes of the content. */
  size: number;
  /** The content as a zlib stream. */
  z: Uint8Array;
}

/** The content of an object; undefined when the stored bytes are damaged or not those of the id. */
export function decodeContent({ oid, type, size, z }: StoredObject): Buffer | undefined {
  const content = inflate(z, size);
  return content !== undefined && hashObject(type, content) === oid ? content : undefined;
}

function inflate(z: Uint8Array, size: number): Buffer | undefined {
  try {
    const content = inflateSync(z, { maxOutputLength: Math.max(1, size) });
    return content.length === size ? content : undefined;
  } catch {
    return undefined;
  }
}
