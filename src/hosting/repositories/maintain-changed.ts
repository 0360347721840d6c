import { sql } from 'kysely';
import { GitError } from '../../git/git-error.ts';
import { GitProcessError } from '../../git/limited-git.ts';
import { withMaintenanceLock } from '../../git/maintenance/maintenance-lock.ts';
import { PermanentError } from '../../jobs/job-errors.ts';
import { type LongWork, runLong } from '../../workers/long-task.ts';
import {
  collectTask,
  garbageGraceMs,
  type MaintenanceContext,
  recordRepack,
  repackTask,
} from './maintain-repository.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** What was stored just now is still in caches, and often the next push makes it an older version. */
const coldAfterMs = hourMs;
/** A repository is repacked when it has grown by these bytes and by this share since the last time: all of it is read each time. */
const minGrowth = { bytes: 4 * 1024 * 1024, share: 0.1 };
/** A repository that has changed is walked to find garbage at most this often. */
const collectEveryMs = 7 * dayMs;
/** Failures that are logged of one run. */
const maxReported = 10;
/** Repositories of one run. */
const maxRepositories = 1_000;

interface GrownContext extends MaintenanceContext {
  /** Where repositories are maintained; in this process when it is absent. */
  longWork?: LongWork | undefined;
}

/**
 * Repacks the repositories that have grown enough, those that have grown most first, until `isStopped`. One that fails is not tried
 * again before it has grown as much again. @throws PermanentError, or the first defect, after the others are done
 */
export async function repackGrown(context: GrownContext, isStopped: () => boolean): Promise<void> {
  const { database, now, signal, longWork } = context;
  // Of all settings no other: the process gets no secrets.
  const config = { PORTICO_DATA: context.config.PORTICO_DATA };
  const rows = await database.read<{ id: number; bytes: number; minBytes: number }>(sql`
    select * from (
      select r.id, ${sql.raw(storedBytesSql)} as bytes,
        ceil(coalesce(m.repacked_bytes, 0) + greatest(${minGrowth.bytes}::bigint, ${minGrowth.share}::float8 * coalesce(m.repacked_bytes, 0)))::bigint as "minBytes"
      from repository r left join git_maintenance m on m.repository_id = r.id) grown
    where bytes >= "minBytes" order by bytes - "minBytes" desc limit ${maxRepositories}`);
  await forEach(rows, isStopped, async ({ id, bytes, minBytes }) => {
    try {
      const at = now().getTime();
      const input = { repositoryId: id, at, config, coldBefore: new Date(at - coldAfterMs), minBytes };
      await runLong(longWork, repackTask, input, { pool: database.pools.jobs, signal });
    } catch (error) {
      if (!signal.aborted) {
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
  { database, now, signal, longWork }: Omit<GrownContext, 'config'>,
  isStopped: () => boolean,
): Promise<void> {
  const before = new Date(now().getTime() - collectEveryMs).toISOString();
  const rows = await database.read<{ id: number }>(sql`
    select r.id from repository r left join git_maintenance m on m.repository_id = r.id
    where ${sql.raw(storedBytesSql)} > 0 and (m.collected_at is null or (m.collected_at < ${before} and (
      m.has_young_garbage or m.collected_bytes <> ${sql.raw(storedBytesSql)} or ${sql.raw(pushedAtSql)} >= m.collected_at)))
    order by m.collected_at nulls first, r.id limit ${maxRepositories}`);
  await forEach(rows, isStopped, ({ id }) => {
    const input = { repositoryId: id, at: now().getTime(), graceMs: garbageGraceMs };
    return runLong(longWork, collectTask, input, { pool: database.pools.jobs, signal });
  });
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
