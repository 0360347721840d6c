import { sql } from 'kysely';
import { chunkBytes } from './chunk-rows.ts';
import type { Commit } from './commit.ts';
import { readDeltas } from './delta-rows.ts';
import { corruptObject, GitError } from './git-error.ts';
import { type ObjectType, type Oid, typeFromNumber, typeNumbers } from './object.ts';
import { LoadedObject } from './object-cache.ts';
import { oidBytes, type Repository } from './repository.ts';
import { decodeContent } from './stored-content.ts';
import type { Tree } from './tree.ts';

export interface ObjectRow {
  oid: Buffer;
  type: number;
  size: number;
  /** Null for a blob in chunks, and for an object that is stored as a delta. */
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
 * @throws GitError `too-large` for a blob of more than `chunkBytes`: stream it with `openBlob`; `corrupt` when the content does not
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
    for (const object of await decodeRows(repository, rows)) found.set(object.oid, object);
  }
  return found;
}

export function missingObject(oid: Oid): GitError {
  return new GitError('missing', oid, `The repository has no object ${oid}.`);
}

/**
 * Undefined when the object was deleted since its row was read.
 * @throws as `decodeRows`
 */
export async function decodeRow(repository: Repository, row: ObjectRow): Promise<LoadedObject | undefined> {
  return row.z === null ? (await decodeRows(repository, [row]))[0] : decodeWhole(repository, row, row.z);
}

/**
 * The objects of rows, with one more statement for those that are stored as deltas. What was deleted since is absent.
 * @throws GitError `too-large` for a large blob, `corrupt` when the content does not match the id
 */
export async function decodeRows(repository: Repository, rows: readonly ObjectRow[]): Promise<LoadedObject[]> {
  const objects: LoadedObject[] = [];
  const deltas: Oid[] = [];
  for (const row of rows) {
    if (row.z !== null) objects.push(decodeWhole(repository, row, row.z));
    else deltas.push(assertInOneRow(row));
  }
  if (deltas.length === 0) return objects;
  const { id, read, cache } = repository;
  for (const one of await readDeltas(
    read,
    deltas.map(oid => ({ repositoryId: id, oid })),
  )) {
    if (!one) continue;
    const object = new LoadedObject(one);
    cache.putObject(id, object);
    objects.push(object);
  }
  return objects;
}

/** A large blob is in chunks, or a delta that may need chunks: it is read in pieces. Returns the id. */
export function assertInOneRow({ oid: bytes, type, size }: Omit<ObjectRow, 'z'>): Oid {
  const oid = bytes.toString('hex');
  if (type !== typeNumbers.blob || size <= chunkBytes) return oid;
  throw new GitError('too-large', oid, `The blob ${oid} has ${size} bytes and is to be streamed.`);
}

/** @throws GitError `corrupt` */
export function decodeWhole({ id, cache }: Repository, row: Omit<ObjectRow, 'z'>, z: Buffer): LoadedObject {
  const oid = row.oid.toString('hex');
  const type = typeFromNumber(row.type);
  // The id is the checksum. It is verified once; later readers get the object from the cache.
  const content = decodeContent({ oid, type, size: row.size, z });
  if (content === undefined) throw corruptObject(oid);
  const object = new LoadedObject({ oid, type, content });
  cache.putObject(id, object);
  return object;
}
