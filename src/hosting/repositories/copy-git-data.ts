import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Database, inTransaction } from '../../db/database.ts';
import type { Read } from '../../db/read.ts';
import { setStatementTimeout } from '../../db/statement-timeout.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { gitProblems } from '../git-problems.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';

/**
 * Git data that a request copies before it is answered: a second on a slow disk. git.git, with 489,000 objects, takes more than the 32
 * seconds of a request.
 */
const copiedAtOnce = { objects: 20_000, bytes: 100 * 1024 * 1024 };

/** Timeouts of the statement that copies, in milliseconds. Longer than for other statements, because it copies all objects. */
const copyTimeoutMs = { request: 20_000, job: 3_600_000 };

/** Copies the git data of a large fork. An attempt that was cut off has written nothing, and the next one begins again. */
export const copyJob = defineJob<{ repositoryId: number }>({
  name: 'repository-copy',
  retry: { limit: 20, delaySeconds: 5, backoff: true, maxDelaySeconds: 600 },
  heartbeatSeconds: 30,
  timeoutSeconds: copyTimeoutMs.job / 1000,
});

/**
 * Whether copying the git data of a repository can outlast a request.
 * @throws 409 for a fork whose own data have not arrived
 */
export async function isLongCopy(read: Read, repositoryId: number): Promise<boolean> {
  const [row] = await read(sql<{ isCopying: boolean; isLong: boolean }>`
    select r.is_copying as "isCopying", ${sql.raw(storedBytesSql)} > ${copiedAtOnce.bytes} or ${copiedAtOnce.objects} < (
      select count(*) from (select from git_object where repository_id = r.id limit ${copiedAtOnce.objects + 1}) counted) as "isLong"
    from repository r where r.id = ${repositoryId}`);
  if (row?.isCopying) throw gitProblems.repositoryCopying();
  return row?.isLong === true;
}

/** Copies the git data within a request, in its transaction. */
export async function copyAtOnce(db: Kysely<unknown>, from: number, to: number): Promise<void> {
  await setStatementTimeout(db, copyTimeoutMs.request);
  await copyGitData(db, from, to);
}

/**
 * Copies the git data of the parent into a fork that waits for it, in one transaction: the fork is empty before and complete after.
 * Does nothing for a fork that was deleted, or that is complete. A fork whose parent was deleted stays empty.
 */
export function copyIntoFork(database: Database, repositoryId: number): Promise<void> {
  return inTransaction(database, async db => {
    await setStatementTimeout(db, copyTimeoutMs.job);
    await sql`select pg_advisory_xact_lock(${lockKey(sql`${repositoryId}::bigint`)})`.execute(db);
    const { rows } = await sql<{ parentId: number | null }>`
      select parent_id as "parentId" from repository where id = ${repositoryId} and is_copying`.execute(db);
    const [fork] = rows;
    if (!fork) return;
    if (fork.parentId !== null) {
      // Objects without a ref may have been written meanwhile.
      for (const table of ['git_unindexed_commit', 'git_commit_segment', 'git_chunk', 'git_object', 'git_maintenance'])
        await sql`delete from ${sql.table(table)} where repository_id = ${repositoryId}`.execute(db);
      await copyGitData(db, fork.parentId, repositoryId);
      await sql`update repository f set stored_bytes = ${sql.raw(storedBytesSql)}, pushed_at = ${sql.raw(pushedAtSql)},
        primary_language_name = r.primary_language_name
        from repository r where f.id = ${repositoryId} and r.id = f.parent_id`.execute(db);
    }
    await sql`update repository set is_copying = false where id = ${repositoryId}`.execute(db);
  });
}

/**
 * Ends the copies into a repository and, if it is private, into the private forks below it, which are deleted with it: a copy holds the
 * row of its fork to its end. Its connection is closed, because a mere cancellation has no effect between two statements. The job is tried
 * again, and finds no repository.
 */
export async function endCopies(db: Kysely<unknown>, id: number): Promise<void> {
  await sql`
    with recursive affected as (
      select r.id, r.is_private, r.is_copying from repository r where r.id = ${id}
      union
      select f.id, f.is_private, f.is_copying from affected a join repository f on f.parent_id = a.id
      where a.is_private and f.is_private)
    select pg_terminate_backend(l.pid) from affected a
    cross join lateral (select ${lockKey(sql`a.id`)} as key) k
    join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.classid::bigint = ((k.key >> 32) & 4294967295) and l.objid::bigint = (k.key & 4294967295)
      and l.database = (select oid from pg_database where datname = current_database())
    where a.is_copying`.execute(db);
}

/** SQL: key of the lock that the copy into a repository holds. */
const lockKey = (repositoryId: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`hashtextextended('copy into ' || ${repositoryId}, 0)`;

/** One statement for all objects and refs, so that a concurrent push is copied completely or not at all. */
async function copyGitData(db: Kysely<unknown>, from: number, to: number): Promise<void> {
  // Chunks of large blobs have ids of their own in each repository.
  const own = sql`md5(chunks::text || '/' || ${to}::bigint::text)::uuid`;
  await sql`
    with objects as (
      insert into git_object (repository_id, oid, type, size, sha256, stored_at, links, committed_at, z, chunks,
        delta, delta_base, delta_size)
      select ${to}::bigint, oid, type, size, sha256, stored_at, links, committed_at, z, ${own},
        delta, delta_base, delta_size
      from git_object where repository_id = ${from}),
    pieces as (
      insert into git_chunk (chunks, position, repository_id, z)
      select ${own}, position, ${to}::bigint, z from git_chunk where repository_id = ${from}),
    segments as (
      insert into git_commit_segment (repository_id, number, size, oldest, newest, commits, details)
      select ${to}::bigint, number, size, oldest, newest, commits, details
      from git_commit_segment where repository_id = ${from}),
    unindexed as (
      insert into git_unindexed_commit (repository_id, committed_at, oid)
      select ${to}::bigint, committed_at, oid from git_unindexed_commit where repository_id = ${from}),
    repacked as (
      insert into git_maintenance (repository_id, repacked_at, repacked_bytes)
      select ${to}::bigint, repacked_at, repacked_bytes from git_maintenance where repository_id = ${from})
    insert into git_ref (repository_id, name, oid)
    select ${to}::bigint, name, oid from git_ref where repository_id = ${from}`.execute(db);
}
