import { checkHostingScope } from '../auth/check-hosting-scope.ts';
import type { Context } from '../context/context.ts';
import type { OwnedRow } from '../hosting/repositories/repositories.queries.ts';
import { repositoryByFormerName, repositoryFor } from '../hosting/repositories/repositories.queries.ts';
import { GitHttpError } from './git-http-error.ts';
import type { GitRoute } from './git-route.ts';

/** The challenge by which git asks for a user name and a password. */
export const credentialWanted = (message: string, headers: Readonly<Record<string, string>> = {}): GitHttpError =>
  new GitHttpError(401, message, { ...headers, 'WWW-Authenticate': 'Basic realm="Portico", charset="UTF-8"' });

/** A repository with another address. */
export interface MovedRepository {
  location: string;
}

/**
 * The repository of a request, for reading or for pushing, by the rules of the REST API.
 * @throws GitHttpError 401 when a credential could help, 404 when it cannot; GraphQLError 403 when the caller sees the repository
 *   and may not do this
 */
export async function findGitRepository(
  context: Context,
  { owner, name, tail }: GitRoute,
  scope: 'contents:read' | 'contents:write',
): Promise<OwnedRow | MovedRepository> {
  const isAnonymous = context.actor.kind === 'anonymous';
  if (scope === 'contents:write' && isAnonymous) throw credentialWanted('A push needs a token.');
  const found = await repositoryFor(context, { owner, name }, 'metadata:read');
  if (!found) {
    const moved = await repositoryByFormerName(context, owner, name);
    if (moved) return { location: `${context.origin}/${moved.owner}/${moved.name}${tail}` };
    // Whether it exists is not to be seen: the answer is the same for a private repository and for none.
    if (isAnonymous) throw credentialWanted('There is no such repository, or it needs a token.');
    throw new GitHttpError(404, 'Repository not found.');
  }
  const allowed = checkHostingScope(scope, context.actor);
  if (allowed !== true) throw allowed;
  const row = await repositoryFor(context, { owner, name }, scope);
  if (!row) throw new GitHttpError(404, 'Repository not found.');
  return row;
}
