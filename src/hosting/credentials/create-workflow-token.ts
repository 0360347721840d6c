import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type Issued, unknownPermissions } from './create-token.ts';
import { insertCredential } from './insert-credential.ts';

/** Maximum duration of a workflow run. */
const lifetimeMs = 24 * 60 * 60_000;

/**
 * Creates the token of a workflow run in a repository, limited to the requesting token.
 *
 * @throws 422 for unknown permissions; 404 for an unknown repository; 403 for missing rights.
 */
export async function createWorkflowToken(
  context: Context,
  address: RepositoryAddress,
  permissions: PermissionMap,
): Promise<Issued> {
  const problems = unknownPermissions(permissions);
  if (problems.length > 0) throw validationFailed(problems);
  // Checked before the repository is loaded, so that credentials that cannot create tokens get the same error for all
  // addresses.
  assertGrantable(context.actor, { permissions, reachesPrivate: false });
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const grant = assertGrantable(context.actor, {
    permissions,
    reachesPrivate: found.isPrivate,
    expiresAt: new Date(context.now().getTime() + lifetimeMs),
  });
  return context.transaction(db =>
    insertCredential(db, { kind: 'workflow', permissions, repositories: [found.databaseId], ...grant }, context.now()),
  );
}
