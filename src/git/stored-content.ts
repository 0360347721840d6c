import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { inflate as inflateStream, inflateSync } from 'node:zlib';
import type { WorkBudget } from '../workers/work-budget.ts';
import { hashObject, type ObjectType, type Oid, objectHeader } from './object.ts';

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

/** Contents of more bytes are inflated by a thread of the pool and hashed in pieces: 256 KB take about a millisecond. */
const maxSliceBytes = 256 * 1024;
const bytesPerStep = 1024;

/** The same with turns of the event loop in the middle of a large content. @throws WorkBudgetError */
export async function decodeContentInTurns(stored: StoredObject, budget: WorkBudget): Promise<Buffer | undefined> {
  const { oid, type, size, z } = stored;
  if (size <= maxSliceBytes) return decodeContent(stored);
  const content = await inflateInTurns(z, size);
  return content !== undefined && (await hashInTurns(type, content, budget)) === oid ? content : undefined;
}

/** The id of an object, with turns of the event loop in the middle of a large one. @throws WorkBudgetError */
export async function hashInTurns(type: ObjectType, content: Buffer, budget: WorkBudget): Promise<Oid> {
  if (content.length <= maxSliceBytes) return hashObject(type, content);
  const hash = createHash('sha1').update(objectHeader(type, content.length));
  for (let at = 0; at < content.length; at += maxSliceBytes) {
    hash.update(content.subarray(at, at + maxSliceBytes));
    budget.spendSteps(maxSliceBytes / bytesPerStep);
    if (budget.isTurnDue) await budget.turn();
  }
  return hash.digest('hex');
}

/**
 * Output buffers of zlib. The default of 16 KB stays in memory with a content of 1 KB: 500 objects took 8 MB. 64 is the least that
 * Node.js accepts.
 */
const [minChunkBytes, maxChunkBytes] = [64, 1024 * 1024];

const optionsFor = (size: number) => ({
  maxOutputLength: Math.max(1, size),
  chunkSize: Math.min(maxChunkBytes, Math.max(minChunkBytes, size + 1)),
});

/** Undefined when the stream is damaged or has not `size` bytes. */
function inflate(z: Uint8Array, size: number): Buffer | undefined {
  try {
    const content = inflateSync(z, optionsFor(size));
    return content.length === size ? content : undefined;
  } catch {
    return undefined;
  }
}

const inflateInThread = promisify(inflateStream);

/** The same; a large stream is inflated by a thread of the pool. */
export async function inflateInTurns(z: Uint8Array, size: number): Promise<Buffer | undefined> {
  if (size <= maxSliceBytes) return inflate(z, size);
  const content = await inflateInThread(z, optionsFor(size)).catch(() => undefined);
  return content?.length === size ? content : undefined;
}
