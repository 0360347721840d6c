import { createHash, type Hash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, constants as zlib } from 'node:zlib';
import { sql } from 'kysely';
import { chunkBytes } from './chunk-rows.ts';
import { GitError } from './git-error.ts';
import { type Oid, objectHeader, typeNumbers } from './object.ts';
import { compression, insertObjectRows, type ObjectTarget, settleExisting, toObjectRow } from './object-rows.ts';
import { oidBytes } from './repository.ts';

/** Maximum size of a blob: 100 MiB. */
export const maxBlobBytes = 100 * 1024 * 1024;

export function blobTooLarge(oid: string): GitError {
  return new GitError('too-large', oid, `A blob has at most ${maxBlobBytes} bytes.`);
}

/** Runs on the thread pool: a chunk takes about 20 ms. */
const deflateRawAsync = promisify(deflateRaw);

/**
 * Stores a blob of `size` bytes with about one mebibyte in memory and returns its id. git hashes the size first, so it
 * must be known.
 * @throws GitError `corrupt` when the content has another size; `too-large`; `collision`
 */
export async function writeBlob(
  target: ObjectTarget,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Oid> {
  return (await storeBlob(target, size, content)).oid;
}

/** Like `writeBlob`; also returns whether the blob did not exist before. */
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
  const chunks = await writeChunks(target, size, content, chunk => {
    sha1.update(chunk);
    sha256.update(chunk);
  });
  return insertChunkedBlob(target, { size, chunks, sha1, sha256 });
}

/**
 * Stores content in chunks, which no object has yet, and returns their id. `onChunk` is called with each before it is compressed.
 * @throws GitError `corrupt` when the content has another size
 */
export async function writeChunks(
  { db, repositoryId }: Pick<ObjectTarget, 'db' | 'repositoryId'>,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  onChunk: (chunk: Buffer) => void,
): Promise<string> {
  const chunks = randomUUID();
  let position = 0;
  let stored = 0;
  for await (const chunk of splitIntoChunks(content, size)) {
    onChunk(chunk);
    // Each chunk is a raw deflate segment that ends in a full flush, so that it can be decompressed alone; the stream
    // has no end marker. See the comment of the table.
    const z = await deflateRawAsync(chunk, { ...compression, finishFlush: zlib.Z_FULL_FLUSH });
    await sql`insert into git_chunk (chunks, position, repository_id, z)
      values (${chunks}, ${position}, ${repositoryId}, ${z})`.execute(db);
    position++;
    stored += chunk.length;
  }
  if (stored !== size) throw sizeMismatch(size);
  return chunks;
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
  await settleExisting({ db, repositoryId, now }, [{ oid: oidBytes(oid), sha256: check }]);
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

/** The same bytes in pieces of `chunkBytes`; the last one may be shorter. All pieces share one buffer. */
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
