import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type Issued, unknownPermissions } from './create-token.ts';
import { insertCredential } from './insert-credential.ts';

/** A run of workflow automation lasts no longer. */
const lifetimeMs = 24 * 60 * 60_000;

/** Makes the token of one run of workflow automation in a repository: no more than the token that asks for it may there. */
export async function createWorkflowToken(
  context: Context,
  address: RepositoryAddress,
  permissions: PermissionMap,
): Promise<Issued> {
  const problems = unknownPermissions(permissions);
  if (problems.length > 0) throw validationFailed(problems);
  // Before the repository is looked up: a kind that makes no tokens is refused in its own words whatever the address.
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
