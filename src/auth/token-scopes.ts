import { type Level, levels, type PermissionMap } from '../../schema/hosting/permission-map.ts';

/** Scope → the narrower scopes that it implies. */
const impliedTokenScopes: ReadonlyMap<string, readonly string[]> = new Map([
  ['repo', ['public_repo', 'repo:invite']],
  ['admin:org', ['write:org', 'read:org']],
  ['write:org', ['read:org']],
  ['admin:repo_hook', ['write:repo_hook', 'read:repo_hook']],
  ['write:repo_hook', ['read:repo_hook']],
  ['admin:public_key', ['write:public_key', 'read:public_key']],
  ['write:public_key', ['read:public_key']],
  ['user', ['read:user', 'user:email', 'user:follow']],
]);

/** Every scope of classic and OAuth tokens. */
export const tokenScopeNames: readonly string[] = [
  'repo',
  'public_repo',
  'repo:invite',
  'workflow',
  'admin:org',
  'write:org',
  'read:org',
  'admin:repo_hook',
  'write:repo_hook',
  'read:repo_hook',
  'admin:org_hook',
  'admin:public_key',
  'write:public_key',
  'read:public_key',
  'admin:signing_key',
  'notifications',
  'user',
  'read:user',
  'user:email',
  'user:follow',
  'site_admin',
];

/** Whether `scopes` include one of `accepted`, directly or implied by a wider scope. */
export function hasTokenScope(scopes: readonly string[], accepted: readonly string[]): boolean {
  return accepted.some(one => scopes.includes(one) || scopes.some(held => impliedTokenScopes.get(held)?.includes(one)));
}

/** Whether `permissions` include `name` at `level` or higher. Any permission implies metadata: read. */
export function hasPermission(permissions: PermissionMap, name: string, level: Level): boolean {
  if (name === 'metadata' && level === 'read') return true;
  const held = permissions[name];
  return held !== undefined && levels.indexOf(held) >= levels.indexOf(level);
}
