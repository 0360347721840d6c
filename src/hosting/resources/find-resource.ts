import type { Context } from '../../context/context.ts';
import { accountByFormerLogin, accountById, accountByLogin } from '../accounts/accounts.queries.ts';
import { repositoryByFormerName, repositoryFor } from '../repositories/repositories.queries.ts';

/** A thing that paths name: by a number that stays, or by words that may change. */
export type ResourceLookup = { id: number } | { names: Readonly<Record<string, string>> };

export interface FoundResource {
  id: number;
  /** The names in its path, as they are now. */
  names: Record<string, string>;
  /** It was asked for by names that it has no more. */
  moved?: boolean;
}

const nothing = new Map();

/**
 * Where a path leads that begins with `/repos/{owner}/{repo}`, `/orgs/{org}` or `/users/{username}`, or with the number of
 * one; undefined where there is nothing the caller may see. Throws 403 where single sign-on alone stands in the way.
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
      throw new TypeError(`Nobody knows where a ${kind} is.`);
  }
}

async function findRepository(context: Context, lookup: ResourceLookup): Promise<FoundResource | undefined> {
  const asked = 'id' in lookup ? lookup : { owner: lookup.names.owner ?? '', name: lookup.names.repo ?? '' };
  const found = await repositoryFor(context, asked, 'metadata:read');
  if (found) return { id: found.databaseId, names: { owner: found.ownerLogin, repo: found.name } };
  if ('id' in asked) return undefined;
  const former = await repositoryByFormerName(context, asked.owner, asked.name);
  return former ? { id: former.id, names: { owner: former.owner, repo: former.name }, moved: true } : undefined;
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
  return former ? { id: former.id, names: { [name]: former.login }, moved: true } : undefined;
}
