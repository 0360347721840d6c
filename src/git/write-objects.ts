import { createHash, type Hash, hash, randomUUID } from 'node:crypto';
import { deflateRawSync, deflateSync, constants as zlib } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { parseLinks } from './commit.ts';
import { GitError } from './git-error.ts';
import { type GitObject, loosePrefix, type Oid, typeNumbers } from './object.ts';
import { parsePerson } from './person.ts';
import { chunkSize } from './read-objects.ts';
import { bytesOf } from './repository.ts';

/** The largest blob that is stored: 100 MiB. */
export const largestBlob = 100 * 1024 * 1024;

/** Where to write: a transaction, a repository, and the time that is noted. */
export interface ObjectTarget {
  db: Kysely<unknown>;
  repositoryId: number;
  now: Date;
}

/** An object as it is written. */
interface Row {
  oid: Buffer;
  type: number;
  size: number;
  sha256: Buffer;
  links: Buffer;
  committedAt: number;
  z: Buffer;
}

/** Of one statement: enough that the way there no longer counts, and little enough to be held twice. */
const most = { rows: 2000, bytes: 4 * 1024 * 1024 };

/**
 * Stores objects; those that are there already stay as they are. An object with the id of a stored one and other content,
 * which is an attack on SHA-1, is refused.
 */
export async function writeObjects(target: ObjectTarget, objects: Iterable<GitObject>): Promise<void> {
  const rows: Row[] = [];
  const seen = new Set<Oid>();
  for (const object of objects) {
    if (seen.has(object.oid)) continue;
    seen.add(object.oid);
    if (object.content.length > largestBlob) throw tooLarge(object.oid);
    if (object.type === 'blob' && object.content.length > chunkSize) {
      await writeBlob(target, object.content.length, [object.content]);
    } else {
      rows.push(rowOf(object));
    }
  }
  // Two transactions that store the same objects wait for each other; in one order for all they cannot do so in a circle.
  rows.sort((one, other) => one.oid.compare(other.oid));
  for (let at = 0; at < rows.length; ) {
    let end = at;
    for (let bytes = 0; end < rows.length && end - at < most.rows && bytes < most.bytes; end++) {
      bytes += rows[end]?.z.length ?? 0;
    }
    await insert(target, rows.slice(at, end));
    at = end;
  }
}

function rowOf({ oid, type, content }: GitObject): Row {
  return {
    oid: bytesOf(oid),
    type: typeNumbers[type],
    size: content.length,
    sha256: hash('sha256', content, 'buffer'),
    ...(type === 'commit' ? commitColumns(content, oid) : { links: nothing, committedAt: 0 }),
    z: deflateSync(content, compression),
  };
}

/** A third less work than the usual level 6, for 6 % more bytes, measured with the objects of a project of 71,000. */
const compression = { level: 3 };

const nothing = Buffer.alloc(0);

function commitColumns(content: Buffer, oid: Oid): { links: Buffer; committedAt: number } {
  const { tree, parents } = parseLinks(content, oid);
  const from = content.indexOf('\ncommitter ');
  const line = from < 0 ? nothing : content.subarray(from + 11, content.indexOf(0x0a, from + 1));
  return { links: Buffer.from([tree, ...parents].join(''), 'hex'), committedAt: parsePerson(line).seconds };
}

/**
 * One statement of a fixed text for any number of rows. All bytes travel in a few binary parameters and are cut up in the
 * server: an array of bytea goes as hexadecimal text, twice the bytes and two to three times the time for 2,000 objects.
 */
async function insert({ db, repositoryId, now }: ObjectTarget, rows: Row[]): Promise<void> {
  const whereZ = starts(rows.map(row => row.z.length));
  const whereLinks = starts(rows.map(row => row.links.length));
  const { numAffectedRows } = await sql`
    insert into git_object (repository_id, oid, type, size, sha256, stored_at, links, committed_at, z)
    select ${repositoryId}, substr(${concat(rows, 'oid')}::bytea, i::int * 20 - 19, 20), type, size,
      substr(${concat(rows, 'sha256')}::bytea, i::int * 32 - 31, 32), ${now.toISOString()}::timestamptz,
      case when type = 1 then substr(${concat(rows, 'links')}::bytea, links_at, links_length) end,
      case when type = 1 then committed_at end,
      substr(${concat(rows, 'z')}::bytea, z_at, z_length)
    from unnest(
      ${rows.map(row => row.type)}::smallint[], ${rows.map(row => row.size)}::bigint[],
      ${rows.map(row => row.committedAt)}::bigint[],
      ${whereZ}::int[], ${rows.map(row => row.z.length)}::int[],
      ${whereLinks}::int[], ${rows.map(row => row.links.length)}::int[]
    ) with ordinality as one (type, size, committed_at, z_at, z_length, links_at, links_length, i)
    on conflict (repository_id, oid) do nothing`.execute(db);
  if (numAffectedRows === BigInt(rows.length)) return;
  // Some were there, or came while this waited for them: a new statement sees those too.
  const others = await sql<{ oid: Buffer }>`
    select o.oid from unnest(${rows.map(row => row.oid)}::bytea[], ${rows.map(row => row.sha256)}::bytea[]) as n (oid, sha256)
    join git_object o on o.repository_id = ${repositoryId} and o.oid = n.oid
    where o.sha256 <> n.sha256`.execute(db);
  const [other] = others.rows;
  if (other) throw collision(other.oid.toString('hex'));
}

