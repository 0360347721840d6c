import type { Level, PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { validationFailed } from '../../errors/errors.ts';
import type { Actor, InheritedBounds } from '../actor.ts';
import { notAccessibleTo } from '../check-hosting-scope.ts';
import { coversPermission, intersectPermissions, isRepositoryPermission } from '../scope-coverage.ts';
import { hasPermission, hasTokenScope } from '../token-scopes.ts';

/**
 * What a credential may delegate: its effective authority, with the bounds of its ancestors applied.
 * `mints`: what its kind may issue. A credential that was narrowed issues nothing, except that an app may narrow its token for a
 * user once more.
 */
export interface Authority {
  /** Id of the credential; null for an app, whose children have its installation and its key as parents. */
  id: number | null;
  /** Last eight characters of the secret that the caller sent; null for an app. */
  lastEight: string | null;
  mayIssue: 'anything' | 'narrower' | 'nothing';
  /** Scopes of a classic or OAuth token; null for other kinds. */
  scopes: readonly string[] | null;
  /** Permissions of other kinds; null when only the scopes bound them. */
  permissions: PermissionMap | null;
  reachesPrivate: boolean;
  /** Ids of the SSO-enforcing organizations that it is authorized for; null when it needs no authorization. */
  ssoOrganizations: readonly number[] | null;
  expiresAt: Date | null;
  depth: number;
}

/** What the new credential is to have. An absent member is not requested. */
export interface GrantRequest {
  scopes?: readonly string[];
  permissions?: PermissionMap;
  /** Whether it is to reach private repositories; by default when a requested permission is one on repositories. */
  reachesPrivate?: boolean;
  /**
   * Authorizes an existing token for an organization that enforces SSO instead of issuing a new one. A credential that may
   * issue nothing may do that.
   */
  isAuthorization?: true;
  /** An organization that enforces SSO and that the credential is to be authorized for. */
  ssoOrganizationId?: number | undefined;
  /** Null or absent: no expiry of its own. */
  expiresAt?: Date | null | undefined;
}

/** What the row of the new credential records of its parent. */
export interface GrantedParent {
  parentId: number | null;
  /**
   * Last eight characters of the secret that the parent was used with. A secret that was replaced in the meantime issues
   * nothing.
   */
  parentLastEight: string | null;
  expiresAt: Date | null;
}

export type GrantDecision =
  | { granted: GrantedParent }
  | { refused: 'kind' | 'scopes' | 'permissions' | 'private' | 'organization' | 'depth' };

/** Longest chain from a token to the one that a user or the operator created. Each lookup walks it. */
const maxDepth = 16;

/**
 * Decides whether a credential may be issued or widened; every write function that does either asks it. A child never exceeds
 * its parent in scopes, permissions, repositories, organizations or lifetime. An excess is refused, except that the lifetime is
 * shortened, because a caller who omits the expiry does not ask for an unlimited one. Named repositories and roles are checked
 * where their rows are read.
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

/**
 * Decides the grant.
 *
 * @throws GraphQLError FORBIDDEN (403) with the message for the kind of caller, or 422 when the chain is too long
 */
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

/** The effective authority of the caller. */
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

/**
 * The authority of an app in one installation: the permissions of the installation, within the bounds of the app and of the
 * credential that installed it.
 */
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
