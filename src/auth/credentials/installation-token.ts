import { forbidden } from '../../errors/errors.ts';
import type { Actor } from '../actor.ts';
import { lesser } from '../scope-coverage.ts';
import { boundsOf, permissionsBelow } from './bounds.ts';
import { needed, type StoredToken } from './stored-token.ts';

/** Milliseconds for which the token of an installation is good. */
export const installationTokenLife = 60 * 60_000;

/** A token of an app for one installation. What the installation and who installed it have lost since, the token has lost too. */
export function installationActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, permissions, selection, appId, installationId, installedOn } = token;
  const bounds = boundsOf(above);
  if (token.installationSuspended) throw installationSuspended();
  const whole = token.installedSelection === 'all' ? 'all' : 'installation';
  return {
    kind: 'installation',
    ip,
    installationId: needed(installationId),
    appId: needed(appId),
    accountId: needed(installedOn),
    selection: selection === 'selected' ? 'token' : whole,
    permissions: permissionsBelow(lesser(permissions, needed(token.installedPermissions)), bounds),
    credential: { kind: 'installation', id, lastEight, expiresAt, bounds },
  };
}

export const installationSuspended = (): Error =>
  forbidden({ reason: 'suspended' }, 'This installation has been suspended');
