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
  const { name, isPrivate, isArchived } = change;
  const problems = [...(name == null ? [] : nameProblems(name)), ...settingProblems(change)];
  if (problems.length > 0) throw validationFailed(problems);
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const { databaseId: id } = found;
  await context.transaction(async db => {
    if (name != null) await renameRepository(db, context, { id, name });
    await changeSettings(db, context, id, change);
    if (isPrivate != null) await setVisibility(db, context, id, isPrivate);
    if (isArchived != null) await changeArchived(db, context, id, isArchived);
  });
  return id;
}

interface Settings {
  description: string | null;
  homepageUrl: string | null;
  isTemplate: boolean;
  defaultBranch: string;
}

/** @throws 422 for a default branch that does not exist */
async function changeSettings(
  db: Kysely<unknown>,
  context: Context,
  id: number,
  { description, homepageUrl, isTemplate, defaultBranch }: RepositoryChange,
): Promise<void> {
  const locked = await sql<Settings & { hasBranch: boolean }>`
    select r.description, r.homepage as "homepageUrl", r.is_template as "isTemplate", r.default_branch as "defaultBranch",
      exists (select 1 from git_ref g where g.repository_id = r.id and g.name = ${`refs/heads/${defaultBranch ?? ''}`}) as "hasBranch"
    from repository r where r.id = ${id} for update of r`.execute(db);
  const [before] = locked.rows;
  if (!before) throw notFound();
  const after: Settings = {
    description: description === undefined ? before.description : description || null,
    homepageUrl: homepageUrl === undefined ? before.homepageUrl : homepageUrl,
    isTemplate: isTemplate ?? before.isTemplate,
    defaultBranch: defaultBranch ?? before.defaultBranch,
  };
  if (after.defaultBranch !== before.defaultBranch && !before.hasBranch) {
    const message = `The branch ${defaultBranch} was not found. Push it or create it first.`;
    throw validationFailed([{ resource: 'Repository', field: 'default_branch', code: 'custom', message }]);
  }
  const changes = {
    ...(after.description !== before.description && { description: { from: before.description } }),
    ...(after.homepageUrl !== before.homepageUrl && { homepage: { from: before.homepageUrl } }),
    ...(after.defaultBranch !== before.defaultBranch && { default_branch: { from: before.defaultBranch } }),
  };
  const isEdited = Object.keys(changes).length > 0;
  if (!isEdited && after.isTemplate === before.isTemplate) return;
  await sql`update repository set description = ${after.description}, homepage = ${after.homepageUrl},
    is_template = ${after.isTemplate}, default_branch = ${after.defaultBranch}, updated_at = ${context.now()} where id = ${id}`.execute(
    db,
  );
  if (isEdited) await recordRepositoryEvent(db, context, id, 'edited', { changes });
}