function concat(rows: Row[], column: 'oid' | 'sha256' | 'links' | 'z'): Buffer {
  return Buffer.concat(rows.map(row => row[column]));
}

/** Where each begins, counted from one, when all stand in a row. */
function starts(lengths: number[]): number[] {
  let at = 1;
  return lengths.map(length => {
    at += length;
    return at - length;
  });
}

function collision(oid: Oid): GitError {
  return new GitError('collision', oid, `Other content is stored under the id ${oid}: this is a collision of SHA-1.`);
}

function tooLarge(oid: string): GitError {
  return new GitError('too-large', oid, `A blob has at most ${largestBlob} bytes.`);
}

/**
 * Stores a blob of `size` bytes that comes in pieces, with little more than one mebibyte in memory, and gives its id. The
 * size is needed first, because it is hashed first. Content that turns out to be longer or shorter is refused.
 */
export async function writeBlob(
  target: ObjectTarget,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Oid> {
  if (size > largestBlob) throw tooLarge('blob');
  const sha1 = createHash('sha1').update(loosePrefix('blob', size));
  if (size <= chunkSize) {
    const whole = Buffer.concat(await piecesOf(content, size));
    const oid = sha1.update(whole).digest('hex');
    await insert(target, [rowOf({ oid, type: 'blob', content: whole })]);
    return oid;
  }
  const sha256 = createHash('sha256');
  const chunks = randomUUID();
  let position = 0;
  let stored = 0;
  for await (const chunk of inChunks(content, size)) {
    sha1.update(chunk);
    sha256.update(chunk);
    // Flushed so that the next segment needs nothing of this one, and without an end: see the table.
    const z = deflateRawSync(chunk, { ...compression, finishFlush: zlib.Z_FULL_FLUSH });
    await sql`insert into git_chunk (chunks, position, repository_id, z)
      values (${chunks}, ${position}, ${target.repositoryId}, ${z})`.execute(target.db);
    position++;
    stored += chunk.length;
  }
  if (stored !== size) throw wrongSize(size);
  return finish(target, { size, chunks, sha1, sha256 });
}

async function finish(
  { db, repositoryId, now }: ObjectTarget,
  { size, chunks, sha1, sha256 }: { size: number; chunks: string; sha1: Hash; sha256: Hash },
): Promise<Oid> {
  const oid = sha1.digest('hex');
  const check = sha256.digest();
  const { numAffectedRows } = await sql`
    insert into git_object (repository_id, oid, type, size, sha256, stored_at, chunks)
    values (${repositoryId}, ${bytesOf(oid)}, ${typeNumbers.blob}, ${size}, ${check}, ${now.toISOString()}, ${chunks})
    on conflict (repository_id, oid) do nothing`.execute(db);
  if (numAffectedRows === 1n) return oid;
  await sql`delete from git_chunk where chunks = ${chunks}`.execute(db);
  const { rows } = await sql<{ same: boolean }>`select sha256 = ${check} as same from git_object
    where repository_id = ${repositoryId} and oid = ${bytesOf(oid)}`.execute(db);
  if (rows[0]?.same === false) throw collision(oid);
  return oid;
}

async function piecesOf(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > size) throw wrongSize(size);
    pieces.push(piece);
  }
  if (length !== size) throw wrongSize(size);
  return pieces;
}

/** The same bytes in pieces of `chunkSize`, the last one shorter; one buffer for all. */
async function* inChunks(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(chunkSize);
  let filled = 0;
  let total = 0;
  for await (const piece of content) {
    total += piece.length;
    if (total > size) throw wrongSize(size);
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(chunkSize - filled, piece.length - at);
      buffer.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < chunkSize) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

function wrongSize(size: number): GitError {
  return new GitError('corrupt', 'blob', `The content of a blob is not the ${size} bytes that were announced.`);
}
