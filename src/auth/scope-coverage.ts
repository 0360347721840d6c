import { type Level, levels, type PermissionMap } from '../../schema/hosting/permission-map.ts';
import { hasScope, hostingWords, permissionNames } from './hosting-words.ts';

/** Permissions that no access word needs by itself, or whose word asks no scope of tokens that it never lets in. */
const further: Readonly<Record<string, readonly string[]>> = {
  workflows: ['workflow'],
  actions: ['public_repo'],
  organization_events: ['admin:org'],
};

const words = Object.values(hostingWords).flatMap(({ need, scopes }) => (need ? [{ ...need, scopes }] : []));

/**
 * Whether a classic or OAuth token with these scopes may do all that a permission at this level lets another token do. Made
 * from the table of access words: what needs the permission in one column needs the scopes in the other. Of a permission on
 * repositories `public_repo` covers the level; whether private repositories are within reach is a question of its own.
 */
export function coversPermission(scopes: readonly string[], name: string, level: Level): boolean {
  const own = words.filter(({ permission }) => permission === name);
  const within = own.filter(word => levels.indexOf(word.level) <= levels.indexOf(level));
  // emails: read has no word of its own. It takes what the lowest level with a word takes.
  const needed = (within.length > 0 ? within : own).flatMap(word => {
    if (word.scopes.length === 0) return [];
    return [word.on === 'repository' ? [...word.scopes, 'public_repo'] : word.scopes];
  });
  const extra = further[name];
  if (own.length === 0 && extra === undefined) return false;
  return [...needed, ...(extra ? [extra] : [])].every(alternatives => hasScope(scopes, alternatives));
}

/** The highest level of each permission that the scopes cover. */
export function permissionsWithin(scopes: readonly string[]): PermissionMap {
  const held: Record<string, Level> = {};
  for (const name of permissionNames) {
    const level = levels.findLast(one => coversPermission(scopes, name, one));
    if (level !== undefined) held[name] = level;
  }
  return held;
}

/** The permissions in repositories and organizations that another token needs to do what these scopes let a token do. */
export function permissionsBehind(scopes: readonly string[]): PermissionMap {
  const held: Record<string, Level> = {};
  for (const { permission, level, on, scopes: accepted } of words) {
    const before = held[permission];
    if (on === 'user' || !hasScope(scopes, accepted)) continue;
    if (before === undefined || levels.indexOf(before) < levels.indexOf(level)) held[permission] = level;
  }
  return hasScope(scopes, ['workflow']) ? { ...held, workflows: 'write' } : held;
}

/** Whether the permission is about repositories. */
export const isAboutRepositories = (name: string): boolean =>
  name === 'workflows' ||
  name === 'actions' ||
  words.some(word => word.permission === name && word.on === 'repository');

/** Of each permission the lower level of the two; what one of them lacks is not there. */
export function lesser(one: PermissionMap, other: PermissionMap): PermissionMap {
  const both: Record<string, Level> = {};
  for (const [name, level] of Object.entries(one)) {
    const second = other[name];
    if (second !== undefined) both[name] = levels.indexOf(level) < levels.indexOf(second) ? level : second;
  }
  return both;
}

/** The scopes that are within every one of `others`; of a wide scope the narrower ones that are. */
export function commonScopes(
  scopes: readonly string[],
  others: readonly (readonly string[])[],
  all: readonly string[],
): string[] {
  const isCommon = (name: string): boolean => others.every(held => hasScope(held, [name]));
  const whole = scopes.filter(isCommon);
  if (whole.length === scopes.length) return whole;
  return [...whole, ...all.filter(name => hasScope(scopes, [name]) && isCommon(name) && !hasScope(whole, [name]))];
}
