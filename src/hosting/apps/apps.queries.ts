import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import { type AncestorCredential, isLive, selectAncestors } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { buildSelectList, type SelectList } from '../../db/select-list.ts';

export interface AppRow {
  databaseId: number;
  ownerId: number;
  slug: string;
  name: string;
  clientId: string;
  description: string | null;
  externalUrl: string;
  permissions: PermissionMap;
  events: string[];
  createdAt: string;
  updatedAt: string;
  installationsCount: number;
}

const columns: SelectList<unknown> = {
  description: 'a.description',
  externalUrl: 'a.external_url',
  permissions: 'a.permissions',
  events: 'a.events',
  createdAt: 'a.created_at',
  updatedAt: 'a.updated_at',
  installationsCount: '(select count(*)::int from installation i where i.app_id = a.id)',
};
const always = 'a.id as "databaseId", a.owner_id as "ownerId", a.slug, a.name, a.client_id as "clientId"';

/** App by id; null when there is none. */
export async function appById({ read }: Pick<Context, 'read'>, id: number, wanted: Selection): Promise<AppRow | null> {
  const [found] = await read(
    sql<AppRow>`select ${buildSelectList(columns, always, wanted, undefined)} from app a where a.id = ${id}`,
  );
  return found ?? null;
}

export interface InstallationRow {
  databaseId: number;
  appId: number;
  appSlug: string;
  accountId: number;
  accountType: string;
  repositorySelection: 'all' | 'selected';
  permissions: PermissionMap;
  events: string[];
  suspendedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The credential that installed an app, with its parent credentials, as in token look-ups. */
export interface Installer {
  above: AncestorCredential[];
  isLive: boolean;
}

/** Loads the installer of an installation. Not live when the account is suspended. */
export async function installerOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  installationId: number,
): Promise<Installer> {
  const at = now();
  const [found] = await read(sql<Installer>`
    select ${selectAncestors(sql`i.installed_by_id`, at, 'installer')} as above,
      ${isLive(sql`i.installed_by_id`, at)} and o.suspended_at is null as "isLive"
    from installation i join account o on o.id = i.account_id where i.id = ${installationId}`);
  return found ?? { above: [], isLive: false };
}

/** Select list of an installation. */
export const installationColumns = sql.raw(`id as "databaseId", app_id as "appId", account_id as "accountId",
  repository_selection as "repositorySelection", permissions, events, suspended_at as "suspendedAt",
  created_at as "createdAt", updated_at as "updatedAt", (select slug from app where app.id = app_id) as "appSlug",
  (select initcap(kind) from account where account.id = account_id) as "accountType"`);

/** Installation of an app; null when the app has none with this id. */
export async function installationOf(
  { read }: Pick<Context, 'read'>,
  appId: number,
  id: number,
): Promise<InstallationRow | null> {
  const [found] = await read(
    sql<InstallationRow>`select ${installationColumns} from installation where id = ${id} and app_id = ${appId}`,
  );
  return found ?? null;
}
