import { sql } from 'kysely';
import type {
  SourceControlInputValue,
  SourceControlValue,
  SourceImport,
} from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { isTaken } from '../../db/unique.ts';
import { programMissing, ruleBroken } from '../../errors/errors.ts';
import { readCommit } from '../../git/read-objects.ts';
import { listRefs } from '../../git/refs.ts';
import { repositoryOf } from '../../git/repository.ts';
import { commitOf, resolveRevision } from '../../git/revision.ts';
import { hasGit } from '../../git/system-git.ts';
import { entryAt, pathParts } from '../../git/tree-path.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { openGuard } from '../../outbound/guard.ts';
import { callingUser } from '../accounts/caller.ts';
import { mayChangeWorkflows, workflowFolder } from '../pushes/push-rights.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { readCredentials, sealCredentials } from './import-credentials.ts';
import { importJob } from './import-rows.ts';
import { demandImport, importPlace } from './source-imports.queries.ts';
import { readSourceUrl } from './source-url.ts';

export interface NewImport {
  vcsUrl: string;
  vcs?: SourceControlInputValue | null;
  username?: string | null;
  password?: string | null;
  tfvcProject?: string | null;
}

/** Longest name of a project. */
const longestProject = 255;

/** The name of a project as it is kept; 422 for what can be none. */
export function readProject(text: string | null | undefined): string | null {
  if (text === undefined || text === null || text === '') return null;
  if (text.length > longestProject || /\p{Cc}/u.test(text)) {
    throw ruleBroken([{ resource: 'Import', field: 'tfvc_project', code: 'invalid' }]);
  }
  return text;
}

export const kindOf = (vcs: SourceControlInputValue | null | undefined): SourceControlValue | null =>
  vcs === 'hg' ? 'mercurial' : (vcs ?? null);

/** 503 where the program that fetches is not there. */
export async function demandGit(): Promise<void> {
  if (!(await hasGit())) {
    throw programMissing({}, 'Source imports need the program git, which is not installed on this machine.');
  }
}

/**
 * Starts the import of a source into an empty repository. The work is done by jobs; the answer is how it stands at the
 * beginning. Of several starts at the same time one wins.
 */
export async function startSourceImport(
  context: Context,
  address: RepositoryAddress,
  input: NewImport,
): Promise<SourceImport> {
  const place = await importPlace(context, address, 'source-imports:write');
  const { accountId } = callingUser(context.actor);
  const url = readSourceUrl(input.vcsUrl, openGuard({ allow: context.config.OUTBOUND_ALLOW }));
  const credentials = readCredentials(input);
  const project = readProject(input.tfvcProject);
  await demandGit();
  await demandEmpty(context, place);
  const vcs = kindOf(input.vcs);
  const id = place.databaseId;
  const sealed = credentials ? sealCredentials(context.keys, id, credentials) : null;
  const mayWorkflows = await mayChangeWorkflows(context, place.ownerId);
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
    if (!isTaken(error, 'source_import_repository_id_key')) throw error;
    throw ruleBroken([], 'The repository has an import already. Cancel it before you start another one.');
  }
  return demandImport(context, place);
}

/** Refuses repositories whose history the import would meet, and those that would run programs for what comes in. */
async function demandEmpty(context: Context, place: OwnedRow): Promise<void> {
  const store = repositoryOf(context.read, place.databaseId);
  const found = await resolveRevision(store, `refs/heads/${place.defaultBranch}`);
  const tip = found && (await commitOf(store, found.oid));
  if (tip !== undefined) {
    const { tree } = await readCommit(store, tip);
    if (await entryAt(store, tree, pathParts(workflowFolder(context.config).slice(0, -1)))) {
      throw ruleBroken([], 'Source imports into a repository with workflow automation enabled are not supported.');
    }
  }
  const refs = await listRefs(store, { limit: 1 });
  if (refs.length > 0) throw ruleBroken([], 'The repository is not empty. Source imports need an empty one.');
}
