import { createHash, type Hash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, constants as zlib } from 'node:zlib';
import { sql } from 'kysely';
import { GitError } from './git-error.ts';
import { type Oid, objectHeader, typeNumbers } from './object.ts';
import { compression, hashCollision, insertObjectRows, type ObjectTarget, toObjectRow } from './object-rows.ts';
import { chunkBytes } from './read-objects.ts';
import { oidBytes } from './repository.ts';

/** The largest blob that is stored: 100 MiB. */
export const maxBlobBytes = 100 * 1024 * 1024;

export function blobTooLarge(oid: string): GitError {
  return new GitError('too-large', oid, `A blob has at most ${maxBlobBytes} bytes.`);
}

/** Beside the event loop: a chunk takes some 20 ms. */
const deflateRawAsync = promisify(deflateRaw);

/**
 * Stores a blob of `size` bytes that comes in pieces, with little more than one mebibyte in memory, and gives its id. The
 * size is needed first, because it is hashed first. Content that turns out to be longer or shorter is refused.
 */
export async function writeBlob(
  target: ObjectTarget,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Oid> {
  return (await storeBlob(target, size, content)).oid;
}

/** The same; tells also whether the blob was not there before. */
export async function storeBlob(
  target: ObjectTarget,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ oid: Oid; isNew: boolean }> {
  if (size > maxBlobBytes) throw blobTooLarge('blob');
  const sha1 = createHash('sha1').update(objectHeader('blob', size));
  if (size <= chunkBytes) {
    const whole = Buffer.concat(await collectPieces(content, size));
    const oid = sha1.update(whole).digest('hex');
    const { bytes } = await insertObjectRows(target, [toObjectRow({ oid, type: 'blob', content: whole })]);
    return { oid, isNew: bytes > 0 };
  }
  const sha256 = createHash('sha256');
  const chunks = randomUUID();
  let position = 0;
  let stored = 0;
  for await (const chunk of splitIntoChunks(content, size)) {
    sha1.update(chunk);
    sha256.update(chunk);
    // Flushed so that the next segment needs nothing of this one, and without an end: see the table.
    const z = await deflateRawAsync(chunk, { ...compression, finishFlush: zlib.Z_FULL_FLUSH });
    await sql`insert into git_chunk (chunks, position, repository_id, z)
      values (${chunks}, ${position}, ${target.repositoryId}, ${z})`.execute(target.db);
    position++;
    stored += chunk.length;
  }
  if (stored !== size) throw sizeMismatch(size);
  return insertChunkedBlob(target, { size, chunks, sha1, sha256 });
}

async function insertChunkedBlob(
  { db, repositoryId, now }: ObjectTarget,
  { size, chunks, sha1, sha256 }: { size: number; chunks: string; sha1: Hash; sha256: Hash },
): Promise<{ oid: Oid; isNew: boolean }> {
  const oid = sha1.digest('hex');
  const check = sha256.digest();
  const { numAffectedRows } = await sql`
    insert into git_object (repository_id, oid, type, size, sha256, stored_at, chunks)
    values (${repositoryId}, ${oidBytes(oid)}, ${typeNumbers.blob}, ${size}, ${check}, ${now.toISOString()}, ${chunks})
    on conflict (repository_id, oid) do nothing`.execute(db);
  if (numAffectedRows === 1n) return { oid, isNew: true };
  await sql`delete from git_chunk where chunks = ${chunks}`.execute(db);
  const { rows } = await sql<{ same: boolean }>`select sha256 = ${check} as same from git_object
    where repository_id = ${repositoryId} and oid = ${oidBytes(oid)}`.execute(db);
  if (rows[0]?.same === false) throw hashCollision(oid);
  return { oid, isNew: false };
}

async function collectPieces(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > size) throw sizeMismatch(size);
    pieces.push(piece);
  }
  if (length !== size) throw sizeMismatch(size);
  return pieces;
}

/** The same bytes in pieces of `chunkSize`, the last one shorter; one buffer for all. */
async function* splitIntoChunks(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(chunkBytes);
  let filled = 0;
  let total = 0;
  for await (const piece of content) {
    total += piece.length;
    if (total > size) throw sizeMismatch(size);
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(chunkBytes - filled, piece.length - at);
      buffer.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < chunkBytes) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

function sizeMismatch(size: number): GitError {
  return new GitError('corrupt', 'blob', `The content of a blob is not the ${size} bytes that were announced.`);
}
