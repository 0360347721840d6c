import { type Level, levels, type PermissionMap } from '../../schema/hosting/permission-map.ts';
import { hasTokenScope, hostingScopes, permissionNames } from './hosting-scopes.ts';

/** Permissions that no access word needs by itself, or whose word asks no scope of tokens that it never lets in. */
const additionalTokenScopes: Readonly<Record<string, readonly string[]>> = {
  workflows: ['workflow'],
  actions: ['public_repo'],
  organization_events: ['admin:org'],
};

const requirements = Object.values(hostingScopes).flatMap(({ requirement, tokenScopes }) =>
  requirement ? [{ ...requirement, tokenScopes }] : [],
);

/**
 * Whether a classic or OAuth token with these scopes may do all that a permission at this level lets another token do. Made
 * from the table of access words: what needs the permission in one column needs the scopes in the other. Of a permission on
 * repositories `public_repo` covers the level; whether private repositories are within reach is a question of its own.
 */
export function coversPermission(scopes: readonly string[], name: string, level: Level): boolean {
  const own = requirements.filter(({ permission }) => permission === name);
  const atMostLevel = own.filter(word => levels.indexOf(word.level) <= levels.indexOf(level));
  // emails: read has no word of its own. It takes what the lowest level with a word takes.
  const needed = (atMostLevel.length > 0 ? atMostLevel : own).flatMap(word => {
    if (word.tokenScopes.length === 0) return [];
    return [word.target === 'repository' ? [...word.tokenScopes, 'public_repo'] : word.tokenScopes];
  });
  const extra = additionalTokenScopes[name];
  if (own.length === 0 && extra === undefined) return false;
  return [...needed, ...(extra ? [extra] : [])].every(alternatives => hasTokenScope(scopes, alternatives));
}

/** The highest level of each permission that the scopes cover. */
export function permissionsCoveredBy(scopes: readonly string[]): PermissionMap {
  const permissions: Record<string, Level> = {};
  for (const name of permissionNames) {
    const level = levels.findLast(one => coversPermission(scopes, name, one));
    if (level !== undefined) permissions[name] = level;
  }
  return permissions;
}

/** The permissions in repositories and organizations that another token needs to do what these scopes let a token do. */
export function permissionsEquivalentTo(scopes: readonly string[]): PermissionMap {
  const permissions: Record<string, Level> = {};
  for (const { permission, level, target, tokenScopes: accepted } of requirements) {
    const before = permissions[permission];
    if (target === 'user' || !hasTokenScope(scopes, accepted)) continue;
    if (before === undefined || levels.indexOf(before) < levels.indexOf(level)) permissions[permission] = level;
  }
  return hasTokenScope(scopes, ['workflow']) ? { ...permissions, workflows: 'write' } : permissions;
}

/** Whether the permission is about repositories. */
export const isRepositoryPermission = (name: string): boolean =>
  name === 'workflows' ||
  name === 'actions' ||
  requirements.some(word => word.permission === name && word.target === 'repository');

/** Of each permission the lower level of the two; what one of them lacks is not there. */
export function intersectPermissions(one: PermissionMap, other: PermissionMap): PermissionMap {
  const both: Record<string, Level> = {};
  for (const [name, level] of Object.entries(one)) {
    const second = other[name];
    if (second !== undefined) both[name] = levels.indexOf(level) < levels.indexOf(second) ? level : second;
  }
  return both;
}

/** The scopes that are within every one of `others`; of a wide scope the narrower ones that are. */
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
