import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import { GitError } from '../../git/git-error.ts';
import { GitProcessError } from '../../git/limited-git.ts';
import { type CollectedGarbage, collectGarbage } from '../../git/maintenance/collect-garbage.ts';
import { type MaintenanceSession, withMaintenanceLock } from '../../git/maintenance/maintenance-lock.ts';
import { type RepackedRepository, repackRepository } from '../../git/maintenance/repack-repository.ts';
import { removeStrayFolders } from '../../git/owned-folders.ts';
import { openRepository, type Repository, unlimitedSource } from '../../git/repository.ts';
import { PermanentError } from '../../jobs/job-errors.ts';
import { forgetVerifications } from '../commits/verifications.ts';
import { listImportRoots } from '../source-imports/import-roots.ts';
import { pushedAtSql, recordGrowth, storedBytesSql } from './repository-growth.ts';

export interface MaintenanceContext {
  /** Everything runs in its pool `jobs`. */
  database: Database;
  config: Pick<Config, 'PORTICO_DATA'>;
  now(): Date;
  signal: AbortSignal;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Unreachable objects younger than this are kept: as long as git keeps them by default. */
export const garbageGraceMs = 14 * dayMs;
/** What was stored just now is still in caches, and often the next push makes it an older version. */
const coldAfterMs = hourMs;
/** A repository is repacked when it has grown by these bytes and by this share since the last time: all of it is read each time. */
const minGrowth = { bytes: 4 * 1024 * 1024, share: 0.1 };
/** A repository that has changed is walked to find garbage at most this often. */
const collectEveryMs = 7 * dayMs;
/** One repack. A folder that is older belongs to a process that was killed. */
const maxRepackMs = hourMs;
const strayAfterMs = 6 * hourMs;
/** Failures that are logged of one run. */
const maxReported = 10;
/** Repositories of one run. */
const maxRepositories = 1_000;

/**
 * Stores the objects of a repository as deltas that were stored before `coldBefore`, when they have `minBytes` or more. Undefined
 * while another process maintains the repository.
 */
export function repack(
  context: MaintenanceContext,
  repositoryId: number,
  { coldBefore, minBytes = 0 }: { coldBefore: Date; minBytes?: number },
): Promise<RepackedRepository | undefined> {
  const { database, now } = context;
  return withMaintenanceLock(database.pools.jobs, repositoryId, async session => {
    const scratch = await prepareScratch(context.config);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxRepackMs)]);
    const [row] = await database.read<{ defaultBranch: string }>(
      sql`select default_branch as "defaultBranch" from repository where id = ${repositoryId}`,
    );
    const done = await repackRepository(session, openRepository(unlimitedSource(database.read, signal), repositoryId), {
      scratch,
      coldBefore,
      hotBranch: `refs/heads/${row?.defaultBranch}`,
      minBytes,
      signal,
    });
    if (done.isRepacked) await recordRepack(session, repositoryId, { at: now(), bytes: done.coldBytes });
    return done;
  });
}

function recordRepack(
  session: MaintenanceSession,
  repositoryId: number,
  { at, bytes }: { at: Date; bytes: number },
): Promise<void> {
  return session.transaction(async db => {
    await sql`insert into git_maintenance (repository_id, repacked_at, repacked_bytes)
      select id, ${at.toISOString()}::timestamptz, ${bytes}::bigint from repository where id = ${repositoryId}
      on conflict (repository_id) do update set repacked_at = excluded.repacked_at, repacked_bytes = excluded.repacked_bytes`.execute(
      db,
    );
  });
}

/**
 * Deletes the objects that nothing reaches and that are older than `graceMs`, and what depends on them: the size of the repository,
 * stored verifications, and copies on the disks of gateways, which compare `removals`. The index of commits keeps the records of
 * deleted commits: no walk reaches them, and a segment never changes under the number by which caches know it. Undefined while
 * another process maintains the repository.
 */
export function collect(
  { database, now, signal }: Omit<MaintenanceContext, 'config'>,
  repositoryId: number,
  { graceMs }: { graceMs: number },
): Promise<CollectedGarbage | undefined> {
  return withMaintenanceLock(database.pools.jobs, repositoryId, async session => {
    const at = now();
    const collected = await collectGarbage(
      session,
      openRepository(unlimitedSource(database.read, signal), repositoryId),
      {
        cutoff: new Date(at.getTime() - graceMs),
        signal,
        listRoots: read => listImportRoots(read, repositoryId),
        async onDeleted(db, { commits, bytes }) {
          await recordGrowth(db, { repositoryId, bytes: -bytes });
          await recordRemoval(db, repositoryId, bytes);
          await forgetVerifications(db, repositoryId, commits);
        },
      },
    );
    if (collected.isComplete) {
      await session.transaction(async db => {
        await sql`insert into git_maintenance as m (repository_id, collected_at, collected_bytes, has_young_garbage)
          select r.id, ${at.toISOString()}::timestamptz, ${sql.raw(storedBytesSql)}, ${collected.young > 0}::boolean
          from repository r where r.id = ${repositoryId}
          on conflict (repository_id) do update set collected_at = excluded.collected_at,
            collected_bytes = excluded.collected_bytes, has_young_garbage = excluded.has_young_garbage`.execute(db);
      });
    }
    return collected;
  });
}

