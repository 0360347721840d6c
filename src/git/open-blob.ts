import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Read } from '../db/read.ts';
import { type ChunkedBlob, ChunksGoneError, chunkBytes, readChunk } from './chunk-rows.ts';
import { openDelta, type PieceReader } from './delta-rows.ts';
import { corruptObject } from './git-error.ts';
import { type Oid, objectHeader, typeFromNumber } from './object.ts';
import { type LoadedObject, wrongTypeError } from './object-cache.ts';
import { decodeRow, type ObjectRow } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';

/** Content that is read in pieces. */
export interface BlobContent {
  size: number;
  /**
   * Bytes from `start` (inclusive) to `end` (exclusive); everything without a range. At most one piece is in memory at
   * a time.
   */
  pieces(range?: { start: number; end: number }): AsyncGenerator<Buffer>;
}

/**
 * Opens a blob of any size; undefined when it does not exist. A stream of the whole blob is verified against the id and
 * fails at its end when they differ; a range of a large blob cannot be verified.
 * @throws GitError `wrong-type` when the object is not a blob
 */
export async function openBlob(repository: Repository, oid: Oid): Promise<BlobContent | undefined> {
  const { id, read, cache } = repository;
  const known = cache.getObject(id, oid);
  if (known) return wholeBlob(known);
  const [row] = await read<ObjectRow & { chunks: string | null }>(
    sql`select oid, type, size, z, chunks from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  if (!row) return repository.alternate && openBlob(repository.alternate, oid);
  const { size, chunks } = row;
  const type = typeFromNumber(row.type);
  if (type !== 'blob') throw wrongTypeError({ oid, type }, 'blob');
  if (size <= chunkBytes) {
    const object = await decodeRow(repository, row);
    return object && wholeBlob(object);
  }
  return {
    size,
    pieces: range => largePieces(repository, { oid, size, chunks }, range ?? { start: 0, end: size }),
  };
}

function wholeBlob(object: LoadedObject): BlobContent {
  if (object.type !== 'blob') throw wrongTypeError(object, 'blob');
  return {
    size: object.content.length,
    async *pieces({ start, end } = { start: 0, end: object.content.length }) {
      if (end > start) yield object.content.subarray(start, end);
    },
  };
}

/** `chunks` is null for a blob that is stored as a delta. */
async function* largePieces(
  repository: Repository,
  { oid, size, chunks }: { oid: Oid; size: number; chunks: string | null },
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  const hash = start === 0 && end >= size ? createHash('sha1').update(objectHeader('blob', size)) : undefined;
  const { id, read } = repository;
  const last = Math.min(end, size);
  let reader = await openPieces(repository, { oid, size, chunks });
  let gone: string | undefined;
  for (let at = start; at < last; ) {
    let piece: Buffer;
    try {
      piece = await reader.read(at, last);
    } catch (error) {
      if (!(error instanceof ChunksGoneError)) throw error;
      // The blob or its base was stored as a delta meanwhile. The same chunks a second time are lost.
      if (error.chunks === gone) throw corruptObject(oid);
      gone = error.chunks;
      const [row] = await read<{ chunks: string | null }>(
        sql`select chunks from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
      );
      if (!row) throw corruptObject(oid);
      reader = await openPieces(repository, { oid, size, chunks: row.chunks });
      continue;
    }
    hash?.update(piece);
    at += piece.length;
    yield piece;
  }
  if (hash && hash.digest('hex') !== oid) throw corruptObject(oid);
}

async function openPieces(
  repository: Repository,
  { oid, size, chunks }: { oid: Oid; size: number; chunks: string | null },
): Promise<PieceReader> {
  if (chunks !== null) return chunkReader(repository.read, { oid, size, chunks });
  const found = await openDelta(repository, { repositoryId: repository.id, oid });
  if (found?.size !== size) throw corruptObject(oid);
  return found.content;
}

function chunkReader(read: Read, blob: ChunkedBlob): PieceReader {
  return {
    async read(start, end) {
      const position = Math.floor(start / chunkBytes);
      const from = position * chunkBytes;
      const piece = await readChunk(read, blob, position);
      return piece.subarray(start - from, Math.min(chunkBytes, end - from));
    },
  };
}
