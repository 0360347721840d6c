import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { GitError } from '../../git/git-error.ts';
import { GitProcessError } from '../../git/limited-git.ts';
import { removeStrayFolders } from '../../git/owned-folders.ts';
import { unlimitedSource } from '../../git/repository.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import { jobsSchema } from '../../jobs/jobs-database.ts';
import type { Task } from '../../jobs/task.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { LongWork } from '../../workers/long-task.ts';
import { redactSecrets, unsealCredentials } from './import-credentials.ts';
import { recordImportEvent } from './import-event.ts';
import {
  findImportWork,
  type ImportWork,
  importJob,
  isWorking,
  SupersededError,
  workingStatuses,
} from './import-state.ts';
import { failImport, runStep } from './import-steps.ts';
import { SourceImportError, sourceImportError } from './source-import-error.ts';
import { type ImportServices, scratchRoot } from './step-context.ts';

const housekeepingJob = defineHousekeepingJob('source-import-housekeeping');

const minuteMs = 60_000;
/** A step and its job are written together. An import without a job for this long has failed too often and lost it. */
const lostAfterMs = 10 * minuteMs;
/** Credentials of a failed import are kept this long for the next attempt. */
const credentialRetentionMs = 7 * 24 * 60 * minuteMs;
/** An unreferenced directory may belong to an import that is just starting, in another container. */
const strayAfterMs = 6 * 60 * minuteMs;

/** Background tasks of source imports. */
export function sourceImportTasks(given: {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  outbound: OutboundClient;
  longWork?: LongWork | undefined;
}): Task<never>[] {
  const { config, database, keys, clock, outbound, longWork } = given;
  const context = {
    ...unlimitedSource(database.read),
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database, work),
    now: clock,
  };
  const tools: ImportServices = { context, config, keys, outbound, pool: database.pools.jobs, longWork };
  const steps: Task<{ importId: number; generation: number }> = {
    job: importJob,
    // A step uses a core for a while; two leave capacity for others.
    concurrency: 2,
    async work({ importId, generation }, { signal, number }) {
      const work = await findImportWork(context.read, importId);
      if (work?.generation !== generation || !isWorking(work.status)) return;
      try {
        if (number > importJob.retry.limit) throw sourceImportError('This step was interrupted too often.');
        await runStep(tools, work, signal);
      } catch (error) {
        if (error instanceof SupersededError) {
          await deleteScratch(tools, work);
          return;
        }
        const failure = toImportError(error);
        if (!failure) throw error;
        const message = redactSecrets(failure.message, unsealCredentials(keys, work.repositoryId, work.credentials));
        await failImport(tools, work, failure, message).catch((lost: unknown) => {
          if (!(lost instanceof SupersededError)) throw lost;
        });
        await deleteScratch(tools, work);
      }
    },
  };
  const sweep: Task<object> = {
    job: housekeepingJob,
    concurrency: 1,
    schedule: '23 * * * *',
    prepare: () => removeStrayScratch(tools),
    work: () => cleanUpImports(tools),
  };
  return [steps, sweep] as Task<never>[];
}

/** Deletes fetched files that the row no longer refers to: the import was cancelled, failed or was restarted. */
async function deleteScratch({ context, config }: ImportServices, { id, scratch }: ImportWork): Promise<void> {
  if (scratch === null || (await findImportWork(context.read, id))?.scratch === scratch) return;
  await rm(join(scratchRoot(config), scratch), { recursive: true, force: true });
}

/** An error that the client can see; undefined for one that is retried, or is a defect. */
function toImportError(error: unknown): SourceImportError | undefined {
  if (error instanceof SourceImportError) return error;
  if (error instanceof OutboundError) return sourceImportError(error.message);
  if (error instanceof GitProcessError) return sourceImportError('git could not read the source after it was fetched.');
  if (!(error instanceof GitError)) return undefined;
  // The original message contains the path of the directory.
  const isFolder = error.code === 'not-a-repository';
  return sourceImportError(
    isFolder ? 'The source cannot be read: only repositories with SHA-1 ids can be.' : error.message,
  );
}

/** Fails imports that have lost their job, deletes expired credentials and unreferenced directories. */
export async function cleanUpImports({ context, config }: ImportServices): Promise<void> {
  const now = context.now();
  const before = (age: number): string => new Date(now.getTime() - age).toISOString();
  await context.transaction(async db => {
    const message = 'The work on this import was interrupted too often.';
    const lost = await sql<{ repositoryId: number; accountId: number | null }>`
      update source_import set failed_step = status, status = 'error', status_text = ${message},
        error_message = ${message}, updated_at = ${now.toISOString()}
      where status = any(${[...workingStatuses]}) and updated_at < ${before(lostAfterMs)}
        and not exists (select 1 from ${sql.table(`${jobsSchema}.job`)} j where j.name = ${importJob.name}
          and j.state in ('created', 'retry', 'active') and (j.data ->> 'importId')::bigint = source_import.id)
      returning repository_id as "repositoryId", account_id as "accountId"`.execute(db);
    for (const about of lost.rows) await recordImportEvent(db, about, 'failure', now);
    await sql`update source_import set credentials = null
      where credentials is not null and not status = any(${[...workingStatuses]})
        and updated_at < ${before(credentialRetentionMs)}`.execute(db);
  });
  await removeStrayScratch({ context, config });
}

/** Deletes the folders that no import refers to: at once where the process that made them has ended. */
async function removeStrayScratch({ context, config }: Pick<ImportServices, 'context' | 'config'>): Promise<void> {
  const rows = await context.read(
    sql<{ scratch: string }>`select scratch from source_import where scratch is not null`,
  );
  await removeStrayFolders(scratchRoot(config), { keep: new Set(rows.map(row => row.scratch)), strayAfterMs });
}
