import { sql } from 'kysely';
import type { LfsChoiceValue, SourceImport } from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { parseCredentials, sealCredentials } from './import-credentials.ts';
import { recordImportEvent } from './import-event.ts';
import { importJob } from './import-state.ts';
import { openImportRepository, requireImport } from './source-imports.queries.ts';
import { assertGitInstalled, type NewImport, parseProject, toSourceControl } from './start-source-import.ts';

/**
 * Starts an import anew, with credentials or a choice of what was found, or with neither. It begins where what was sent makes
 * a difference: with credentials the source is looked at again, with a choice it is fetched.
 */
export async function updateSourceImport(
  context: Context,
  address: RepositoryAddress,
  input: Omit<NewImport, 'vcsUrl'>,
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

/** What has been stored needs the source no more: only what comes after it is done again. */
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

/** Ends an import and forgets it, its credentials and authors with it. What has been pushed stays. */
export async function cancelSourceImport(context: Context, address: RepositoryAddress): Promise<void> {
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
}

/** There is no store for large files, so that only their staying in the repository can be chosen. */
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
