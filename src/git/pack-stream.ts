import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createDeflate, deflate, deflateSync } from 'node:zlib';
import { sql } from 'kysely';
import { chunkBytes } from './chunk-rows.ts';
import { GitError } from './git-error.ts';
import { type Oid, typeNumbers } from './object.ts';
import type { PackList } from './object-list.ts';
import { compression } from './object-rows.ts';
import { openBlob } from './open-blob.ts';
import { decodeRow, missingObject } from './read-objects.ts';
import type { Repository } from './repository.ts';

/** Limits of one statement. */
const maxRead = { rows: 500, bytes: 4 * 1024 * 1024 };

/** Larger contents are compressed by a thread of the pool. */
const maxSliceBytes = 128 * 1024;
const deflateInThread = promisify(deflate);

/** The type of an entry that is a delta against an object of the same pack, which its header names. */
const refDeltaType = 7;

/**
 * A pack of the listed objects. A row holds the zlib stream that an entry of a pack needs, whole or a delta, so that nothing is
 * compressed anew except blobs in chunks, and deltas whose base is not in the list. Some megabytes are in memory at a time.
 */
export async function* packStream(repository: Repository, list: PackList): AsyncGenerator<Buffer> {
  const checksum = createHash('sha1');
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(list.count, 8);
  checksum.update(head);
  yield head;
  for (let at = 0; at < list.count; ) {
    const oids: Buffer[] = [];
    for (let bytes = 0; at < list.count && oids.length < maxRead.rows && bytes < maxRead.bytes; at++) {
      oids.push(list.oid(at));
      bytes += Math.max(0, list.rowBytes(at));
    }
    for await (const piece of entries(repository, list, oids)) {
      checksum.update(piece);
      yield piece;
    }
  }
  yield checksum.digest();
}

interface EntryRow {
  oid: Buffer;
  type: number;
  size: number;
  z: Buffer | null;
  delta: Buffer | null;
  deltaBase: Buffer | null;
  deltaSize: number | null;
}

async function* entries(repository: Repository, list: PackList, oids: readonly Buffer[]): AsyncGenerator<Buffer> {
  const { id, read } = repository;
  const rows = await read<EntryRow>(sql`
    select oid, type, size, z, delta, delta_base as "deltaBase", delta_size as "deltaSize" from git_object
    where repository_id = ${id} and oid = any(${[...oids]}::bytea[])`);
  if (rows.length !== oids.length) {
    throw new GitError('missing', `repository ${id}`, `Only ${rows.length} of ${oids.length} objects are there.`);
  }
  const stored: Buffer[] = [];
  const others: EntryRow[] = [];
  for (const row of rows) {
    const { type, size, z, delta, deltaBase, deltaSize } = row;
    if (z) stored.push(entryHeader(type, size), z);
    else if (delta && deltaBase && deltaSize !== null && list.indexOf(deltaBase) >= 0) {
      stored.push(entryHeader(refDeltaType, deltaSize), deltaBase, delta);
    } else others.push(row);
  }
  if (stored.length > 0) yield Buffer.concat(stored);
  for (const row of others) {
    if (row.type === typeNumbers.blob && row.size > chunkBytes) {
      yield* largeEntry(repository, row.oid.toString('hex'));
      continue;
    }
    const object = await decodeRow(repository, row);
    if (!object) throw missingObject(row.oid.toString('hex'));
    yield entryHeader(row.type, object.content.length);
    const { content } = object;
    yield content.length > maxSliceBytes
      ? await deflateInThread(content, compression)
      : deflateSync(content, compression);
  }
}

async function* largeEntry(repository: Repository, oid: Oid): AsyncGenerator<Buffer> {
  const blob = await openBlob(repository, oid);
  if (!blob) throw missingObject(oid);
  yield entryHeader(typeNumbers.blob, blob.size);
  const stream = createDeflate({ level: 1 });
  const fed = (async () => {
    for await (const piece of blob.pieces()) {
      if (!stream.write(piece)) await new Promise(resolve => stream.once('drain', resolve));
    }
    stream.end();
  })();
  fed.catch(error => stream.destroy(error));
  yield* stream;
  await fed;
}

/** The start of an entry of a pack: type and size in groups of 7 bits; the first byte has the type and 4 bits of the size. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = (type << 4) | (size & 15);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
