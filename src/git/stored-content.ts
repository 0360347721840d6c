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

/**
 * Output buffers of zlib. The default of 16 KB stays in memory with a content of 1 KB: 500 objects took 8 MB. 64 is the least that
 * Node.js accepts.
 */
const [minChunkBytes, maxChunkBytes] = [64, 1024 * 1024];

/** Undefined when the stream is damaged or has not `size` bytes. */
export function inflate(z: Uint8Array, size: number): Buffer | undefined {
  try {
    const chunkSize = Math.min(maxChunkBytes, Math.max(minChunkBytes, size + 1));
    const content = inflateSync(z, { maxOutputLength: Math.max(1, size), chunkSize });
    return content.length === size ? content : undefined;
  } catch {
    return undefined;
  }
}