async function recordRemoval(db: Kysely<unknown>, repositoryId: number, bytes: number): Promise<void> {
  await sql`insert into git_maintenance as m (repository_id, removals) values (${repositoryId}, 1)
    on conflict (repository_id) do update set removals = m.removals + 1,
      repacked_bytes = greatest(0, m.repacked_bytes - ${bytes}::bigint)`.execute(db);
}

/** Runs `work` on a repository while nothing is repacked or collected; undefined while another process does. */
export function whileUnmaintained<T>(
  { database }: Pick<MaintenanceContext, 'database'>,
  repositoryId: number,
  work: (repository: Repository) => Promise<T>,
): Promise<T | undefined> {
  return withMaintenanceLock(database.pools.jobs, repositoryId, () =>
    work(openRepository(unlimitedSource(database.read), repositoryId)),
  );
}

/**
 * Repacks the repositories that have grown enough, those that have grown most first, until `isStopped`. One that fails is not tried
 * again before it has grown as much again. @throws PermanentError, or the first defect, after the others are done
 */
export async function repackGrown(context: MaintenanceContext, isStopped: () => boolean): Promise<void> {
  const { database, now } = context;
  const rows = await database.read<{ id: number; bytes: number; minBytes: number }>(sql`
    select * from (
      select r.id, ${sql.raw(storedBytesSql)} as bytes,
        ceil(coalesce(m.repacked_bytes, 0) + greatest(${minGrowth.bytes}::bigint, ${minGrowth.share}::float8 * coalesce(m.repacked_bytes, 0)))::bigint as "minBytes"
      from repository r left join git_maintenance m on m.repository_id = r.id) grown
    where bytes >= "minBytes" order by bytes - "minBytes" desc limit ${maxRepositories}`);
  await forEach(rows, isStopped, async ({ id, bytes, minBytes }) => {
    try {
      await repack(context, id, { coldBefore: new Date(now().getTime() - coldAfterMs), minBytes });
    } catch (error) {
      if (!context.signal.aborted) {
        const at = now();
        await withMaintenanceLock(database.pools.jobs, id, session => recordRepack(session, id, { at, bytes }));
      }
      throw error;
    }
  });
}

/**
 * Collects the garbage of repositories that may have some, until `isStopped`. One that fails is tried again in the next run.
 * @throws PermanentError, or the first defect, after the others are done
 */
export async function collectChanged(
  context: Omit<MaintenanceContext, 'config'>,
  isStopped: () => boolean,
): Promise<void> {
  const before = new Date(context.now().getTime() - collectEveryMs).toISOString();
  const rows = await context.database.read<{ id: number }>(sql`
    select r.id from repository r left join git_maintenance m on m.repository_id = r.id
    where ${sql.raw(storedBytesSql)} > 0 and (m.collected_at is null or (m.collected_at < ${before} and (
      m.has_young_garbage or m.collected_bytes <> ${sql.raw(storedBytesSql)} or ${sql.raw(pushedAtSql)} >= m.collected_at)))
    order by m.collected_at nulls first, r.id limit ${maxRepositories}`);
  await forEach(rows, isStopped, ({ id }) => collect(context, id, { graceMs: garbageGraceMs }));
}

/** For the log: git's own last words as well, which answers to clients leave out. */
function reasonOf(error: Error): string {
  const said = error instanceof GitProcessError ? error.stderr.trim().split('\n').at(-1) : undefined;
  return said ? `${error.message}: ${said.slice(0, 200)}` : error.message;
}

async function forEach<Row extends { id: number }>(
  rows: readonly Row[],
  isStopped: () => boolean,
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const failures: { id: number; error: unknown }[] = [];
  for (const row of rows) {
    if (isStopped()) break;
    await work(row).catch((error: unknown) => failures.push({ id: row.id, error }));
  }
  const defect = failures.find(({ error }) => !(error instanceof GitError || error instanceof GitProcessError));
  if (defect) throw defect.error;
  if (failures.length === 0) return;
  const lines = failures.slice(0, maxReported).map(({ id, error }) => `Repository ${id}: ${reasonOf(error as Error)}`);
  throw new PermanentError(
    [...lines, ...(failures.length > maxReported ? [`${failures.length} in total`] : [])].join(' '),
  );
}

/** The folder in which repositories are repacked. Deletes what killed processes have left there. */
async function prepareScratch(config: Pick<Config, 'PORTICO_DATA'>): Promise<string> {
  const folder = scratchFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeStrayScratch(config);
  return folder;
}

const scratchFolder = ({ PORTICO_DATA }: Pick<Config, 'PORTICO_DATA'>): string => join(resolve(PORTICO_DATA), 'repack');

/** Deletes what killed processes have left of repacks. */
export const removeStrayScratch = (config: Pick<Config, 'PORTICO_DATA'>): Promise<void> =>
  removeStrayFolders(scratchFolder(config), { strayAfterMs });
