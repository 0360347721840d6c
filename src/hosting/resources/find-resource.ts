import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { accountByFormerLogin, accountById, accountByLogin } from '../accounts/accounts.queries.ts';
import { repositoryByFormerName, repositoryFor } from '../repositories/repositories.queries.ts';

/** A resource in a URL path: identified by its permanent id, or by names that may change. */
export type ResourceLookup = { id: number } | { names: Readonly<Record<string, string>> };

export interface FoundResource {
  id: number;
  /** The current names, by path parameter. */
  names: Record<string, string>;
  /** Whether it was requested by former names. */
  hasMoved?: boolean;
}

const nothing = new Map();

/**
 * Finds the resource of a path such as `/repos/{owner}/{repo}`, `/orgs/{org}` or `/users/{username}`, or its form with
 * an id; undefined when the caller may not see it.
 *
 * A REST write calls this before its body is read, so that nobody uploads to a repository that moved or is not visible; the
 * write function then looks the repository up again with its own permission. The second lookup is deliberate: the upload
 * may take minutes, and the decision must not be older than the write.
 * @throws 403 when only single sign-on is missing
 */
export function findResource(
  context: Context,
  kind: string,
  lookup: ResourceLookup,
): Promise<FoundResource | undefined> {
  switch (kind) {
    case 'repository':
      return findRepository(context, lookup);
    case 'organization':
      return findAccount(context, 'org', lookup, 'organization');
    case 'user':
      return findAccount(context, 'username', lookup);
    default:
      throw new TypeError(`Unknown kind of resource: ${kind}.`);
  }
}

async function findRepository(context: Context, lookup: ResourceLookup): Promise<FoundResource | undefined> {
  const asked = 'id' in lookup ? lookup : { owner: lookup.names.owner ?? '', name: lookup.names.repo ?? '' };
  const found =
    (await repositoryFor(context, asked, 'metadata:read')) ??
    // Its own scope reaches the hooks of a private repository, and nothing else of it.
    (holdsHookScope(context) ? await repositoryFor(context, asked, 'hooks:read') : null);
  if (found) return { id: found.databaseId, names: { owner: found.ownerLogin, repo: found.name } };
  if ('id' in asked) return undefined;
  const former = await repositoryByFormerName(context, asked.owner, asked.name);
  return former ? { id: former.id, names: { owner: former.owner, repo: former.name }, hasMoved: true } : undefined;
}

function holdsHookScope({ actor }: Context): boolean {
  if (actor.kind !== 'user') return false;
  const { credential } = actor;
  return 'scopes' in credential && hasTokenScope(credential.scopes, ['read:repo_hook']);
}

async function findAccount(
  context: Context,
  name: string,
  lookup: ResourceLookup,
  kind?: 'organization',
): Promise<FoundResource | undefined> {
  const text = 'id' in lookup ? '' : (lookup.names[name] ?? '');
  const found =
    'id' in lookup
      ? await accountById(context, lookup.id, nothing, kind)
      : await accountByLogin(context, text, nothing, kind);
  if (found) return { id: found.databaseId, names: { [name]: found.login } };
  const former = 'id' in lookup ? null : await accountByFormerLogin(context, text, kind);
  return former ? { id: former.id, names: { [name]: former.login }, hasMoved: true } : undefined;
}
