import { inflateRawSync, constants as zlib } from 'node:zlib';
import { sql } from 'kysely';
import type { Read } from '../db/read.ts';
import { corruptObject } from './git-error.ts';
import type { Oid } from './object.ts';

/**
 * Larger blobs are stored in chunks of this size and are streamed. Chunks of a quarter of the size saved no memory for
 * a blob of 90 MB and needed four times the statements.
 */
export const chunkBytes = 1024 * 1024;

/** A blob in chunks. */
export interface ChunkedBlob {
  oid: Oid;
  /** Bytes. */
  size: number;
  chunks: string;
}

/** The rows of a blob in chunks are gone: it was stored as a delta, or deleted, since its own row was read. */
export class ChunksGoneError extends Error {
  override name = 'ChunksGoneError';
  readonly chunks: string;

  constructor(chunks: string) {
    super(`The chunks ${chunks} do not exist.`);
    this.chunks = chunks;
  }
}

/**
 * The content of one chunk.
 * @throws ChunksGoneError; GitError `corrupt`
 */
export async function readChunk(read: Read, { oid, size, chunks }: ChunkedBlob, position: number): Promise<Buffer> {
  const [row] = await read<{ z: Buffer }>(
    sql`select z from git_chunk where chunks = ${chunks} and position = ${position}`,
  );
  if (!row) throw new ChunksGoneError(chunks);
  const piece = inflateChunk(row.z);
  if (piece?.length !== Math.min(chunkBytes, size - position * chunkBytes)) throw corruptObject(oid);
  return piece;
}

function inflateChunk(z: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(z, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: chunkBytes + 1 });
  } catch {
    return undefined;
  }
}
