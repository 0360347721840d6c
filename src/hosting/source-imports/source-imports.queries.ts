import { sql } from 'kysely';
import type { SourceImport, SourceImportAuthor, SourceImportLargeFile } from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { batchedList, batchedTable } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { gone, notFound } from '../../errors/errors.ts';
import { accessDenied } from '../repositories/access-denied.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type AccessDecision, accessDecision } from '../repositories/repository-access.ts';

const retired = (): Error => gone({}, 'Source imports were retired on 2024-04-12 and are no longer available.');

/**
 * The repository of an import.
 * @throws 410 when imports are disabled; 404 or 403 as for `repositoryFor`
 */
export async function openImportRepository(
  context: Context,
  address: RepositoryAddress,
  scope: 'source-imports:read' | 'source-imports:write',
): Promise<OwnedRow> {
  if (context.config.SOURCE_IMPORTS !== 'on') {
    throw retired();
  }
  const row = await repositoryFor(context, address, scope);
  if (!row) throw notFound();
  return row;
}

/** The row of an import with its repository. */
type ImportRow = Omit<SourceImport, 'hasLargeFiles' | 'largeFilesSize' | 'url' | 'repositoryPath'>;

const importColumns = sql.raw(`i.id as "importId", i.repository_id as "repositoryId", i.vcs,
  i.use_lfs as "lfsPreference", i.vcs_url as "sourceUrl", i.tfvc_project as "tfvcProject", i.status,
  i.status_text as "statusText", i.failed_step as "failedStep", i.error_message as "errorMessage",
  i.import_percent as "importPercent", i.commit_count as "commitCount", i.push_percent as "pushPercent",
  i.large_files_count as "largeFileCount", i.large_files_size as "largeFilesBytes",
  i.project_choices as "projectChoices", i.authors_count as "authorCount"`);

function toSourceImport({ origin }: Pick<Context, 'origin'>, row: ImportRow, repositoryPath: string): SourceImport {
  return {
    ...row,
    largeFilesBytes: Number(row.largeFilesBytes),
    hasLargeFiles: row.largeFileCount > 0,
    largeFilesSize: Number(row.largeFilesBytes) / 1e9,
    url: `${origin}${repositoryPath}/import`,
    repositoryPath,
  };
}

const pathOf = ({ ownerLogin, name }: Pick<OwnedRow, 'ownerLogin' | 'name'>): string => `/${ownerLogin}/${name}`;

/** The import of a repository; null when there is none. */
async function findImport(
  context: Pick<Context, 'read' | 'origin'>,
  repository: OwnedRow,
): Promise<SourceImport | null> {
  const [row] = await context.read(sql<ImportRow>`
    select ${importColumns} from source_import i where i.repository_id = ${repository.databaseId}`);
  return row ? toSourceImport(context, row, pathOf(repository)) : null;
}

/**
 * DataLoader batch function: imports by the ids of their repositories; null where there is none, and for repositories that the caller
 * cannot see. An Error where the caller may see the repository and not its import.
 */
export async function importsByRepositories(
  context: Context,
  repositoryIds: readonly number[],
): Promise<(SourceImport | null | Error)[]> {
  if (context.config.SOURCE_IMPORTS !== 'on') return repositoryIds.map(() => retired());
  const scope = 'source-imports:read';
  type Found = ImportRow & Pick<OwnedRow, 'ownerId' | 'ownerLogin' | 'name'> & { decision: AccessDecision };
  const rows = await context.read(sql<Found>`
    select ${importColumns}, r.id as "repositoryId", r.name, r.owner_id as "ownerId", o.login as "ownerLogin",
      ${accessDecision(context.actor, scope)} as decision
    from repository r join account o on o.id = r.owner_id left join source_import i on i.repository_id = r.id
    where r.id = any(${[...repositoryIds]}::bigint[])`);
  const byRepository = new Map(rows.map(row => [row.repositoryId, row]));
  return repositoryIds.map(id => {
    const row = byRepository.get(id);
    if (!row || row.decision === 'hidden') return null;
    if (row.decision !== 'allowed') return accessDenied(context, row.decision, scope, row);
    const { name, ownerId: _owner, ownerLogin, decision: _decision, ...found } = row;
    return found.importId === null ? null : toSourceImport(context, found, pathOf({ ownerLogin, name }));
  });
}

/** @throws 404 when there is no import */
export async function requireImport(context: Context, repository: OwnedRow): Promise<SourceImport> {
  const found = await findImport(context, repository);
  if (!found) throw notFound();
  return found;
}

export type AuthorRow = Omit<SourceImportAuthor, 'authorPath' | 'repositoryPath'>;

export const authorColumns = sql.raw(
  'a.id as "databaseId", a.remote_id as "remoteId", a.remote_name as "remoteName", a.email, a.name',
);

export function toImportAuthor(repository: Pick<OwnedRow, 'ownerLogin' | 'name'>, row: AuthorRow): SourceImportAuthor {
  const repositoryPath = pathOf(repository);
  return { ...row, authorPath: `${repositoryPath}/import/authors/${row.databaseId}`, repositoryPath };
}

/** The authors of an import with numbers above `since`, by number, in one statement for the imports of many repositories. */
export function authorList(
  context: Context,
  { importId, repositoryPath }: SourceImport,
  since: number,
): ListSource<SourceImportAuthor> {
  const source = batchedTable<number, AuthorRow>(context.read, {
    keyType: 'bigint',
    select: () => authorColumns,
    from: sql`source_import_author a`,
    where: key => [sql`a.import_id = ${key}`, sql`a.id > ${since}`],
    order: sql`a.id`,
  });
  const rows = batchedList(context, 'SourceImport.authors', { since }, importId, source);
  return {
    rows: async page =>
      (await rows.rows(page)).map(row => ({
        ...row,
        authorPath: `${repositoryPath}/import/authors/${row.databaseId}`,
        repositoryPath,
      })),
    total: () => rows.total(),
  };
}

/** The large files of an import, largest first, in one statement for the imports of many repositories. */
export function largeFileList(context: Context, { importId }: SourceImport): ListSource<SourceImportLargeFile> {
  const source = batchedTable<number, SourceImportLargeFile>(context.read, {
    keyType: 'bigint',
    select: () => largeFileColumns,
    from: sql`source_import_large_file`,
    where: key => [sql`import_id = ${key}`],
    order: sql`size desc, oid`,
  });
  return batchedList(context, 'SourceImport.largeFiles', {}, importId, source);
}

/** Authors of imports that the caller can see, by their numbers, in their order; null for the others. */
export async function authorsByIds(context: Context, ids: readonly number[]): Promise<(SourceImportAuthor | null)[]> {
  if (context.config.SOURCE_IMPORTS !== 'on') return ids.map(() => null);
  const rows = await context.read(sql<AuthorRow & Pick<OwnedRow, 'ownerLogin'> & { repositoryName: string }>`
    select ${authorColumns}, o.login as "ownerLogin", r.name as "repositoryName"
    from source_import_author a join source_import i on i.id = a.import_id
    join repository r on r.id = i.repository_id join account o on o.id = r.owner_id
    where a.id = any(${[...ids]}::bigint[]) and ${accessDecision(context.actor, 'source-imports:read')} = 'allowed'`);
  const byId = new Map(
    rows.map(({ ownerLogin, repositoryName, ...row }) => [
      row.databaseId,
      toImportAuthor({ ownerLogin, name: repositoryName }, row),
    ]),
  );
  return ids.map(id => byId.get(id) ?? null);
}

const largeFileColumns = sql.raw(`ref_name as "refName", path, encode(oid, 'hex') as oid, size`);
