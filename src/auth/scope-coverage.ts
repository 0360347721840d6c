import { type Level, levels, type PermissionMap } from '../../schema/hosting/permission-map.ts';
import { hostingScopes, permissionNames } from './hosting-scopes.ts';
import { hasTokenScope } from './token-scopes.ts';

/** Permissions that no access scope requires alone, or whose access scope lists no token scopes. */
const additionalTokenScopes: ReadonlyMap<string, readonly string[]> = new Map([
  ['workflows', ['workflow']],
  ['actions', ['public_repo']],
  ['organization_events', ['admin:org']],
]);

const requirements = Object.values(hostingScopes).flatMap(({ requirement, tokenScopes }) =>
  requirement ? [{ ...requirement, tokenScopes }] : [],
);

/**
 * Whether the scopes of a classic or OAuth token allow everything that a permission at this level allows. Derived from the
 * table of access scopes, which lists both for each of them. `public_repo` covers a permission on repositories; whether it
 * reaches private ones is checked separately.
 */
export function coversPermission(scopes: readonly string[], name: string, level: Level): boolean {
  const own = requirements.filter(({ permission }) => permission === name);
  const atMostLevel = own.filter(requirement => levels.indexOf(requirement.level) <= levels.indexOf(level));
  // `emails: read` has no access scope of its own. It needs what the lowest level with one needs.
  const neededScopes = (atMostLevel.length > 0 ? atMostLevel : own).flatMap(requirement => {
    if (requirement.tokenScopes.length === 0) return [];
    return [
      requirement.target === 'repository' ? [...requirement.tokenScopes, 'public_repo'] : requirement.tokenScopes,
    ];
  });
  const extra = additionalTokenScopes.get(name);
  if (own.length === 0 && extra === undefined) return false;
  return [...neededScopes, ...(extra ? [extra] : [])].every(alternatives => hasTokenScope(scopes, alternatives));
}

/** The highest level of each permission that these scopes cover. */
export function permissionsCoveredBy(scopes: readonly string[]): PermissionMap {
  const permissions: Record<string, Level> = {};
  for (const name of permissionNames) {
    const level = levels.findLast(one => coversPermission(scopes, name, one));
    if (level !== undefined) permissions[name] = level;
  }
  return permissions;
}

/** The permissions in repositories and organizations that allow what these scopes allow. */
export function permissionsEquivalentTo(scopes: readonly string[]): PermissionMap {
  const permissions: Record<string, Level> = {};
  for (const { permission, level, target, tokenScopes: accepted } of requirements) {
    const before = permissions[permission];
    if (target === 'user' || !hasTokenScope(scopes, accepted)) continue;
    if (before === undefined || levels.indexOf(before) < levels.indexOf(level)) permissions[permission] = level;
  }
  return hasTokenScope(scopes, ['workflow']) ? { ...permissions, workflows: 'write' } : permissions;
}

/** Whether the permission applies to repositories. */
export const isRepositoryPermission = (name: string): boolean =>
  name === 'workflows' ||
  name === 'actions' ||
  requirements.some(requirement => requirement.permission === name && requirement.target === 'repository');

/** The intersection: of each permission that both have, the lower level. */
export function intersectPermissions(one: PermissionMap, other: PermissionMap): PermissionMap {
  const both: Record<string, Level> = {};
  for (const [name, level] of Object.entries(one)) {
    const second = other[name];
    if (second !== undefined) both[name] = levels.indexOf(level) < levels.indexOf(second) ? level : second;
  }
  return both;
}

/** The scopes that every one of `others` covers. A wide scope that is not covered is replaced by the narrower ones that are. */
export function intersectTokenScopes(
  scopes: readonly string[],
  others: readonly (readonly string[])[],
  all: readonly string[],
): string[] {
  const isCommon = (name: string): boolean => others.every(held => hasTokenScope(held, [name]));
  const whole = scopes.filter(isCommon);
  if (whole.length === scopes.length) return whole;
  return [
    ...whole,
    ...all.filter(name => hasTokenScope(scopes, [name]) && isCommon(name) && !hasTokenScope(whole, [name])),
  ];
}
