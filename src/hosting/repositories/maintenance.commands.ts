import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { type Database, databaseForJobs } from '../../db/database.ts';
import { ExportTargetError, exportBundle, exportRepository } from '../../git/export-repository.ts';
import { GitError } from '../../git/git-error.ts';
import { GitProcessError } from '../../git/limited-git.ts';
import { verifyRepository } from '../../git/maintenance/verify-repository.ts';
import { openRepository, unlimitedSource } from '../../git/repository.ts';
import { isGitInstalled } from '../../git/system-git.ts';
import { CommandError } from '../accounts/accounts.commands.ts';
import { collect, repack, whileUnmaintained } from './maintain-repository.ts';
import { repositoryKey } from './repository-name.ts';

export interface MaintenanceCommandContext {
  database: Database;
  config: Pick<Config, 'PORTICO_DATA'>;
  now(): Date;
  /** Aborted when the command is interrupted. */
  signal: AbortSignal;
  write(line: string): void;
}

/** Which repositories: one by its name, or all. */
export interface RepositorySelection {
  /** `owner/name` */
  name: string | undefined;
  all: boolean;
}

interface NamedRepository {
  id: number;
  name: string;
  defaultBranch: string;
}

/** Deletes unreachable objects that are older than `graceDays` and stores others as deltas. Returns whether all was done. */
export async function collectCommand(
  { graceDays, ...selection }: RepositorySelection & { graceDays: number },
  given: MaintenanceCommandContext,
): Promise<boolean> {
  await requireGit();
  const context = { ...given, database: databaseForJobs(given.database) };
  let isDone = true;
  for (const { id, name } of await selectRepositories(context.database, selection)) {
    const graceMs = graceDays * 24 * 60 * 60 * 1000;
    const collected = await withPlainErrors(name, () => collect(context, id, { graceMs }));
    const repacked =
      collected && (await withPlainErrors(name, () => repack(context, id, { coldBefore: context.now() })));
    if (!collected || !repacked) {
      context.write(`${name}: another process maintains it at this moment. Try again later.`);
      isDone = false;
      continue;
    }
    const { objects, bytes, young, isComplete } = collected;
    context.write(
      [
        `${name}: ${objects} objects (${formatMegabytes(bytes)}) deleted`,
        ...(young > 0 ? [`${young} that nothing reaches kept because they are younger than ${graceDays} days`] : []),
        ...(isComplete ? [] : ['stopped because pushes went on all the time']),
        `${repacked.deltas} stored as deltas`,
      ].join(', '),
    );
    isDone &&= isComplete;
  }
  return isDone;
}

/** Checks repositories and lists their defects. Returns whether there are none. */
export async function verifyCommand(
  selection: RepositorySelection,
  given: MaintenanceCommandContext,
): Promise<boolean> {
  const context = { ...given, database: databaseForJobs(given.database) };
  const { write, signal } = context;
  let isSound = true;
  for (const { id, name } of await selectRepositories(context.database, selection)) {
    const onDefect = (line: string): void => write(`${name}: ${line}`);
    const verified = await whileUnmaintained(context, id, repository =>
      verifyRepository(repository, { onDefect, signal }),
    );
    if (!verified) {
      write(`${name}: another process maintains it at this moment. Try again later.`);
      isSound = false;
      continue;
    }
    const { objects, refs, defects } = verified;
    write(
      `${name}: ${objects} objects and ${refs} refs, ${defects === 0 ? 'no' : defects} ${defects === 1 ? 'defect' : 'defects'}.`,
    );
    isSound &&= defects === 0;
  }
  return isSound;
}

/** Writes a repository into a folder, or into a bundle. */
export async function exportCommand(
  { name, path, isBundle }: { name: string; path: string; isBundle: boolean },
  given: MaintenanceCommandContext,
): Promise<void> {
  await requireGit();
  const database = databaseForJobs(given.database);
  for (const one of await selectRepositories(database, { name, all: false })) {
    const repository = openRepository(unlimitedSource(database.read, given.signal), one.id);
    const options = { head: `refs/heads/${one.defaultBranch}`, signal: given.signal };
    const { objects, refs } = await withPlainErrors(one.name, () =>
      isBundle ? exportBundle(repository, path, options) : exportRepository(repository, path, options),
    );
    given.write(`${objects} objects and ${refs} refs of ${one.name} are in ${path}.`);
  }
}

async function selectRepositories(
  database: Database,
  { name: text, all }: RepositorySelection,
): Promise<NamedRepository[]> {
  if (all === (text !== undefined)) throw new CommandError('Name a repository as owner/name, or give --all.');
  const [owner = '', name = '', ...more] = text?.split('/') ?? [];
  if (text !== undefined && (more.length > 0 || owner === '' || repositoryKey(name) === undefined)) {
    throw new CommandError(`«${text}» is no repository: write the login of its owner, a slash and its name.`);
  }
  const condition =
    text === undefined
      ? sql`true`
      : sql`lower(o.login) = ${owner.toLowerCase()} and lower(r.name) = ${name.toLowerCase()}`;
  const found = await database.read<NamedRepository>(sql`
    select r.id, o.login || '/' || r.name as name, r.default_branch as "defaultBranch"
    from repository r join account o on o.id = r.owner_id where ${condition} order by r.id`);
  if (text !== undefined && found.length === 0) throw new CommandError(`There is no repository ${text}.`);
  return found;
}

/** @throws CommandError */
export async function requireGit(): Promise<void> {
  if (!(await isGitInstalled())) throw new CommandError('The program git cannot be started. It must be in the PATH.');
}

/** Errors that an operator can act on are one sentence; others stay what they are. */
export async function withPlainErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ExportTargetError) throw new CommandError(error.message);
    if (error instanceof GitError)
      throw new CommandError(`${name}: ${error.message} \`repos verify\` lists all defects.`);
    if (error instanceof GitProcessError) {
      const reason = error.stderr.trim().split('\n').at(-1) ?? '';
      throw new CommandError(`${name}: git failed (${error.code}). ${reason}\n\`repos verify\` lists all defects.`);
    }
    const { code, path } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && path !== undefined) throw new CommandError(`${path} cannot be written (${code}).`);
    throw error;
  }
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
