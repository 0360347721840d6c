import type { GraphQLError } from 'graphql';
import { sql } from 'kysely';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import type { Read } from '../../db/read.ts';
import { notFound } from '../../errors/errors.ts';
import type { ShapeLimits } from '../../git/object-shape.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { RefLimits } from '../../git/uncreatable-refs.ts';
import { gitProblems } from '../git-problems.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import type { RefChange } from './prepared-push.ts';
import { findWorkflowChanges, mayChangeWorkflowFiles } from './workflow-changes.ts';

/**
 * Permissions of a pusher beyond write access. A push without them is made by the installation itself and may do
 * everything.
 */
export interface PushRights {
  /** Root directory of the repository that contains the workflows directory: `.host`. */
  brandFolder: string;
  /** Whether the credential may change workflow files. `read` reads in the transaction of the push. */
  mayChangeWorkflows(read: Read): Promise<boolean>;
  /** Size from which a repository takes no further objects, in megabytes. */
  maxRepositoryMb: number;
  /** Of the repository after the push. */
  refs: RefLimits;
  /** Of each object that the push brings. */
  shape: ShapeLimits;
}

const brandFolder = ({ HOSTING_BRAND }: Pick<Context['config'], 'HOSTING_BRAND'>): string => `.${HOSTING_BRAND}`;

/** Directory of the workflow files, with a trailing slash. */
export const workflowFolder = (config: Pick<Context['config'], 'HOSTING_BRAND'>): string =>
  `${brandFolder(config)}/workflows/`;

/** Work of an error with its stack. */
const stepsPerError = 10;

/** Bytes of the name of a ref, on average, up to which a repository may have all its refs. */
const bytesPerRef = 100;

/** The limits of new objects. */
export const shapeLimits = (config: Context['config']): ShapeLimits => ({
  maxCommitBytes: config.COMMIT_MAX_KB * 1024,
  maxHeaderLines: config.COMMIT_MAX_HEADER_LINES,
  maxParents: config.COMMIT_MAX_PARENTS,
  maxTreeEntries: config.TREE_MAX_ENTRIES,
  maxPathBytes: config.PATH_MAX_BYTES,
  maxPathDepth: config.PATH_MAX_DEPTH,
});

/** The pusher of a request: a user, an app, or nobody for a workflow. */
export function pusherFor(
  { actor, config }: Pick<Context, 'actor' | 'config'>,
  { ownerId }: Pick<OwnedRow, 'ownerId'>,
): { pusherId?: number; pusherAppId?: number; rights: PushRights } {
  const rights: PushRights = {
    brandFolder: brandFolder(config),
    mayChangeWorkflows: read => mayChangeWorkflows({ actor, read }, ownerId),
    maxRepositoryMb: config.REPOSITORY_MAX_MB,
    refs: { maxRefs: config.REPOSITORY_MAX_REFS, maxRefBytes: config.REPOSITORY_MAX_REFS * bytesPerRef },
    shape: shapeLimits(config),
  };
  if (actor.kind === 'user') return { pusherId: actor.accountId, rights };
  return actor.kind === 'installation' ? { pusherAppId: actor.appId, rights } : { rights };
}

/**
 * The changes that the pusher may not make, however the commits arrived, and why: 404 for changes of workflow files without that
 * permission (they run programs; the published API answers 404); 422 for the deletion of the default branch.
 */
export async function pushRightsProblems(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
  { brandFolder, mayChangeWorkflows: may }: PushRights,
): Promise<Map<RefChange, GraphQLError>> {
  const problems = new Map<RefChange, GraphQLError>();
  const defaultBranch = await deletedDefaultBranch(repository, changes);
  for (const change of changes) {
    if (change.new === undefined && change.ref === defaultBranch)
      problems.set(change, gitProblems.defaultBranchDeleted());
  }
  if (!(await mayChangeWorkflowFiles(repository, changes, brandFolder))) return problems;
  if (await may(repository.read)) return problems;
  const { workBudget } = repository;
  for (const change of await findWorkflowChanges(repository, changes, brandFolder)) {
    workBudget.spendSteps(stepsPerError);
    if (workBudget.isTurnDue) await workBudget.turn();
    problems.set(change, notFound());
  }
  return problems;
}

/** Full name of the default branch when it is to be deleted. */
async function deletedDefaultBranch(
  { id, read }: RepositoryInTransaction,
  changes: readonly RefChange[],
): Promise<string | undefined> {
  const gone = changes.filter(change => change.new === undefined).map(({ ref }) => ref);
  if (gone.length === 0) return undefined;
  // Row lock: the branch must not become the default branch while it is deleted.
  const rows = await read<{ ref: string }>(sql`select 'refs/heads/' || default_branch as ref from repository
    where id = ${id} and 'refs/heads/' || default_branch = any(${gone}::text[]) for no key update`);
  return rows[0]?.ref;
}

/** Requires the scope `workflow` or the permission workflows: write. */
export async function mayChangeWorkflows(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ownerId: number,
): Promise<boolean> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') {
    return hasPermission(actor.permissions, 'workflows', 'write');
  }
  if (actor.kind !== 'user') return false;
  const { credential } = actor;
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasTokenScope(credential.scopes, ['workflow']);
    case 'fine_grained':
      return hasPermission(credential.permissions, 'workflows', 'write');
    case 'user_to_server': {
      if (credential.ceiling && !hasPermission(credential.ceiling, 'workflows', 'write')) return false;
      const given = await read(sql`select 1 from installation i where i.app_id = ${credential.appId}
        and i.account_id = ${ownerId} and ${isInstalled} and i.permissions ->> 'workflows' in ('write', 'admin')`);
      return given.length > 0;
    }
  }
}
