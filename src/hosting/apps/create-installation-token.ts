import type { InstallationToken } from '../../../schema/hosting/installation-token.ts';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Actor } from '../../auth/actor.ts';
import { authorityOf, decideGrant, installationAuthority } from '../../auth/credentials/delegation.ts';
import { inheritedBounds } from '../../auth/credentials/inherited-bounds.ts';
import { installationSuspended, installationTokenLifetimeMs } from '../../auth/credentials/installation-token.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { installationOf, installerOf } from './apps.queries.ts';
import { requireInstalledRepositories } from './require-installed-repositories.ts';

export interface InstallationTokenInput {
  installationId: number;
  repositoryNames?: readonly string[] | null | undefined;
  repositoryIds?: readonly number[] | null | undefined;
  permissions?: PermissionMap | null | undefined;
}

export type InstallationTokenRow = InstallationToken & {
  /** Credential id when the token is restricted to some repositories. */
  narrowedBy: number | null;
};

/**
 * Id of the calling app.
 *
 * @throws TypeError when the access scope of the field admits other actors, which is a defect.
 */
export function callingApp(actor: Actor): number {
  if (actor.kind !== 'app') throw new TypeError('The access scope of this field must admit apps only.');
  return actor.appId;
}

/**
 * Creates a token for an installation of the calling app, valid for one hour and restricted as the input says. It is
 * limited by the key that signed the request and by the credential that installed the app.
 *
 * @throws 404 for an unknown installation; 403 when it is suspended; 422 for permissions or repositories that it does
 * not have.
 */
export async function createInstallationToken(
  context: Context,
  input: InstallationTokenInput,
): Promise<InstallationTokenRow> {
  const { actor } = context;
  const installation = await installationOf(context, callingApp(actor), input.installationId);
  if (!installation) throw notFound();
  const installer = await installerOf(context, installation.databaseId);
  if (installation.suspendedAt !== null || !installer.isLive) throw installationSuspended();
  const authority = installationAuthority(
    authorityOf(actor),
    installation.permissions,
    inheritedBounds(installer.above),
  );
  const requested = input.permissions && Object.keys(input.permissions).length > 0 ? input.permissions : undefined;
  const permissions = requested ?? authority.permissions ?? {};
  const end = new Date(Math.floor((context.now().getTime() + installationTokenLifetimeMs) / 1000) * 1000);
  // Token look-ups decide about private repositories each time, for all permissions alike.
  const decision = decideGrant(authority, { permissions, reachesPrivate: false, expiresAt: end });
  if ('refused' in decision)
    throw validationFailed([], 'The permissions requested are not granted to this installation.');
  const expiresAt = decision.granted.expiresAt ?? end;
  const [names, ids] = [input.repositoryNames ?? [], input.repositoryIds ?? []];
  const all = names.length + ids.length === 0;
  const repositories = all ? undefined : await requireInstalledRepositories(context, installation, names, ids);
  const { token, credential } = await context.transaction(db =>
    insertCredential(
      db,
      {
        kind: 'installation',
        permissions,
        repositories,
        appId: installation.appId,
        installationId: installation.databaseId,
        appKeyId: actor.kind === 'app' ? (actor.keyId ?? null) : null,
        expiresAt,
      },
      context.now(),
    ),
  );
  return {
    secret: token,
    expiresAt: expiresAt.toISOString(),
    permissions: { ...permissions, metadata: permissions.metadata ?? 'read' },
    repositorySelection: repositories ? 'selected' : installation.repositorySelection,
    narrowedBy: repositories ? credential.databaseId : null,
  };
}
