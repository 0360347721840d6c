import { createHash } from 'node:crypto';
import { createDeflate } from 'node:zlib';
import { sql } from 'kysely';
import { GitError } from '../git/git-error.ts';
import { type Oid, typeNumbers } from '../git/object.ts';
import { missingObject, openBlob } from '../git/read-objects.ts';
import { oidBytes, type Repository } from '../git/repository.ts';

/** Objects to pack: their ids, and the bytes of each as stored in one row; -1 for a blob in chunks. */
export interface PackList {
  count: number;
  oid(at: number): Buffer;
  size(at: number): number;
}

/** Limits of one statement. */
const maxRead = { rows: 500, bytes: 4 * 1024 * 1024 };

const listedBytes = 24;

/** All objects of a repository. One statement, so that the list is one snapshot: with an object it has all that it refers to. */
export async function listStoredObjects({ id, read }: Repository): Promise<PackList> {
  const [row] = await read<{ list: Buffer | null }>(sql`
    select string_agg(oid || int4send(case when chunks is null then size::int else -1 end), ''::bytea) as list
    from git_object where repository_id = ${id}`);
  const list = row?.list ?? Buffer.alloc(0);
  return {
    count: list.length / listedBytes,
    oid: at => list.subarray(at * listedBytes, at * listedBytes + 20),
    size: at => list.readInt32BE(at * listedBytes + 20),
  };
}

/** The given objects; they must exist. */
export async function listGivenObjects({ id, read }: Repository, oids: readonly Oid[]): Promise<PackList> {
  const sizes: number[] = [];
  const found: Buffer[] = [];
  for (let at = 0; at < oids.length; at += 5_000) {
    const rows = await read<{ oid: Buffer; size: number }>(sql`
      select oid, case when chunks is null then size else -1 end as size from git_object
      where repository_id = ${id} and oid = any(${oids.slice(at, at + 5_000).map(oidBytes)}::bytea[])`);
    for (const row of rows) {
      found.push(row.oid);
      sizes.push(row.size);
    }
  }
  if (found.length !== oids.length) {
    const stored = new Set(found.map(oid => oid.toString('hex')));
    throw missingObject(oids.find(oid => !stored.has(oid)) ?? '');
  }
  return { count: found.length, oid: at => found[at] as Buffer, size: at => sizes[at] as number };
}

/**
 * A pack of whole objects. A row holds the zlib stream that an entry of a pack needs, so that nothing is compressed anew except
 * blobs in chunks. Some megabytes are in memory at a time.
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
    const small: Buffer[] = [];
    const chunked: Buffer[] = [];
    for (let bytes = 0; at < list.count && small.length < maxRead.rows && bytes < maxRead.bytes; at++) {
      const size = list.size(at);
      if (size < 0) chunked.push(list.oid(at));
      else small.push(list.oid(at));
      bytes += Math.max(0, size);
    }
    const entries = await readEntries(repository, small);
    checksum.update(entries);
    yield entries;
    for (const oid of chunked) {
      for await (const piece of chunkedEntry(repository, oid.toString('hex'))) {
        checksum.update(piece);
        yield piece;
      }
    }
  }
  yield checksum.digest();
}

async function readEntries({ id, read }: Repository, oids: readonly Buffer[]): Promise<Buffer> {
  if (oids.length === 0) return Buffer.alloc(0);
  const rows = await read<{ type: number; size: number; z: Buffer }>(sql`
    select type, size, z from git_object where repository_id = ${id} and oid = any(${[...oids]}::bytea[])`);
  if (rows.length !== oids.length) {
    throw new GitError('missing', `repository ${id}`, `Only ${rows.length} of ${oids.length} objects are there.`);
  }
  return Buffer.concat(rows.flatMap(({ type, size, z }) => [entryHeader(type, size), z]));
}

async function* chunkedEntry(repository: Repository, oid: Oid): AsyncGenerator<Buffer> {
  const blob = await openBlob(repository, oid);
  if (!blob) throw missingObject(oid);
  yield entryHeader(typeNumbers.blob, blob.size);
  const deflate = createDeflate({ level: 1 });
  const fed = (async () => {
    for await (const piece of blob.pieces()) {
      if (!deflate.write(piece)) await new Promise(resolve => deflate.once('drain', resolve));
    }
    deflate.end();
  })();
  fed.catch(error => deflate.destroy(error));
  yield* deflate;
  await fed;
}

/** Type and size in groups of 7 bits; the first byte has the type and 4 bits of the size. */
function entryHeader(type: number, size: number): Buffer {
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
