import { type Level, levels, type PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { forbidden } from '../../errors/errors.ts';
import type { Actor } from '../actor.ts';
import { needed, type StoredToken } from './stored-token.ts';

/** Milliseconds for which the token of an installation is good. */
export const installationTokenLife = 60 * 60_000;

/** A token of an app for one installation. What the installation has lost since, the token has lost too. */
export function installationActor(token: StoredToken, ip: string): Actor {
  const { id, expiresAt, permissions, selection, appId, installationId, installedOn } = token;
  if (token.installationSuspended) throw installationSuspended();
  const whole = token.installedSelection === 'all' ? 'all' : 'installation';
  return {
    kind: 'installation',
    ip,
    installationId: needed(installationId),
    appId: needed(appId),
    accountId: needed(installedOn),
    selection: selection === 'selected' ? 'token' : whole,
    permissions: lesser(permissions, needed(token.installedPermissions)),
    credential: { kind: 'installation', id, expiresAt },
  };
}

export const installationSuspended = (): Error =>
  forbidden({ reason: 'suspended' }, 'This installation has been suspended');

/** Of each permission the lower level of the two; what one of them lacks is not there. */
function lesser(one: PermissionMap, other: PermissionMap): PermissionMap {
  const both: Record<string, Level> = {};
  for (const [name, level] of Object.entries(one)) {
    const second = other[name];
    if (second !== undefined) both[name] = levels.indexOf(level) < levels.indexOf(second) ? level : second;
  }
  return both;
}
