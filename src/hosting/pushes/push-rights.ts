import { sql } from 'kysely';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import type { Read } from '../../db/read.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import type { RefChange } from './prepared-push.ts';
import { changesWorkflows } from './workflow-changes.ts';

/** What a caller may do by a push beyond writing. A push without these is one of the installation itself, which may all. */
export interface PushRights {
  /** The folder of the root that workflows are below: .host */
  brandFolder: string;
  /** Whether the credential may change those. `read`: of the transaction. */
  mayChangeWorkflows(read: Read): Promise<boolean>;
}

const brandFolder = ({ HOSTING_BRAND }: Pick<Context['config'], 'HOSTING_BRAND'>): string => `.${HOSTING_BRAND}`;

/** Where the files stand that workflow automation runs; with a slash at the end. */
export const workflowFolder = (config: Pick<Context['config'], 'HOSTING_BRAND'>): string =>
  `${brandFolder(config)}/workflows/`;

/** Who pushes, as a push is told: a user, an app, or for a workflow nobody. */
export function pusherFor(
  { actor, config }: Pick<Context, 'actor' | 'config'>,
  { ownerId }: Pick<OwnedRow, 'ownerId'>,
): { pusherId?: number; pusherAppId?: number; rights: PushRights } {
  const rights: PushRights = {
    brandFolder: brandFolder(config),
    mayChangeWorkflows: read => mayChangeWorkflows({ actor, read }, ownerId),
  };
  if (actor.kind === 'user') return { pusherId: actor.accountId, rights };
  return actor.kind === 'installation' ? { pusherAppId: actor.appId, rights } : { rights };
}

/**
 * Refuses what the caller may not do, whichever way the commits came: changes of workflows, because whoever may change those
 * may run programs, told as absence, which is published so; and that the default branch goes, which nobody may.
 */
export async function assertPushRights(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
  { brandFolder, mayChangeWorkflows: may }: PushRights,
): Promise<void> {
  await assertDefaultBranchKept(repository, changes);
  if (!(await changesWorkflows(repository, changes, brandFolder, { isThorough: false }))) return;
  if (await may(repository.read)) return;
  if (await changesWorkflows(repository, changes, brandFolder, { isThorough: true })) throw notFound();
}

async function assertDefaultBranchKept(
  { id, read }: RepositoryInTransaction,
  changes: readonly RefChange[],
): Promise<void> {
  const gone = changes.filter(change => change.new === undefined).map(({ ref }) => ref);
  if (gone.length === 0) return;
  // Locked, so that a branch does not become the default one while it goes.
  const rows = await read(sql`select 1 from repository
    where id = ${id} and 'refs/heads/' || default_branch = any(${gone}::text[]) for no key update`);
  if (rows.length > 0) throw validationFailed([], 'The default branch cannot be deleted.');
}

/** The scope `workflow`, or workflows: write. */
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
