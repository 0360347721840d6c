import { createHash } from 'node:crypto';
import { inflateRawSync, constants as zlib } from 'node:zlib';
import { sql } from 'kysely';
import type { Commit } from './commit.ts';
import { GitError } from './git-error.ts';
import { type ObjectType, type Oid, objectHeader, typeFromNumber } from './object.ts';
import { LoadedObject, wrongTypeError } from './object-cache.ts';
import { oidBytes, type Repository } from './repository.ts';
import { decodeContent } from './stored-content.ts';
import type { Tree } from './tree.ts';

/**
 * Larger blobs are stored in chunks of this size and are streamed. Chunks of a quarter of the size saved no memory for
 * a blob of 90 MB and needed four times the statements.
 */
export const chunkBytes = 1024 * 1024;

export interface ObjectRow {
  oid: Buffer;
  type: number;
  size: number;
  /** Null for a blob in chunks. */
  z: Buffer | null;
}

/** Type and size of an object without its content; undefined when it does not exist. */
export async function statObject(
  { id, read, cache }: Repository,
  oid: Oid,
): Promise<{ type: ObjectType; size: number } | undefined> {
  const known = cache.getObject(id, oid);
  if (known) return { type: known.type, size: known.content.length };
  const [row] = await read<{ type: number; size: number }>(
    sql`select type, size from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  return row && { type: typeFromNumber(row.type), size: row.size };
}

/** Types and sizes of the objects that exist. */
export async function statObjects(
  { id, read }: Repository,
  oids: readonly Oid[],
): Promise<Map<Oid, { type: ObjectType; size: number }>> {
  const found = new Map<Oid, { type: ObjectType; size: number }>();
  for (let at = 0; at < oids.length; at += rowsPerRead) {
    const wanted = oids.slice(at, at + rowsPerRead).map(oidBytes);
    const rows = await read<{ oid: Buffer; type: number; size: number }>(
      sql`select oid, type, size from git_object where repository_id = ${id} and oid = any(${wanted})`,
    );
    for (const row of rows) found.set(row.oid.toString('hex'), { type: typeFromNumber(row.type), size: row.size });
  }
  return found;
}

/**
 * Undefined when the repository has no such object.
 * @throws GitError `too-large` for a blob in chunks: stream it with `openBlob`; `corrupt` when the content does not
 *   match the id.
 */
export async function findObject(repository: Repository, oid: Oid): Promise<LoadedObject | undefined> {
  const { id, read, cache } = repository;
  const known = cache.getObject(id, oid);
  if (known) return known;
  const [row] = await read<ObjectRow>(
    sql`select oid, type, size, z from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  return row && decodeRow(repository, row);
}

/**
 * Like `findObject`, but a missing object is an error.
 * @throws GitError `missing`
 */
export async function readObject(repository: Repository, oid: Oid): Promise<LoadedObject> {
  const found = await findObject(repository, oid);
  if (!found) throw missingObject(oid);
  return found;
}

export async function readTree(repository: Repository, oid: Oid): Promise<Tree> {
  return (await readObject(repository, oid)).tree;
}

export async function readCommit(repository: Repository, oid: Oid): Promise<Commit> {
  return (await readObject(repository, oid)).commit;
}

/** Rows per statement. Trees of the usual size make some hundred kilobytes. */
const rowsPerRead = 500;

/** Reads many objects in batches. Ids that do not exist are absent from the result. */
export async function findObjects(repository: Repository, oids: Iterable<Oid>): Promise<Map<Oid, LoadedObject>> {
  const { id, read, cache } = repository;
  const found = new Map<Oid, LoadedObject>();
  const wanted: Buffer[] = [];
  for (const oid of new Set(oids)) {
    const known = cache.getObject(id, oid);
    if (known) found.set(oid, known);
    else wanted.push(oidBytes(oid));
  }
  for (let at = 0; at < wanted.length; at += rowsPerRead) {
    const rows = await read<ObjectRow>(
      sql`select oid, type, size, z from git_object
        where repository_id = ${id} and oid = any(${wanted.slice(at, at + rowsPerRead)})`,
    );
    for (const row of rows) {
      const object = decodeRow(repository, row);
      found.set(object.oid, object);
    }
  }
  return found;
}

export function missingObject(oid: Oid): GitError {
  return new GitError('missing', oid, `The repository has no object ${oid}.`);
}

/** @throws GitError `too-large` for a blob in chunks, `corrupt` when the content does not match the id */
export function decodeRow({ id, cache }: Repository, row: ObjectRow): LoadedObject {
  const oid = row.oid.toString('hex');
  const type = typeFromNumber(row.type);
  if (row.z === null)
    throw new GitError('too-large', oid, `The blob ${oid} has ${row.size} bytes and is to be streamed.`);
  // The id is the checksum. It is verified once; later readers get the object from the cache.
  const content = decodeContent({ oid, type, size: row.size, z: row.z });
  if (content === undefined) throw corruptObject(oid);
  const object = new LoadedObject({ oid, type, content });
  cache.putObject(id, object);
  return object;
}

export function corruptObject(oid: Oid): GitError {
  return new GitError('corrupt', oid, `The stored object ${oid} is damaged: its content is not that of its id.`);
}

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
 * fails at its end when they differ; a range cannot be verified.
 * @throws GitError `wrong-type` when the object is not a blob
 */
export async function openBlob(repository: Repository, oid: Oid): Promise<BlobContent | undefined> {
  const { id, read, cache } = repository;
  const known = cache.getObject(id, oid);
  if (known) return wholeBlob(known);
  const [row] = await read<ObjectRow & { chunks: string | null }>(
    sql`select oid, type, size, z, chunks from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  if (!row) return undefined;
  if (row.chunks === null) return wholeBlob(decodeRow(repository, row));
  const { size, chunks } = row;
  return { size, pieces: range => readChunks(repository, { oid, size, chunks }, range ?? { start: 0, end: size }) };
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

async function* readChunks(
  { read }: Repository,
  { oid, size, chunks }: { oid: Oid; size: number; chunks: string },
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  const hash = start === 0 && end >= size ? createHash('sha1').update(objectHeader('blob', size)) : undefined;
  const last = Math.min(end, size);
  for (let at = start - (start % chunkBytes); at < last; at += chunkBytes) {
    const [row] = await read<{ z: Buffer }>(
      sql`select z from git_chunk where chunks = ${chunks} and position = ${at / chunkBytes}`,
    );
    const piece = row && inflateChunk(row.z);
    if (piece?.length !== Math.min(chunkBytes, size - at)) throw corruptObject(oid);
    hash?.update(piece);
    yield piece.subarray(Math.max(0, start - at), Math.min(chunkBytes, last - at));
  }
  if (hash && hash.digest('hex') !== oid) throw corruptObject(oid);
}

function inflateChunk(z: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(z, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: chunkBytes + 1 });
  } catch {
    return undefined;
  }
}
