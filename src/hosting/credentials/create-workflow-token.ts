import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { notByKind } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type Issued, unknownPermissions } from './create-token.ts';
import { insertCredential } from './insert-credential.ts';

/** A run of workflow automation lasts no longer. */
const life = 24 * 60 * 60_000;

/** Makes the token of one run of workflow automation in a repository. */
export async function createWorkflowToken(
  context: Context,
  address: RepositoryAddress,
  permissions: PermissionMap,
): Promise<Issued> {
  const problems = unknownPermissions(permissions);
  if (problems.length > 0) throw ruleBroken(problems);
  // A token that was itself narrowed shall not widen itself.
  if (context.actor.kind !== 'user' || !('scopes' in context.actor.credential)) throw notByKind(context.actor);
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const expiresAt = new Date(context.now().getTime() + life);
  return context.transaction(db =>
    insertCredential(db, { kind: 'workflow', permissions, repositories: [found.databaseId], expiresAt }, context.now()),
  );
}
