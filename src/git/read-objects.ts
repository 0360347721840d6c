import { sql } from 'kysely';
import { chunkBytes } from './chunk-rows.ts';
import type { Commit } from './commit.ts';
import { readDeltas } from './delta-rows.ts';
import { corruptObject, GitError } from './git-error.ts';
import { type ObjectType, type Oid, typeFromNumber, typeNumbers } from './object.ts';
import { LoadedObject } from './object-cache.ts';
import { oidBytes, type Repository } from './repository.ts';
import { decodeContentInTurns } from './stored-content.ts';
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
  repository: Repository,
  oid: Oid,
): Promise<{ type: ObjectType; size: number } | undefined> {
  const { id, read, cache, alternate } = repository;
  const known = cache.getObject(id, oid);
  if (known) return { type: known.type, size: known.content.length };
  const [row] = await read<{ type: number; size: number }>(
    sql`select type, size from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  if (!row) return alternate && statObject(alternate, oid);
  return { type: typeFromNumber(row.type), size: row.size };
}

/** Types and sizes of the objects that exist. @throws WorkBudgetError */
export async function statObjects(
  { id, read, workBudget, alternate }: Repository,
  oids: readonly Oid[],
): Promise<Map<Oid, { type: ObjectType; size: number }>> {
  const found = new Map<Oid, { type: ObjectType; size: number }>();
  for (let at = 0; at < oids.length; at += rowsPerRead) {
    const wanted = oids.slice(at, at + rowsPerRead).map(oidBytes);
    workBudget.spendSteps(wanted.length);
    if (workBudget.isTurnDue) await workBudget.turn();
    const rows = await read<{ oid: Buffer; type: number; size: number }>(
      sql`select oid, type, size from git_object where repository_id = ${id} and oid = any(${wanted})`,
    );
    for (const row of rows) found.set(row.oid.toString('hex'), { type: typeFromNumber(row.type), size: row.size });
  }
  if (!alternate || found.size === oids.length) return found;
  const absent = oids.filter(oid => !found.has(oid));
  return new Map([...found, ...(await statObjects(alternate, absent))]);
}

/**
 * Undefined when the repository has no such object.
 * @throws GitError `too-large` for a blob of more than `chunkBytes`: stream it with `openBlob`; `corrupt` when the content does not
 *   match the id.
 */
export async function findObject(repository: Repository, oid: Oid): Promise<LoadedObject | undefined> {
  const { id, read, cache, workBudget, alternate } = repository;
  const known = cache.getObject(id, oid);
  if (known) {
    workBudget.spendObjects(1, 0);
    if (known.isUnprepared) await known.prepare(workBudget);
    return known;
  }
  const [row] = await read<ObjectRow>(
    sql`select oid, type, size, z from git_object where repository_id = ${id} and oid = ${oidBytes(oid)}`,
  );
  workBudget.spendObjects(1, 0);
  return row ? decodeRow(repository, row) : alternate && findObject(alternate, oid);
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

/** Rows per statement. */
const rowsPerRead = 500;
/**
 * Bytes of the objects of one statement, unpacked, unless the first is larger. Five hundred trees of the usual size make some hundred
 * kilobytes; five hundred of the largest, 8 GB, take some kilobytes each in a push, as deltas of one another.
 */
const bytesPerRead = 8 * 1024 * 1024;

/** Objects that were read together. */
export interface ObjectBatch {
  /** The ids that were looked up: the next of those that were asked for. */
  oids: readonly Oid[];
  /** Those that exist. */
  found: ReadonlyMap<Oid, LoadedObject>;
}

/**
 * Reads many objects for a caller that drops each batch before the next: at most 8 MB are in memory beside the cache. Yields the
 * distinct ids in their order.
 * @throws as `decodeRows`
 */
export async function* readBatches(repository: Repository, oids: Iterable<Oid>): AsyncGenerator<ObjectBatch> {
  const { id, cache, workBudget } = repository;
  const wanted = [...new Set(oids)];
  let rows = rowsPerRead;
  for (let at = 0; at < wanted.length; ) {
    const asked = wanted.slice(at, at + rows);
    const found = new Map<Oid, LoadedObject>();
    const absent: Oid[] = [];
    for (const oid of asked) {
      const known = cache.getObject(id, oid);
      workBudget.spendObjects(1, 0);
      if (known) found.set(oid, known);
      else absent.push(oid);
      if (known?.isUnprepared) await known.prepare(workBudget);
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    const next = absent.length === 0 ? undefined : await readAbsent(repository, absent, found);
    const batch = next === undefined ? asked : asked.slice(0, asked.indexOf(next));
    at += batch.length;
    // Large objects: those that do not fit would be looked up again and again.
    rows = next === undefined ? Math.min(rowsPerRead, rows * 2) : batch.length;
    yield { oids: batch, found };
  }
}

/** Like `readRows`, with another statement for what is in the alternate repository only. */
async function readAbsent(
  repository: Repository,
  oids: readonly Oid[],
  found: Map<Oid, LoadedObject>,
): Promise<Oid | undefined> {
  const next = await readRows(repository, oids, found);
  if (!repository.alternate) return next;
  const looked = next === undefined ? oids : oids.slice(0, oids.indexOf(next));
  const missing = looked.filter(oid => !found.has(oid));
  if (missing.length === 0) return next;
  return (await readAbsent(repository.alternate, missing, found)) ?? next;
}

/** Adds the objects that one statement reads to `found`. Returns the first id that does not fit; undefined when all were looked up. */
async function readRows(
  repository: Repository,
  oids: readonly Oid[],
  found: Map<Oid, LoadedObject>,
): Promise<Oid | undefined> {
  // The sum over the rows before decides in the server: what does not fit is never sent. Lateral, each by its key: see `indexCommits`.
  const rows = await repository.read<ObjectRow & { place: number; fits: boolean }>(sql`
    select place, oid, type, size, fits, case when fits then z end as z from (
      select n.place, o.oid, o.type, o.size, o.z,
        sum(o.size) over (order by n.place) <= ${bytesPerRead} or row_number() over (order by n.place) = 1 as fits
      from (select oid, (place - 1)::int as place
        from unnest(${oids.map(oidBytes)}::bytea[]) with ordinality as k (oid, place)) as n
      cross join lateral (select oid, type, size, z from git_object
        where repository_id = ${repository.id} and oid = n.oid limit 1) o) sized`);
  const fitting: ObjectRow[] = [];
  let next: number | undefined;
  for (const row of rows) {
    if (row.fits) fitting.push(row);
    else next = Math.min(next ?? row.place, row.place);
  }
  for (const object of await decodeRows(repository, fitting)) found.set(object.oid, object);
  return next === undefined ? undefined : oids[next];
}

/**
 * Reads what the first of `items` need, for as many of them as fit into a batch together; for one at least.
 * @throws as `decodeRows`
 */
export async function readForFirst<T>(
  repository: Repository,
  items: readonly T[],
  oidsOf: (item: T) => Oid[],
): Promise<{ count: number; found: ReadonlyMap<Oid, LoadedObject> }> {
  const all = new Map<Oid, LoadedObject>();
  const read = new Set<Oid>();
  const wanted = items.map(oidsOf);
  let count = 0;
  const countComplete = (): void => {
    while (count < wanted.length && wanted[count]?.every(oid => read.has(oid))) count++;
  };
  countComplete();
  for await (const { oids, found } of readBatches(repository, wanted.flat())) {
    for (const oid of oids) read.add(oid);
    for (const [oid, object] of found) all.set(oid, object);
    countComplete();
    if (count > 0) break;
  }
  return { count, found: all };
}

/** Reads many objects into memory. Ids that do not exist are absent from the result. @throws as `decodeRows` */
export async function findObjects(repository: Repository, oids: Iterable<Oid>): Promise<Map<Oid, LoadedObject>> {
  const all = new Map<Oid, LoadedObject>();
  for await (const { found } of readBatches(repository, oids)) for (const [oid, object] of found) all.set(oid, object);
  return all;
}

export function missingObject(oid: Oid): GitError {
  return new GitError('missing', oid, `The repository has no object ${oid}.`);
}

/**
 * Undefined when the object was deleted since its row was read.
 * @throws as `decodeRows`
 */
export async function decodeRow(repository: Repository, row: ObjectRow): Promise<LoadedObject | undefined> {
  return (await decodeRows(repository, [row]))[0];
}

/**
 * The objects of rows, with one more statement for those that are stored as deltas. What was deleted since is absent.
 * @throws GitError `too-large` for a large blob, `corrupt` when the content does not match the id
 */
export async function decodeRows(repository: Repository, rows: readonly ObjectRow[]): Promise<LoadedObject[]> {
  const { workBudget } = repository;
  const objects: LoadedObject[] = [];
  const deltas: Oid[] = [];
  for (const row of rows) {
    workBudget.spendObjects(0, row.size);
    if (workBudget.isTurnDue) await workBudget.turn();
    if (row.z !== null) objects.push(await decodeWhole(repository, row, row.z));
    else deltas.push(assertInOneRow(row));
  }
  if (deltas.length === 0) return objects;
  const { id, cache } = repository;
  for (const one of await readDeltas(
    repository,
    deltas.map(oid => ({ repositoryId: id, oid })),
  )) {
    if (!one) continue;
    const object = new LoadedObject(one);
    if (object.isUnprepared) await object.prepare(workBudget);
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

/** @throws GitError `corrupt`; WorkBudgetError */
export async function decodeWhole(
  { id, cache, workBudget }: Pick<Repository, 'id' | 'cache' | 'workBudget'>,
  row: Omit<ObjectRow, 'z'>,
  z: Buffer,
): Promise<LoadedObject> {
  const oid = row.oid.toString('hex');
  const type = typeFromNumber(row.type);
  // The id is the checksum. It is verified once; later readers get the object from the cache.
  const content = await decodeContentInTurns({ oid, type, size: row.size, z }, workBudget);
  if (content === undefined) throw corruptObject(oid);
  const object = new LoadedObject({ oid, type, content });
  if (object.isUnprepared) await object.prepare(workBudget);
  cache.putObject(id, object);
  return object;
}
