import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { changeArchived } from './archive-repository.ts';
import { type NewRepository, settingProblems } from './create-repository.ts';
import { renameRepository } from './rename-repository.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';
import { nameProblems } from './repository-name.ts';
import { setVisibility } from './set-visibility.ts';

/** Absent fields stay unchanged. */
export type RepositoryChange = Partial<
  Pick<NewRepository, 'description' | 'homepageUrl' | 'isPrivate' | 'isTemplate' | 'defaultBranch'> & {
    name: string | null | undefined;
    isArchived: boolean | null | undefined;
  }
>;

/**
 * Changes settings of a repository in one transaction. Idempotent. Returns the repository's id.
 *
 * @throws 422 for invalid values, a name that is taken, or a public fork of a private repository.
 */
export async function updateRepository(
  context: Context,
  address: RepositoryAddress,
  change: RepositoryChange,
): Promise<number> {
  const { name, isPrivate, defaultBranch, isArchived } = change;
  const problems = [...(name == null ? [] : nameProblems(name)), ...settingProblems(change)];
  if (problems.length > 0) throw validationFailed(problems);
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const { databaseId: id, ownerId } = found;
  await context.transaction(async db => {
    if (name != null) await renameRepository(db, context, { id, ownerId, name });
    await changeSettings(db, context, id, change);
    if (defaultBranch != null) await changeDefaultBranch(db, context, id, defaultBranch);
    if (isPrivate != null) await setVisibility(db, context, id, isPrivate);
    if (isArchived != null) await changeArchived(db, context, id, isArchived);
  });
  return id;
}

/** @throws 422 for a branch that does not exist */
async function changeDefaultBranch(db: Kysely<unknown>, context: Context, id: number, branch: string): Promise<void> {
  const locked = await sql<{ before: string; exists: boolean }>`select r.default_branch as before,
      exists (select 1 from git_ref g where g.repository_id = r.id and g.name = ${`refs/heads/${branch}`}) as exists
    from repository r where r.id = ${id} for update of r`.execute(db);
  const [row] = locked.rows;
  if (!row) throw notFound();
  if (row.before === branch) return;
  if (!row.exists) {
    const message = `The branch ${branch} was not found. Push it or create it first.`;
    throw validationFailed([{ resource: 'Repository', field: 'default_branch', code: 'custom', message }]);
  }
  await sql`update repository set default_branch = ${branch}, updated_at = ${context.now()}
    where id = ${id}`.execute(db);
  const changes = { default_branch: { from: row.before } };
  await recordRepositoryEvent(db, context, id, 'edited', { changes });
}

interface Settings {
  description: string | null;
  homepageUrl: string | null;
  isTemplate: boolean;
}

async function changeSettings(
  db: Kysely<unknown>,
  context: Context,
  id: number,
  { description, homepageUrl, isTemplate }: RepositoryChange,
): Promise<void> {
  const locked = await sql<Settings>`select description, homepage as "homepageUrl", is_template as "isTemplate"
    from repository where id = ${id} for update`.execute(db);
  const [before] = locked.rows;
  if (!before) throw notFound();
  const after: Settings = {
    description: description === undefined ? before.description : description || null,
    homepageUrl: homepageUrl === undefined ? before.homepageUrl : homepageUrl,
    isTemplate: isTemplate ?? before.isTemplate,
  };
  const changes = {
    ...(after.description !== before.description && { description: { from: before.description } }),
    ...(after.homepageUrl !== before.homepageUrl && { homepage: { from: before.homepageUrl } }),
  };
  const isEdited = Object.keys(changes).length > 0;
  if (!isEdited && after.isTemplate === before.isTemplate) return;
  await sql`update repository set description = ${after.description}, homepage = ${after.homepageUrl},
    is_template = ${after.isTemplate}, updated_at = ${context.now()} where id = ${id}`.execute(db);
  if (isEdited) await recordRepositoryEvent(db, context, id, 'edited', { changes });
}
