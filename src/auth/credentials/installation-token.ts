import { forbidden } from '../../errors/errors.ts';
import type { Actor } from '../actor.ts';
import { intersectPermissions } from '../scope-coverage.ts';
import { effectivePermissions, inheritedBounds } from './inherited-bounds.ts';
import { assertColumn, type StoredToken } from './stored-token.ts';

/** Lifetime of an installation token. */
export const installationTokenLifetimeMs = 60 * 60_000;

/**
 * A token of an app for one installation. It loses every permission that the installation, or the credential that installed the
 * app, loses.
 */
export function installationActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, permissions, selection, appId, installationId, installedOn } = token;
  const bounds = inheritedBounds(above);
  if (token.installationSuspended) throw installationSuspended();
  const installedSelection = token.installedSelection === 'all' ? 'all' : 'installation';
  return {
    kind: 'installation',
    ip,
    installationId: assertColumn(installationId),
    appId: assertColumn(appId),
    accountId: assertColumn(installedOn),
    selection: selection === 'selected' ? 'token' : installedSelection,
    permissions: effectivePermissions(
      intersectPermissions(permissions, assertColumn(token.installedPermissions)),
      bounds,
    ),
    credential: { kind: 'installation', id, lastEight, expiresAt, bounds },
  };
}

export const installationSuspended = (): Error =>
  forbidden({ reason: 'suspended' }, 'This installation has been suspended');
