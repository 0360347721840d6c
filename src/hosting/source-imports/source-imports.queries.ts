import { sql } from 'kysely';
import type { SourceImport, SourceImportAuthor, SourceImportLargeFile } from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { gone, notFound } from '../../errors/errors.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

/** Maximum authors per response; `since` gets the next ones. */
export const maxAuthors = 1_000;
/** Maximum large files that are recorded per import, and returned. */
export const maxLargeFiles = 1_000;

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
    throw gone({}, 'Source imports were retired on 2024-04-12 and are no longer available.');
  }
  const row = await repositoryFor(context, address, scope);
  if (!row) throw notFound();
  return row;
}

type ImportRow = Omit<
  SourceImport,
  'hasLargeFiles' | 'largeFilesSize' | 'url' | 'webUrl' | 'authorsUrl' | 'repositoryUrl'
> & { largeFilesBytes: number };

/** The import of a repository; null when there is none. */
export async function findImport(
  context: Pick<Context, 'read' | 'origin' | 'apiBaseUrl'>,
  repository: OwnedRow,
): Promise<SourceImport | null> {
  const [row] = await context.read(sql<ImportRow>`
    select vcs, use_lfs as "useLfs", vcs_url as "vcsUrl", tfvc_project as "tfvcProject", status,
      status_text as "statusText", failed_step as "failedStep", error_message as "errorMessage",
      import_percent as "importPercent", commit_count as "commitCount", push_percent as "pushPercent",
      large_files_count as "largeFilesCount", large_files_size as "largeFilesBytes",
      project_choices as "projectChoices", authors_count as "authorsCount"
    from source_import where repository_id = ${repository.databaseId}`);
  if (!row) return null;
  const { largeFilesBytes, ...columns } = row;
  const api = `${context.apiBaseUrl}/repos/${repository.ownerLogin}/${repository.name}`;
  return {
    ...columns,
    hasLargeFiles: row.largeFilesCount > 0,
    largeFilesSize: Number(largeFilesBytes) / 1e9,
    url: `${api}/import`,
    webUrl: `${context.origin}/${repository.ownerLogin}/${repository.name}/import`,
    authorsUrl: `${api}/import/authors`,
    repositoryUrl: api,
  };
}

/** @throws 404 when there is no import */
export async function requireImport(context: Context, repository: OwnedRow): Promise<SourceImport> {
  const found = await findImport(context, repository);
  if (!found) throw notFound();
  return found;
}

export type AuthorRow = Omit<SourceImportAuthor, 'url' | 'importUrl'>;

export const authorColumns = sql.raw(
  'a.id as "databaseId", a.remote_id as "remoteId", a.remote_name as "remoteName", a.email, a.name',
);

/**
 * Authors with ids above `since`, sorted by id, at most `maxAuthors`.
 * @throws 404 when there is no import
 */
export async function importAuthors(
  context: Context,
  repository: OwnedRow,
  since: number,
): Promise<SourceImportAuthor[]> {
  const id = await requireImportId(context, repository);
  const rows = await context.read(sql<AuthorRow>`
    select ${authorColumns} from source_import_author a where a.import_id = ${id} and a.id > ${since}
    order by a.id limit ${maxAuthors}`);
  return rows.map(row => toImportAuthor(context, repository, row));
}

export function toImportAuthor(
  { apiBaseUrl }: Pick<Context, 'apiBaseUrl'>,
  repository: OwnedRow,
  row: AuthorRow,
): SourceImportAuthor {
  const importUrl = `${apiBaseUrl}/repos/${repository.ownerLogin}/${repository.name}/import`;
  return { ...row, url: `${importUrl}/authors/${row.databaseId}`, importUrl };
}

/**
 * Files of more than 100 MB, largest first, at most `maxLargeFiles`.
 * @throws 404 when there is no import
 */
export async function importLargeFiles(context: Context, repository: OwnedRow): Promise<SourceImportLargeFile[]> {
  const id = await requireImportId(context, repository);
  return context.read(sql<SourceImportLargeFile>`
    select ref_name as "refName", path, encode(oid, 'hex') as oid, size from source_import_large_file
    where import_id = ${id} order by size desc, oid limit ${maxLargeFiles}`);
}

async function requireImportId({ read }: Pick<Context, 'read'>, repository: OwnedRow): Promise<number> {
  const [row] = await read(
    sql<{ id: number }>`select id from source_import where repository_id = ${repository.databaseId}`,
  );
  if (!row) throw notFound();
  return row.id;
}
