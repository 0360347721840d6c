import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { openDiskRepository, readDiskObjects } from '../../git/disk-repository.ts';
import { GitError } from '../../git/git-error.ts';
import { indexAllCommits } from '../../git/index-commits.ts';
import { isRefName } from '../../git/ref-name.ts';
import { startGit } from '../../git/system-git.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { ObjectWriter } from '../pushes/import-repository.ts';
import { push } from '../pushes/push.ts';
import { pushPipeline } from '../pushes/push-pipeline.ts';
import { recountStoredBytes } from '../repositories/repository-growth.ts';
import { recordImportEvent } from './import-event.ts';
import { importJob, isInState, SupersededError, updateImport } from './import-state.ts';
import { readObjectList } from './scan-source.ts';
import { sourceImportError } from './source-import-error.ts';
import type { StepContext } from './step-context.ts';

interface RefRow {
  name: string;
  mapped: string;
  pushed: string | null;
}

/**
 * Stores the fetched objects in batches and then moves all refs by one push. The push and the completion of the import
 * are one transaction, so a cancelled import rolls the push back.
 */
export async function pushSource(step: StepContext, path: string): Promise<void> {
  const { services, work } = step;
  const { context } = services;
  if (!work.isStored) await storeFetchedObjects(step, path);
  const refs = await context.read(sql<RefRow>`
    select name, encode(mapped_oid, 'hex') as mapped, encode(pushed_oid, 'hex') as pushed
    from source_import_ref where import_id = ${work.id} order by name`);
  const validRefs = refs.filter(({ name }) => isRefName(name));
  const end = (db: Kysely<unknown>): Promise<void> => completeImport(db, step, refs.length - validRefs.length);
  try {
    const result = await push(
      context,
      {
        repositoryId: work.repositoryId,
        ...(work.accountId === null ? {} : { pusherId: work.accountId }),
        updates: validRefs.map(({ name, mapped, pushed }) => ({ ref: name, expected: pushed, to: mapped })),
      },
      { ...pushPipeline, deliveries: [...pushPipeline.deliveries, ({ repository }) => end(repository.db)] },
    );
    if (result.kind === 'refused') {
      const lines = new Set(result.violations.map(({ message }) => message));
      throw sourceImportError(`The rules of the repository refuse the import. ${[...lines].join(' ')}`);
    }
    if (result.kind === 'conflict') {
      if (result.reason === 'busy') throw new Error('The refs of the repository are locked by other pushes.');
      throw sourceImportError(`Somebody else has pushed to ${result.ref} since the import began.`);
    }
    // No ref moved, so the pipeline did not run.
    if (result.changes.length === 0) await context.transaction(end);
  } catch (error) {
    if (error instanceof GitError && ['ref-conflict', 'bad-ref-name', 'wrong-type', 'too-deep'].includes(error.code)) {
      throw sourceImportError(error.message);
    }
    throw error;
  }
}

async function storeFetchedObjects({ services, work, monitor }: StepContext, path: string): Promise<void> {
  const { context } = services;
  const disk = await openDiskRepository(join(path, 'repository.git'));
  let all = 0;
  for await (const part of readObjectList(path)) all += part.length;
  const store = new ObjectWriter(context, work.repositoryId);
  let done = 0;
  for await (const part of readObjectList(path)) {
    for await (const object of readDiskObjects(part, args => startGit(disk.folder, args))) {
      await store.add(object);
      done++;
      if (done % 200 !== 0) continue;
      monitor.signal.throwIfAborted();
      monitor.report({ push_percent: Math.floor((done / all) * 99) });
    }
  }
  await store.flush();
  monitor.signal.throwIfAborted();
  await indexAllCommits(context, work.repositoryId, () => monitor.signal.throwIfAborted());
  await context.transaction(db => updateImport(db, work, sql`is_stored = true, push_percent = 99`));
}

/** Completes the import, or returns it to mapping when an author was mapped meanwhile. */
async function completeImport(
  db: Kysely<unknown>,
  { services, work }: StepContext,
  skippedRefs: number,
): Promise<void> {
  const now = services.context.now().toISOString();
  const skippedNote = skippedRefs === 0 ? '' : ` ${skippedRefs} refs were left out: their names are not allowed.`;
  const { rows } = await sql<{ status: string }>`
    update source_import set push_percent = 100, updated_at = ${now}, is_stored = true,
      status = case when authors_revision = mapped_revision then 'complete' else 'mapping' end,
      status_text = case when authors_revision = mapped_revision
        then concat(replace(status_text, 'Pushing...', 'Done.'), ${skippedNote}::text, E'\\n' || warnings) else 'Mapping...' end,
      credentials = case when authors_revision = mapped_revision then null else credentials end,
      scratch = null
    where ${isInState(work)} returning status`.execute(db);
  const [row] = rows;
  if (!row) throw new SupersededError();
  await sql`update source_import_ref set pushed_oid = mapped_oid where import_id = ${work.id}`.execute(db);
  if (row.status === 'mapping') {
    await enqueue(db, importJob, { importId: work.id, generation: work.generation });
    return;
  }
  const { head, repositoryId } = work;
  const branch = head?.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : null;
  await sql`update repository set pushed_at = ${now}, updated_at = ${now},
      default_branch = case when exists (select 1 from git_ref where repository_id = ${repositoryId} and name = ${head})
        then coalesce(${branch}, default_branch) else default_branch end
    where id = ${repositoryId}`.execute(db);
  await recountStoredBytes(db, repositoryId);
  await recordImportEvent(db, { repositoryId, accountId: work.accountId }, 'success', services.context.now());
}
