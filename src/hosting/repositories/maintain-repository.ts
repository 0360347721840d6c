import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import { type CollectedGarbage, collectGarbage } from '../../git/maintenance/collect-garbage.ts';
import { type MaintenanceSession, withMaintenanceLock } from '../../git/maintenance/maintenance-lock.ts';
import { type RepackedRepository, repackRepository } from '../../git/maintenance/repack-repository.ts';
import { removeStrayFolders } from '../../git/owned-folders.ts';
import { openRepository, type Repository, unlimitedSource } from '../../git/repository.ts';
import type { LongTask } from '../../workers/long-task.ts';
import { forgetVerifications } from '../commits/verifications.ts';
import { listImportRoots } from '../source-imports/import-roots.ts';
import { recordGrowth, storedBytesSql } from './repository-growth.ts';

export interface MaintenanceContext {
  /** Everything runs in its pool `jobs`. */
  database: Pick<Database, 'read'> & { pools: Pick<Database['pools'], 'jobs'> };
  config: Pick<Config, 'PORTICO_DATA'>;
  now(): Date;
  signal: AbortSignal;
}

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Unreachable objects younger than this are kept: as long as git keeps them by default. */
export const garbageGraceMs = 14 * dayMs;
/** One repack. A folder that is older belongs to a process that was killed. */
const maxRepackMs = hourMs;
const strayAfterMs = 6 * hourMs;

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

export function recordRepack(
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

type MaintenanceFolder = Pick<MaintenanceContext, 'config'>;

interface MaintenanceInput {
  repositoryId: number;
  /** The time, in milliseconds since 1970. */
  at: number;
}

/** `collect` in a process of its own. */
export const collectTask: LongTask<MaintenanceInput & { graceMs: number }, CollectedGarbage | undefined> = {
  name: 'collect',
  run: ({ pool, signal }, { repositoryId, at, graceMs }) =>
    collect({ database: { read: pool.read, pools: { jobs: pool } }, now: () => new Date(at), signal }, repositoryId, {
      graceMs,
    }),
};

/** `repack` in a process of its own. */
export const repackTask: LongTask<
  MaintenanceInput & { coldBefore: Date; minBytes: number } & MaintenanceFolder,
  RepackedRepository | undefined
> = {
  name: 'repack',
  run: ({ pool, signal }, { repositoryId, at, config, coldBefore, minBytes }) =>
    repack(
      { database: { read: pool.read, pools: { jobs: pool } }, config, now: () => new Date(at), signal },
      repositoryId,
      { coldBefore, minBytes },
    ),
};
