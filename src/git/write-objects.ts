import { sql } from 'kysely';
import { sortInTurns } from '../workers/sort-in-turns.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { chunkBytes } from './chunk-rows.ts';
import { type GitObject, LargeBlob, type Oid, objectSize } from './object.ts';
import {
  hashCollision,
  type InsertedObjects,
  insertObjectRows,
  type ObjectRow,
  type ObjectTarget,
  toObjectRow,
} from './object-rows.ts';
import { oidBytes } from './repository.ts';
import { blobTooLarge, maxBlobBytes, storeBlob } from './write-blob.ts';

/**
 * Limits of one statement: enough rows that the round trip no longer matters, and few enough bytes to hold them twice.
 */
const maxStatement = { rows: 2000, bytes: 4 * 1024 * 1024 };

/** Work of compressing one object, 30 µs. */
const stepsPerObject = 32;
/** Bytes that are compressed in the time of one step. */
const bytesPerStep = 50;

/**
 * Stores objects; existing ones are left alone.
 * @throws GitError `collision` when another object has the same id, which is an attack on SHA-1; `too-large`
 */
export async function writeObjects(target: ObjectTarget, objects: Iterable<GitObject>): Promise<InsertedObjects> {
  const stored: InsertedObjects = { bytes: 0, commits: [] };
  const rows: ObjectRow[] = [];
  // The caller has a budget; this one only gives way to other requests: 24,000 small blobs took 700 ms.
  const turns = WorkBudget.unlimited();
  for (const object of distinct(objects)) {
    const size = objectSize(object);
    if (isChunked(object)) {
      const pieces = object instanceof LargeBlob ? object.source.pieces() : [object.content];
      if ((await storeBlob(target, size, pieces)).isNew) stored.bytes += size;
    } else await addRow(rows, object, turns);
  }
  await sortInTurns(rows, byOid, turns);
  for (let at = 0; at < rows.length; ) {
    let end = at;
    for (let bytes = 0; end < rows.length && end - at < maxStatement.rows && bytes < maxStatement.bytes; end++) {
      bytes += rows[end]?.z.length ?? 0;
    }
    const { bytes, commits } = await insertObjectRows(target, rows.slice(at, end));
    stored.bytes += bytes;
    for (const oid of commits) stored.commits.push(oid);
    at = end;
  }
  return stored;
}

/** The rows of objects that fit into one statement; undefined when there are too many, or blobs in chunks. */
export async function rowsForOneStatement(objects: readonly GitObject[]): Promise<ObjectRow[] | undefined> {
  const different = distinct(objects);
  let bytes = 0;
  for (const object of different) {
    if (isChunked(object)) return undefined;
    bytes += objectSize(object);
  }
  if (different.length > maxStatement.rows || bytes > maxStatement.bytes) return undefined;
  const rows: ObjectRow[] = [];
  const turns = WorkBudget.unlimited();
  for (const object of different) await addRow(rows, object, turns);
  return rows.sort(byOid);
}

async function addRow(rows: ObjectRow[], object: GitObject, turns: WorkBudget): Promise<void> {
  rows.push(toObjectRow(object));
  turns.spendSteps(stepsPerObject + objectSize(object) / bytesPerStep);
  if (turns.isTurnDue) await turns.turn();
}

/** Larger blobs are stored in chunks. */
function isChunked(object: GitObject): boolean {
  return object instanceof LargeBlob || (object.type === 'blob' && object.content.length > chunkBytes);
}

/** Removes duplicates. */
function distinct(objects: Iterable<GitObject>): GitObject[] {
  const found = new Map<Oid, GitObject>();
  for (const object of objects) {
    const known = found.get(object.oid);
    if (known && !isSame(known, object)) throw hashCollision(object.oid);
    if (known) continue;
    if (objectSize(object) > maxBlobBytes) throw blobTooLarge(object.oid);
    found.set(object.oid, object);
  }
  return [...found.values()];
}

/** Blobs that are not in memory are compared when they are stored. */
function isSame(one: GitObject, other: GitObject): boolean {
  if (one === other || one instanceof LargeBlob || other instanceof LargeBlob) return true;
  return one.type === other.type && one.content.equals(other.content);
}

/** Concurrent transactions that store the same objects wait for each other; a common order prevents deadlocks. */
const byOid = (one: ObjectRow, other: ObjectRow): number => one.oid.compare(other.oid);

/** Ids of one statement of `deleteOwnObjects`. */
const deletedPerStatement = 5_000;

/** Deletes the objects that this transaction itself has inserted; those of other transactions stay. Returns their bytes. */
export async function deleteOwnObjects({ db, repositoryId, now }: ObjectTarget, oids: readonly Oid[]): Promise<number> {
  let deleted = 0;
  for (let at = 0; at < oids.length; at += deletedPerStatement) {
    const ids = oids.slice(at, at + deletedPerStatement).map(oidBytes);
    const { rows } = await sql<{ bytes: number }>`
      with gone as (delete from git_object where repository_id = ${repositoryId} and oid = any(${ids}::bytea[])
          and xmin = pg_current_xact_id()::xid and stored_at = ${now.toISOString()}
          returning oid, type, size, committed_at, chunks),
        unqueued as (delete from git_unindexed_commit q using gone where gone.type = 1
          and q.repository_id = ${repositoryId} and q.committed_at = gone.committed_at and q.oid = gone.oid),
        unchunked as (delete from git_chunk using gone where git_chunk.chunks = gone.chunks)
      select coalesce(sum(size), 0)::float8 as bytes from gone`.execute(db);
    deleted += rows[0]?.bytes ?? 0;
  }
  return deleted;
}
