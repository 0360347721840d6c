import { type Kysely, sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type InstallationRow, installationColumns } from './apps.queries.ts';
import {
  loadInstalledRepositories,
  recordInstallationEvent,
  recordInstalledRepositoriesEvents,
} from './installation-events.ts';

export interface InstallInput {
  slug: string;
  /** Number of the account; the caller when omitted. */
  accountId?: number | undefined;
  /** Numbers of repositories; all, including later ones, when omitted. */
  repositoryIds?: readonly number[] | undefined;
}

/**
 * Installs an app on an account with the permissions that the app requests, if the caller's credential covers them. For
 * an existing installation, updates its repositories, permissions and installing credential.
 *
 * @throws 404 for an unknown app, or an account that the caller does not administer; 422 for unknown repositories.
 */
export async function installApp(context: Context, input: InstallInput): Promise<InstallationRow> {
  const accountId = await requireAdministeredAccount(context, input.accountId);
  const { now } = context;
  const slug = input.slug.toLowerCase();
  const row = await context.transaction(async db => {
    // Locks the app, so that the checked permissions are the granted ones.
    const requested = await sql<{
      permissions: PermissionMap;
    }>`select permissions from app where slug = ${slug} for share`.execute(db);
    const [app] = requested.rows;
    if (!app) throw notFound();
    const { parentId } = assertInstallable(context, app.permissions);
    const before = await loadInstalledRepositories(db, { slug }, accountId);
    const inserted = await sql<InstallationRow & { isNew: boolean }>`
      insert into installation (app_id, account_id, repository_selection, permissions, events, installed_by_id,
        created_at, updated_at)
      select id, ${accountId}, ${input.repositoryIds ? 'selected' : 'all'}, permissions, events,
        ${parentId}, ${now()}, ${now()}
      from app where slug = ${slug}
      on conflict on constraint installation_once do update set repository_selection = excluded.repository_selection,
        permissions = excluded.permissions, events = excluded.events, installed_by_id = excluded.installed_by_id,
        updated_at = excluded.updated_at
      returning ${installationColumns}, xmax = 0 as "isNew"`.execute(db);
    const [found] = inserted.rows;
    if (!found) throw notFound();
    const { isNew, ...installation } = found;
    await selectRepositories(db, installation, input.repositoryIds);
    const after = await loadInstalledRepositories(db, { slug }, accountId);
    if (isNew) await recordInstallationEvent(db, context, installation, 'created', after);
    else await recordInstalledRepositoriesEvents(db, context, installation, before, after);
    return installation;
  });
  context.credentials.invalidate();
  return row;
}

async function selectRepositories(
  db: Kysely<unknown>,
  { databaseId, accountId }: InstallationRow,
  ids: readonly number[] | undefined,
): Promise<void> {
  await sql`delete from installation_repository where installation_id = ${databaseId}`.execute(db);
  if (!ids) return;
  const keys = [...new Set(ids)];
  const inserted = await sql`insert into installation_repository (installation_id, repository_id)
    select ${databaseId}, id from repository where owner_id = ${accountId} and id = any(${keys}::bigint[])
    returning repository_id`.execute(db);
  if (inserted.rows.length !== keys.length) {
    const message = 'There is no such repository of that account.';
    throw validationFailed([{ resource: 'Installation', field: 'repositoryIds', code: 'custom', message }]);
  }
}

/** Suspends or unsuspends an installation. Its tokens are rejected from the next request. */
export async function setSuspended(
  context: Context,
  installationId: number,
  suspended: boolean,
): Promise<InstallationRow> {
  const caller = callingUser(context.actor);
  const { permissions } = await requireAdministeredInstallation(context, installationId);
  // Unsuspending grants everything again, so it needs the same credential as installing, which the installation then
  // depends on.
  const installer = suspended ? sql`installed_by_id` : sql`${assertInstallable(context, permissions).parentId}::bigint`;
  const row = await context.transaction(async db => {
    const updated =
      await sql<InstallationRow>`update installation set suspended_at = ${suspended ? context.now() : null},
      suspended_by_id = ${suspended ? caller.accountId : null}, installed_by_id = ${installer}, updated_at = ${context.now()}
      where id = ${installationId} returning ${installationColumns}`.execute(db);
    const [installation] = updated.rows;
    if (!installation) throw notFound();
    await recordInstallationEvent(db, context, installation, suspended ? 'suspend' : 'unsuspend');
    return installation;
  });
  context.credentials.invalidate();
  return row;
}

/** Uninstalls an app from an account and ends its tokens there. */
export async function uninstallApp(context: Context, installationId: number): Promise<void> {
  await requireAdministeredInstallation(context, installationId);
  await context.transaction(async db => {
    const locked = await sql<{ appId: number; accountId: number }>`
      select app_id as "appId", account_id as "accountId" from installation where id = ${installationId} for update`.execute(
      db,
    );
    const [installed] = locked.rows;
    if (!installed) throw notFound();
    const repositories = await loadInstalledRepositories(db, { id: installed.appId }, installed.accountId);
    const deleted = await sql<InstallationRow>`
      delete from installation where id = ${installationId} returning ${installationColumns}`.execute(db);
    for (const installation of deleted.rows)
      await recordInstallationEvent(db, context, installation, 'deleted', repositories);
  });
  context.credentials.invalidate();
}

async function requireAdministeredInstallation(context: Context, id: number): Promise<{ permissions: PermissionMap }> {
  const [found] = await context.read(sql<{ accountId: number; permissions: PermissionMap }>`
    select account_id as "accountId", permissions from installation where id = ${id}`);
  if (!found) throw notFound();
  await requireAdministeredAccount(context, found.accountId);
  return found;
}

/**
 * Id of an account that the caller administers: the caller, or an organization.
 *
 * @throws 404 for other accounts.
 */
async function requireAdministeredAccount(context: Context, id: number | undefined): Promise<number> {
  const caller = callingUser(context.actor);
  if (id === undefined || id === caller.accountId) {
    assertGrantable(caller, { reachesPrivate: true });
    return caller.accountId;
  }
  const found = await organizationFor(context, id, 'org-administration:write');
  if (!found) throw notFound();
  return found.id;
}

/**
 * An installation can list private repositories whatever its permissions, so installing requires a credential that
 * covers them.
 */
function assertInstallable(context: Context, permissions: PermissionMap): { parentId: number | null } {
  return assertGrantable(context.actor, { permissions, reachesPrivate: true });
}
