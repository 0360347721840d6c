import { sql } from 'kysely';
import { setStatementTimeout } from '../db/statement-timeout.ts';
import type { Oid } from './object.ts';
import type { InsertedObjects, ObjectTarget } from './object-rows.ts';
import { readBatches } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';
import { writeObjects } from './write-objects.ts';

/** Statement timeout for copying, in milliseconds. Longer than for other statements, because large blobs are copied. */
const copyTimeoutMs = 300_000;

/** Ids of one statement that copies rows, and of one that reads objects. */
const idsPerStatement = { copied: 5_000, read: 100 };

/**
 * Copies objects of another repository, in the caller's transaction. Rows are copied as they are stored; a delta is stored as a whole,
 * because the object below it need not be among those that are copied. Returns what did not exist before.
 */
export async function copyObjects(
  target: ObjectTarget,
  from: Repository,
  oids: readonly Oid[],
): Promise<InsertedObjects> {
  await setStatementTimeout(target.db, copyTimeoutMs);
  const copied: InsertedObjects = { bytes: 0, commits: [] };
  const add = ({ bytes, commits }: InsertedObjects): void => {
    copied.bytes += bytes;
    for (const oid of commits) copied.commits.push(oid);
  };
  for (let at = 0; at < oids.length; at += idsPerStatement.copied) {
    const part = oids.slice(at, at + idsPerStatement.copied);
    const { deltas, ...inserted } = await copyRows(target, from.id, part);
    add(inserted);
    for (let start = 0; start < deltas.length; start += idsPerStatement.read) {
      // The objects are compressed here.
      for await (const { found } of readBatches(from, deltas.slice(start, start + idsPerStatement.read)))
        add(await writeObjects(target, found.values()));
    }
    from.workBudget.spendSteps(part.length);
    if (from.workBudget.isTurnDue) await from.workBudget.turn();
  }
  return copied;
}

/** Copies the rows that are no deltas, whose ids are returned. */
async function copyRows(
  { db, repositoryId: to, now }: ObjectTarget,
  from: number,
  oids: readonly Oid[],
): Promise<InsertedObjects & { deltas: Oid[] }> {
  // Chunks of large blobs have ids of their own in each repository.
  const own = sql`md5(chunks::text || '/' || ${to}::bigint::text)::uuid`;
  const { rows } = await sql<InsertedObjects & { deltas: Oid[] }>`
    with wanted as (
      select * from git_object where repository_id = ${from} and oid = any(${oids.map(oidBytes)}::bytea[])),
    made as (
      insert into git_object (repository_id, oid, type, size, sha256, stored_at, links, committed_at, z, chunks)
      select ${to}::bigint, oid, type, size, sha256, ${now}::timestamptz, links, committed_at, z, ${own}
      from wanted where delta is null order by oid
      on conflict (repository_id, oid) do nothing returning oid, type, size, committed_at),
    unindexed as (
      insert into git_unindexed_commit (repository_id, committed_at, oid)
      select ${to}::bigint, committed_at, oid from made where type = 1),
    pieces as (
      insert into git_chunk (chunks, position, repository_id, z)
      select ${own}, position, ${to}::bigint, z from git_chunk
      where chunks in (select w.chunks from wanted w join made using (oid) where w.chunks is not null))
    select (select coalesce(sum(size), 0)::float8 from made) as bytes,
      (select coalesce(array_agg(encode(oid, 'hex')), '{}') from made where type = 1) as commits,
      (select coalesce(array_agg(encode(oid, 'hex')), '{}') from wanted where delta is not null) as deltas`.execute(db);
  return rows[0] ?? { bytes: 0, commits: [], deltas: [] };
}
