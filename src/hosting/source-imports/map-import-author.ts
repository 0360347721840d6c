import { sql } from 'kysely';
import type { SourceImportAuthor } from '../../../schema/hosting/source-import.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
import { encodePerson } from '../../git/person.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { isTooLong } from '../text-problems.ts';
import { importLimits } from './import-limits.ts';
import { importJob } from './import-state.ts';
import { type AuthorRow, authorColumns, openImportRepository, toImportAuthor } from './source-imports.queries.ts';

/**
 * Changes the name or email address of an author. It applies to all commits of the import: those to come and, unless
 * other commits have been pushed since, those that are stored, which are rewritten.
 * @throws 404, 422
 */
export async function mapImportAuthor(
  context: Context,
  address: RepositoryAddress,
  authorId: number,
  { name, email }: { name?: string | null; email?: string | null },
): Promise<SourceImportAuthor> {
  const repository = await openImportRepository(context, address, 'source-imports:write');
  const changes = { name: parseField('name', name), email: parseField('email', email) };
  const row = await context.transaction(async db => {
    // Locked first: the push that completes an import checks the revision under the same lock.
    const held = await sql<{ id: number; generation: number; status: string }>`
      select id, generation, status from source_import where repository_id = ${repository.databaseId} for update`.execute(
      db,
    );
    const [found] = held.rows;
    if (!found) throw notFound();
    const { rows } = await sql<AuthorRow>`
      update source_import_author a set name = coalesce(${changes.name}, a.name), email = coalesce(${changes.email}, a.email)
      where a.import_id = ${found.id} and a.id = ${authorId} returning ${authorColumns}`.execute(db);
    const [author] = rows;
    if (!author) throw notFound();
    if (changes.name === null && changes.email === null) return author;
    const isComplete = found.status === 'complete';
    if (isComplete && (await hasLaterPushes(db, found.id, repository.databaseId))) {
      throw validationFailed(
        [],
        'New commits have been pushed since the import. Its authors can no longer be changed.',
      );
    }
    await sql`update source_import set authors_revision = authors_revision + 1, updated_at = ${context.now().toISOString()}
      ${isComplete ? sql`, status = 'mapping', status_text = 'Mapping...'` : sql``} where id = ${found.id}`.execute(db);
    if (isComplete) await enqueue(db, importJob, { importId: found.id, generation: found.generation });
    return author;
  });
  return toImportAuthor(repository, row);
}

/**
 * A name or email address that git can encode; null when none was sent.
 * @throws 422
 */
function parseField(field: 'name' | 'email', text: string | null | undefined): string | null {
  if (text === undefined || text === null) return null;
  const shown = text.trim();
  try {
    if (isTooLong(text, importLimits.author.maxLength) || /[<>\p{Cc}]/u.test(shown))
      throw new GitError('bad-person', field, field);
    encodePerson({ name: 'A', email: 'a', [field]: shown, seconds: 0, zone: '+0000' });
    return shown;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw validationFailed([{ resource: 'Author', field, code: 'invalid' }]);
  }
}

/** Whether a ref differs from what the import pushed, or was not pushed by it. */
async function hasLaterPushes(
  db: Parameters<Parameters<Context['transaction']>[0]>[0],
  importId: number,
  repositoryId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (select name, oid from git_ref where repository_id = ${repositoryId}) r
    full join (select name, pushed_oid from source_import_ref where import_id = ${importId} and pushed_oid is not null) i
      on i.name = r.name
    where r.oid is distinct from i.pushed_oid limit 1`.execute(db);
  return rows.length > 0;
}
