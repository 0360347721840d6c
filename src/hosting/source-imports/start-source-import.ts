import { sql } from 'kysely';
import type {
  SourceControlInputValue,
  SourceControlValue,
  SourceImport,
} from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { programMissing, validationFailed } from '../../errors/errors.ts';
import { readCommit } from '../../git/read-objects.ts';
import { listRefs } from '../../git/refs.ts';
import { openRepository } from '../../git/repository.ts';
import { peelToCommit, resolveRevision } from '../../git/revision.ts';
import { isGitInstalled } from '../../git/system-git.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { createAddressGuard } from '../../outbound/address-guard.ts';
import { callingUser } from '../accounts/caller.ts';
import { mayChangeWorkflows, workflowFolder } from '../pushes/push-rights.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { isTooLong } from '../text-problems.ts';
import { parseCredentials, sealCredentials } from './import-credentials.ts';
import { importLimits } from './import-limits.ts';
import { importJob } from './import-state.ts';
import { openImportRepository, requireImport } from './source-imports.queries.ts';
import { parseSourceUrl } from './source-url.ts';

export interface NewImport {
  sourceUrl: string;
  vcs?: SourceControlInputValue | null;
  username?: string | null;
  password?: string | null;
  tfvcProject?: string | null;
}

/**
 * The project name as it is stored.
 * @throws 422
 */
export function parseProject(text: string | null | undefined): string | null {
  if (text === undefined || text === null || text === '') return null;
  if (isTooLong(text, importLimits.project.maxLength) || /\p{Cc}/u.test(text)) {
    throw validationFailed([{ resource: 'Import', field: 'tfvc_project', code: 'invalid' }]);
  }
  return text;
}

export const toSourceControl = (vcs: SourceControlInputValue | null | undefined): SourceControlValue | null =>
  vcs === 'hg' ? 'mercurial' : (vcs ?? null);

/** @throws 503 when git is not installed */
export async function assertGitInstalled(): Promise<void> {
  if (!(await isGitInstalled())) {
    throw programMissing({}, 'Source imports need the program git, which is not installed on this machine.');
  }
}

/**
 * Starts the import of a source into an empty repository and returns its initial state; jobs do the work. The unique
 * index decides between concurrent starts.
 * @throws 422, 503
 */
export async function startSourceImport(
  context: Context,
  address: RepositoryAddress,
  input: NewImport,
): Promise<SourceImport> {
  const repository = await openImportRepository(context, address, 'source-imports:write');
  const { accountId } = callingUser(context.actor);
  const url = parseSourceUrl(input.sourceUrl, createAddressGuard({ allow: context.config.OUTBOUND_ALLOWED_HOSTS }));
  const credentials = parseCredentials(input);
  const project = parseProject(input.tfvcProject);
  await assertGitInstalled();
  await assertEmptyRepository(context, repository);
  const vcs = toSourceControl(input.vcs);
  const id = repository.databaseId;
  const sealed = credentials ? sealCredentials(context.keys, id, credentials) : null;
  const mayWorkflows = await mayChangeWorkflows(context, repository.ownerId);
  const [status, text] = vcs === null ? ['detecting', 'Detecting...'] : ['importing', 'Importing...'];
  const at = context.now().toISOString();
  try {
    await context.transaction(async db => {
      const { rows } = await sql<{ id: number }>`
        insert into source_import (repository_id, account_id, vcs, vcs_url, tfvc_project, credentials, status, status_text,
          may_change_workflows, created_at, updated_at)
        values (${id}, ${accountId}, ${vcs}, ${url}, ${project}, ${sealed}, ${status}, ${text}, ${mayWorkflows}, ${at}, ${at})
        returning id`.execute(db);
      await enqueue(db, importJob, { importId: Number(rows[0]?.id), generation: 1 });
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'source_import_repository_id_key')) throw error;
    throw validationFailed([], 'The repository has an import already. Cancel it before you start another one.');
  }
  return requireImport(context, repository);
}

/** Refuses repositories that are not empty, and those with workflows, which would run for the imported commits. */
async function assertEmptyRepository(context: Context, repository: OwnedRow): Promise<void> {
  const store = openRepository(context, repository.databaseId);
  const found = await resolveRevision(store, `refs/heads/${repository.defaultBranch}`);
  const tip = found && (await peelToCommit(store, found.oid));
  if (tip !== undefined) {
    const { tree } = await readCommit(store, tip);
    if (await findEntry(store, tree, pathParts(workflowFolder(context.config).slice(0, -1)))) {
      throw validationFailed(
        [],
        'Source imports into a repository with workflow automation enabled are not supported.',
      );
    }
  }
  const refs = await listRefs(store, { limit: 1 });
  if (refs.length > 0) throw validationFailed([], 'The repository is not empty. Source imports need an empty one.');
}
