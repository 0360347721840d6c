import type { Level, PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Actor } from '../../auth/actor.ts';
import { installationSuspended, installationTokenLife } from '../../auth/credentials/installation-token.ts';
import { hasPermission } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { installationOf } from './apps.queries.ts';
import { installedRepositories } from './installed-repositories.ts';

export interface InstallationTokenInput {
  installationId: number;
  repositories?: readonly string[] | null | undefined;
  repositoryIds?: readonly number[] | null | undefined;
  permissions?: PermissionMap | null | undefined;
}

export interface InstallationTokenRow {
  token: string;
  expiresAt: string;
  permissions: PermissionMap;
  repositorySelection: 'all' | 'selected';
  /** Set when the token was narrowed. */
  narrowedBy: number | null;
}

/** The number of the app that calls by a token it signed. */
export function callingApp(actor: Actor): number {
  if (actor.kind !== 'app') throw new TypeError('The access word of this field lets apps alone in.');
  return actor.appId;
}

/** Makes a token for one installation of the calling app, good for an hour; narrowed where the input says so. */
export async function createInstallationToken(
  context: Context,
  input: InstallationTokenInput,
): Promise<InstallationTokenRow> {
  const installation = await installationOf(context, callingApp(context.actor), input.installationId);
  if (!installation) throw notFound();
  if (installation.suspendedAt !== null) throw installationSuspended();
  const permissions = grantedPermissions(installation.permissions, input.permissions);
  const [names, ids] = [input.repositories ?? [], input.repositoryIds ?? []];
  const all = names.length + ids.length === 0;
  const repositories = all ? undefined : await installedRepositories(context, installation, names, ids);
  const expiresAt = new Date(Math.floor((context.now().getTime() + installationTokenLife) / 1000) * 1000);
  const { token, credential } = await context.transaction(db =>
    insertCredential(
      db,
      {
        kind: 'installation',
        permissions,
        repositories,
        appId: installation.appId,
        installationId: installation.databaseId,
        expiresAt,
      },
      context.now(),
    ),
  );
  return {
    token,
    expiresAt: expiresAt.toISOString(),
    permissions: { ...permissions, metadata: permissions.metadata ?? 'read' },
    repositorySelection: repositories ? 'selected' : installation.repositorySelection,
    narrowedBy: repositories ? credential.databaseId : null,
  };
}

function grantedPermissions(held: PermissionMap, asked: PermissionMap | null | undefined): PermissionMap {
  if (!asked || Object.keys(asked).length === 0) return held;
  const beyond = (Object.entries(asked) as [string, Level][]).some(
    ([name, level]) => !hasPermission(held, name, level),
  );
  if (beyond) throw ruleBroken([], 'The permissions requested are not granted to this installation.');
  return asked;
}
