import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Oid } from './object.ts';
import type { ObjectTarget } from './object-rows.ts';
import { findObjects } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';
import { writeObjects } from './write-objects.ts';

/** Ids of one statement that copies rows, and of one that reads objects. */
const idsPerStatement = { copied: 5_000, read: 100 };

/**
 * Copies trees and blobs of another repository, in the caller's transaction. Rows are copied as they are stored; a delta is stored as
 * a whole, because the object below it need not be among those that are copied. Returns the bytes of the contents.
 */
export async function copyObjects(target: ObjectTarget, from: Repository, oids: readonly Oid[]): Promise<number> {
  let bytes = 0;
  for (let at = 0; at < oids.length; at += idsPerStatement.copied) {
    const part = oids.slice(at, at + idsPerStatement.copied);
    const copied = await copyRows(target, from.id, part);
    bytes += copied.bytes;
    const done = new Set(copied.oids);
    bytes += await storeWhole(
      target,
      from,
      part.filter(oid => !done.has(oid)),
    );
  }
  return bytes;
}

async function copyRows(
  { db, repositoryId: to, now }: ObjectTarget,
  from: number,
  oids: readonly Oid[],
): Promise<{ oids: Oid[]; bytes: number }> {
  const wanted = sql`repository_id = ${from} and oid = any(${oids.map(oidBytes)}::bytea[]) and type <> 1 and delta is null`;
  // Chunks of large blobs have ids of their own in each repository.
  const own = sql`md5(chunks::text || '/' || ${to}::bigint::text)::uuid`;
  const { rows } = await sql<{ oids: Oid[]; bytes: number }>`
    with objects as (
      insert into git_object (repository_id, oid, type, size, sha256, stored_at, z, chunks)
      select ${to}::bigint, oid, type, size, sha256, ${now}::timestamptz, z, ${own} from git_object where ${wanted}
      returning oid, size),
    pieces as (
      insert into git_chunk (chunks, position, repository_id, z)
      select ${own}, position, ${to}::bigint, z from git_chunk
      where chunks in (select chunks from git_object where ${wanted}))
    select coalesce(array_agg(encode(oid, 'hex')), '{}') as oids, coalesce(sum(size), 0)::float8 as bytes
    from objects`.execute(db);
  return rows[0] ?? { oids: [], bytes: 0 };
}

async function storeWhole(target: ObjectTarget, from: Repository, oids: readonly Oid[]): Promise<number> {
  let bytes = 0;
  for (let at = 0; at < oids.length; at += idsPerStatement.read) {
    const found = await findObjects(from, oids.slice(at, at + idsPerStatement.read));
    bytes += (await writeObjects(target, found.values())).bytes;
    // Other requests run between two groups, whose objects are compressed here.
    await setImmediate();
  }
  return bytes;
}
