import { sql } from 'kysely';
import type { LfsChoiceValue, SourceImport } from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { parseCredentials, sealCredentials } from './import-credentials.ts';
import { recordImportEvent } from './import-event.ts';
import { importJob } from './import-state.ts';
import { openImportRepository, requireImport } from './source-imports.queries.ts';
import { assertGitInstalled, type NewImport, parseProject, toSourceControl } from './start-source-import.ts';

/**
 * Restarts an import, with new credentials, a choice among the detected projects, or neither. New credentials restart
 * the detection, everything else the fetch.
 */
export async function updateSourceImport(
  context: Context,
  address: RepositoryAddress,
  input: Omit<NewImport, 'sourceUrl'>,
): Promise<SourceImport> {
  const repository = await openImportRepository(context, address, 'source-imports:write');
  const id = repository.databaseId;
  const credentials = parseCredentials(input);
  const sealed = credentials ? sealCredentials(context.keys, id, credentials) : null;
  const project = parseProject(input.tfvcProject);
  const vcs = toSourceControl(input.vcs);
  const found = await requireImport(context, repository);
  if (found.status !== 'complete') await assertGitInstalled();
  await context.transaction(async db => {
    const { rows } = await sql<{ id: number; generation: number }>`
      update source_import set generation = generation + 1,
        vcs = coalesce(${vcs}, vcs), tfvc_project = coalesce(${project}, tfvc_project),
        credentials = coalesce(${sealed}, credentials),
        status = case when ${sealed !== null} or coalesce(${vcs}, vcs) is null then 'detecting' else 'importing' end,
        status_text = case when ${sealed !== null} or coalesce(${vcs}, vcs) is null
          then 'Detecting...' else 'Importing...' end,
        failed_step = null, error_message = null, import_percent = null, push_percent = null, project_choices = null,
        scratch = null, updated_at = ${context.now().toISOString()}
      where repository_id = ${id} and status <> 'complete' and not is_stored returning id, generation`.execute(db);
    const [row] = rows;
    if (row) await enqueue(db, importJob, { importId: row.id, generation: row.generation });
    else await resumeStored(db, context, id);
  });
  return requireImport(context, repository);
}

/** The objects are stored, so only the later steps are repeated. */
async function resumeStored(
  db: Parameters<Parameters<Context['transaction']>[0]>[0],
  context: Pick<Context, 'now'>,
  repositoryId: number,
): Promise<void> {
  const { rows } = await sql<{ id: number; generation: number }>`
    update source_import set generation = generation + 1, status = 'mapping', status_text = 'Mapping...',
      failed_step = null, error_message = null, updated_at = ${context.now().toISOString()}
    where repository_id = ${repositoryId} and status <> 'complete' returning id, generation`.execute(db);
  const [row] = rows;
  if (!row) throw validationFailed([], 'The import is complete. Cancel it before you start another one.');
  await enqueue(db, importJob, { importId: row.id, generation: row.generation });
}

/**
 * Deletes an import with its credentials and authors. Pushed commits stay.
 * @throws 404 when there is none
 */
export async function cancelSourceImport(context: Context, address: RepositoryAddress): Promise<OwnedRow> {
  const repository = await openImportRepository(context, address, 'source-imports:write');
  await context.transaction(async db => {
    const { rows } = await sql<{ status: string; accountId: number | null }>`
      delete from source_import where repository_id = ${repository.databaseId}
      returning status, account_id as "accountId"`.execute(db);
    const [row] = rows;
    if (!row) throw notFound();
    if (row.status === 'complete') return;
    await recordImportEvent(
      db,
      { repositoryId: repository.databaseId, accountId: row.accountId },
      'cancelled',
      context.now(),
    );
  });
  return repository;
}

/** There is no LFS store, so `opt_in` is refused. */
export async function setLfsPreference(
  context: Context,
  address: RepositoryAddress,
  choice: LfsChoiceValue,
): Promise<SourceImport> {
  const repository = await openImportRepository(context, address, 'source-imports:write');
  await requireImport(context, repository);
  if (choice === 'opt_in') {
    const message =
      'This installation has no Git LFS store. With opt_out large files are imported as ordinary files, up to 100 MiB each.';
    throw validationFailed([{ resource: 'Import', field: 'use_lfs', code: 'custom', message }]);
  }
  await context.transaction(db =>
    sql`update source_import set use_lfs = ${choice}, updated_at = ${context.now().toISOString()}
      where repository_id = ${repository.databaseId}`.execute(db),
  );
  return requireImport(context, repository);
}
