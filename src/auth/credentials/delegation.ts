import type { Level, PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { validationFailed } from '../../errors/errors.ts';
import type { Actor, InheritedBounds } from '../actor.ts';
import { hasPermission, hasTokenScope, notAccessibleTo } from '../hosting-scopes.ts';
import { coversPermission, intersectPermissions, isRepositoryPermission } from '../scope-coverage.ts';

/**
 * What a credential may give away: the effective authority, with all that is above the credential taken into account.
 * `mints`: what a kind may make. A credential that was narrowed itself makes nothing, but for an app's token for a user, which
 * the app may narrow once more.
 */
export interface Authority {
  /** Number of the credential; null for an app, whose children hang on its installation and its key. */
  id: number | null;
  /** Of the secret that the caller has; null for an app. */
  lastEight: string | null;
  mayIssue: 'anything' | 'narrower' | 'nothing';
  /** Of a classic or OAuth token. */
  scopes: readonly string[] | null;
  /** Of other kinds; null where nothing but the scopes bound them. */
  permissions: PermissionMap | null;
  reachesPrivate: boolean;
  /** Organizations with single sign-on that it is authorized for; null where it needs no authorization. */
  ssoOrganizations: readonly number[] | null;
  expiresAt: Date | null;
  depth: number;
}

/** What is asked for. What is left out is not asked for. */
export interface GrantRequest {
  scopes?: readonly string[];
  permissions?: PermissionMap;
  /** Whether private repositories are within it; by default where a permission is about repositories. */
  reachesPrivate?: boolean;
  /**
   * That nothing new is made, but a token that is there is let into an organization with single sign-on: a credential that
   * makes no other may do that.
   */
  isAuthorization?: true;
  /** An organization with single sign-on that the credential is to be good for. */
  ssoOrganizationId?: number | undefined;
  /** Null for ever. */
  expiresAt?: Date | null | undefined;
}

/** What the row of a child says of its parent. */
export interface GrantedParent {
  parentId: number | null;
  /** Of the secret that the parent was used with: nothing is made with one that was replaced meanwhile. */
  parentLastEight: string | null;
  expiresAt: Date | null;
}

export type GrantDecision =
  | { granted: GrantedParent }
  | { refused: 'kind' | 'scopes' | 'permissions' | 'private' | 'organization' | 'depth' };

/** Longest way from a token to the one that a person or the operator made. A look-up walks it. */
const maxDepth = 16;

/**
 * The one decision on every way to make or to widen a credential: a child never exceeds its parent in scopes, permissions,
 * repositories, organizations or time. What exceeds it is refused, but for the time, which is shortened: a caller who leaves
 * the expiry out does not ask for for ever. Repositories by name and roles are looked at where rows are read.
 */
export function decideGrant(parent: Authority, request: GrantRequest): GrantDecision {
  if (parent.mayIssue === 'nothing' && !request.isAuthorization) return { refused: 'kind' };
  if (parent.mayIssue === 'narrower' && request.scopes) return { refused: 'kind' };
  if (parent.depth + 1 >= maxDepth) return { refused: 'depth' };
  const { scopes, permissions } = parent;
  if (request.scopes?.some(one => !scopes || !hasTokenScope(scopes, [one]))) return { refused: 'scopes' };
  const asked = Object.entries(request.permissions ?? {}) as [string, Level][];
  const covers = ([name, level]: [string, Level]): boolean =>
    (scopes === null || coversPermission(scopes, name, level)) &&
    (permissions === null || hasPermission(permissions, name, level));
  if (!asked.every(covers)) return { refused: 'permissions' };
  const reachesPrivate = request.reachesPrivate ?? asked.some(([name]) => isRepositoryPermission(name));
  if (reachesPrivate && !parent.reachesPrivate) return { refused: 'private' };
  const { ssoOrganizationId } = request;
  if (ssoOrganizationId !== undefined && parent.ssoOrganizations?.includes(ssoOrganizationId) === false) {
    return { refused: 'organization' };
  }
  const expiresAt = earliest(parent.expiresAt, request.expiresAt ?? null);
  return { granted: { parentId: parent.id, parentLastEight: parent.lastEight, expiresAt } };
}

function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/** The grant, or the published refusal: 403 in the words for the caller's kind, 422 for a chain that is too long. */
export function assertGrantable(actor: Actor, request: GrantRequest): GrantedParent {
  const decision = decideGrant(authorityOf(actor), request);
  if ('granted' in decision) return decision.granted;
  if (decision.refused !== 'depth') throw notAccessibleTo(actor);
  throw validationFailed([], `There are at most ${maxDepth} tokens between a token and the one that it goes back to.`);
}

const noAuthority: Authority = {
  id: null,
  lastEight: null,
  mayIssue: 'nothing',
  scopes: null,
  permissions: {},
  reachesPrivate: false,
  ssoOrganizations: [],
  expiresAt: null,
  depth: 0,
};

/** The authority of the caller. */
export function authorityOf(actor: Actor): Authority {
  if (actor.kind === 'app') {
    const until = actor.expiresAt == null ? null : new Date(actor.expiresAt);
    return authorityWithin({ id: null }, 'narrower', actor.bounds, actor.bounds?.permissions ?? null, until);
  }
  if (actor.kind !== 'user') return noAuthority;
  const { credential } = actor;
  const { expiresAt, bounds } = credential;
  const until = expiresAt === null ? null : new Date(expiresAt);
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return {
        ...authorityWithin(credential, 'anything', bounds, null, until),
        scopes: credential.scopes,
        reachesPrivate: hasTokenScope(credential.scopes, ['repo']),
        ...(credential.kind === 'classic' ? { ssoOrganizations: credential.ssoOrganizations } : {}),
      };
    case 'user_to_server':
      return authorityWithin(credential, 'narrower', bounds, credential.ceiling ?? null, until);
    case 'fine_grained': {
      const { permissions, resourceOwnerId, selection } = credential;
      const own = authorityWithin(credential, 'nothing', bounds, permissions, until);
      const isGood = selection === 'all' && own.ssoOrganizations?.includes(resourceOwnerId) !== false;
      return { ...own, ssoOrganizations: isGood ? [resourceOwnerId] : [] };
    }
  }
}

function authorityWithin(
  { id, lastEight = null }: { id: number | null; lastEight?: string | null },
  mayIssue: Authority['mayIssue'],
  bounds: InheritedBounds | undefined,
  permissions: PermissionMap | null,
  expiresAt: Date | null,
): Authority {
  const { reachesPrivate = true, ssoOrganizations = null, depth = 0 } = bounds ?? {};
  return { id, lastEight, mayIssue, scopes: null, permissions, reachesPrivate, ssoOrganizations, expiresAt, depth };
}

/** The authority of an app where it is installed: what the installation was given, within what is above both. */
export function installationAuthority(
  app: Authority,
  installationPermissions: PermissionMap,
  installerBounds: InheritedBounds | undefined,
): Authority {
  const { reachesPrivate = true, permissions = null, depth = 0 } = installerBounds ?? {};
  const covered = permissions ? intersectPermissions(installationPermissions, permissions) : installationPermissions;
  return {
    ...app,
    permissions: app.permissions ? intersectPermissions(covered, app.permissions) : covered,
    reachesPrivate: reachesPrivate && app.reachesPrivate,
    depth: app.depth + depth,
  };
}
