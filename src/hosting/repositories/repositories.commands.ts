import { sql } from 'kysely';
import { type Database, inTransaction } from '../../db/database.ts';
import { GitError } from '../../git/git-error.ts';
import { unlimitedSource } from '../../git/repository.ts';
import { CommandError, inputErrorMessage, requireAccountId } from '../accounts/accounts.commands.ts';
import { type ImportedRepository, type ImportProgress, importRepository } from '../pushes/import-repository.ts';
import { insertRepository } from './create-repository.ts';
import { repositoryKey } from './repository-name.ts';

/** Context of the import command. It has no single transaction, because objects are stored in parts. */
export interface ImportCommandContext {
  database: Database;
  now(): Date;
  write(line: string): void;
  /** Overwrites the current terminal line; does nothing without a terminal. */
  progress(text: string): void;
}

/** Imports a local git repository with all refs into an existing or new repository. */
export async function importRepositoryCommand(
  { path, to, create, isPrivate }: { path: string; to: string; create: boolean; isPrivate: boolean },
  commandContext: ImportCommandContext,
): Promise<void> {
  const { database, now, write, progress } = commandContext;
  const [owner = '', name = '', ...more] = to.split('/');
  if (more.length > 0 || repositoryKey(name) === undefined) {
    throw new CommandError(`«${to}» is no repository: write the login of its owner, a slash and its name.`);
  }
  const context = {
    ...unlimitedSource(database.read),
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database, work),
    now,
  };
  const repositoryId = await context.transaction(async db => {
    const ownerId = await requireAccountId(db, owner);
    const { rows } = await sql<{ id: number }>`
      select id from repository where owner_id = ${ownerId} and lower(name) = ${name.toLowerCase()}`.execute(db);
    if (rows[0]) return rows[0].id;
    if (!create) throw new CommandError(`There is no repository ${to}. With --create it is made.`);
    try {
      return await insertRepository(db, ownerId, { name, isPrivate }, now());
    } catch (error) {
      throw new CommandError(inputErrorMessage(error));
    }
  });
  const report = await withCommandErrors(() =>
    importRepository(context, { repositoryId, path }, step => progress(`${path}: ${formatProgress(step)}`)),
  );
  progress('');
  await context.transaction(async db => {
    await sql`update repository set default_branch = coalesce(${report.defaultBranch ?? null}, default_branch)
      where id = ${repositoryId}`.execute(db);
  });
  for (const line of report.warnings) write(line);
  for (const { name: ref, reason } of report.skipped) write(`${ref} was left out: ${reason}.`);
  write(`${report.objects} objects and ${report.refs} refs are in ${to}.`);
}

/** Errors of the source folder are shown to the operator. */
async function withCommandErrors(work: () => Promise<ImportedRepository>): Promise<ImportedRepository> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GitError ? new CommandError(error.message) : error;
  }
}

function formatProgress({ stage, done, total }: ImportProgress): string {
  switch (stage) {
    case 'counting':
      return 'counting objects';
    case 'objects':
      return `${done} of ${total} objects`;
    case 'commits':
      return `${done} commits indexed`;
    case 'refs':
      return `${total} refs`;
  }
}
