import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { type Database, databaseForJobs, inTransaction } from '../../db/database.ts';
import { exportBundle } from '../../git/export-repository.ts';
import { openRepository, unlimitedSource } from '../../git/repository.ts';
import { requireGit, withPlainErrors } from '../repositories/maintenance.commands.ts';
import { requireAccountId } from './accounts.commands.ts';
import { accountSections, type ExportSection, repositorySections } from './export-sections.ts';

/** Context of an export. */
export interface ExportContext {
  database: Database;
  now: Date;
  signal: AbortSignal;
  write(line: string): void;
}

interface ExportedRepository {
  id: number;
  name: string;
  defaultBranch: string;
  hasRefs: boolean;
}

/**
 * Writes an account into an existing empty folder: JSON of what it is and has, and a folder for each of its repositories with a git
 * bundle. All JSON is of one moment; a bundle is of the moment when it is made. @throws CommandError
 */
export async function exportAccountCommand(
  login: string,
  folder: string,
  { database: given, now, signal, write }: ExportContext,
): Promise<void> {
  await requireGit();
  const database = databaseForJobs(given);
  const repositories = await inTransaction(database, async db => {
    await sql`set transaction isolation level repeatable read, read only`.execute(db);
    const id = await requireAccountId(db, login);
    const { rows } = await sql<{ kind: string }>`select kind from account where id = ${id}`.execute(db);
    const sections = accountSections.filter(({ kind }) => kind === undefined || kind === rows[0]?.kind);
    await writeSections(db, folder, sections, id);
    const owned = await repositoriesOf(db, id);
    for (const one of owned)
      await writeSections(db, join(folder, 'repositories', one.name), repositorySections, one.id);
    return owned;
  });
  for (const { id, name, defaultBranch, hasRefs } of repositories) {
    signal.throwIfAborted();
    // git makes no bundle of nothing.
    if (!hasRefs) continue;
    const file = join(folder, 'repositories', name, `${name}.bundle`);
    const head = `refs/heads/${defaultBranch}`;
    await withPlainErrors(`${login}/${name}`, () =>
      exportBundle(openRepository(unlimitedSource(database.read, signal), id), file, { head, signal }),
    );
  }
  await writeFile(join(folder, 'README.md'), readme(login, now));
  write(`${login} and ${repositories.length} repositories are in ${folder}.`);
}

async function repositoriesOf(db: Kysely<unknown>, accountId: number): Promise<ExportedRepository[]> {
  const { rows } = await sql<ExportedRepository>`
    select id, name, default_branch as "defaultBranch",
      exists (select from git_ref g where g.repository_id = repository.id) as "hasRefs"
    from repository where owner_id = ${accountId} order by name`.execute(db);
  return rows;
}

async function writeSections(
  db: Kysely<unknown>,
  folder: string,
  sections: readonly ExportSection[],
  id: number,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { file, query } of sections) {
    const { rows } = await query(id).execute(db);
    await writeFile(join(folder, file), `${JSON.stringify(rows, null, 2)}\n`, { mode: 0o600 });
  }
}

const readme = (login: string, now: Date): string => `# ${login}

Exported ${now.toISOString()}. Each \`.json\` file is a list of objects; times are in UTC. \`account.json\` is the account itself.

\`repositories/<name>/\` has what belongs to one repository. \`<name>.bundle\` is its git data, with all branches and tags:

    git clone <name>.bundle

A repository without a bundle has no commits. Secrets of webhooks and apps, and tokens, are not exported: \`hooks.json\` says whether there was
one, and \`tokens.json\` names the tokens by their last eight characters.
`;
