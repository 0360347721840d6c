import { sql } from 'kysely';
import { App } from '../../../schema/hosting/app.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import { type AncestorCredential, isLive, selectAncestors } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';

/** An app as a query brings it: what identifies it, and of the rest what was selected. */
export type AppRow = { databaseId: number } & Pick<
  App,
  | 'ownerId'
  | 'slug'
  | 'name'
  | 'clientId'
  | 'description'
  | 'url'
  | 'permissions'
  | 'events'
  | 'createdAt'
  | 'updatedAt'
  | 'installationCount'
>;

export const appSelectList = columnsOf(App, 'a', {
  always: ['databaseId', 'ownerId', 'slug', 'name', 'clientId'],
  computed: {
    url: 'a.external_url',
    installationCount: '(select count(*)::int from installation i where i.app_id = a.id)',
  },
});

/** DataLoader batch function: apps by id, for callers who have found that they may see them. */
export async function appsByIds(
  { read }: Pick<Context, 'read'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(AppRow | null)[]> {
  const found = await read(
    sql<AppRow>`select ${appSelectList(wanted)} from app a where a.id = any(${[...ids]}::bigint[])`,
  );
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** An app by its slug; null when there is none. Every caller may see what an app says of itself. */
export async function appBySlug(
  { read }: Pick<Context, 'read'>,
  slug: string,
  wanted: Selection,
): Promise<AppRow | null> {
  const [found] = await read(
    sql<AppRow>`select ${appSelectList(wanted)} from app a where a.slug = ${slug.toLowerCase()}`,
  );
  return found ?? null;
}

export const installedAppKey = (accountId: number, appId: number): string => `${accountId}:${appId}`;

/** DataLoader batch function: apps by `installedAppKey`; null for those that are not installed on the account. */
export async function installedApps(
  { read }: Pick<Context, 'read'>,
  keys: readonly string[],
  wanted: Selection,
): Promise<(AppRow | null)[]> {
  const ids = [...new Set(keys.map(key => Number(key.split(':')[1])))];
  const found = await read(sql<AppRow & { accountIds: number[] }>`select ${appSelectList(wanted)},
      array(select i.account_id from installation i where i.app_id = a.id
        and i.account_id = any(${keys.map(key => Number.parseInt(key, 10))}::bigint[])) as "accountIds"
    from app a where a.id = any(${ids}::bigint[])`);
  const byKey = new Map(
    found.flatMap(app => app.accountIds.map(id => [installedAppKey(Number(id), app.databaseId), app] as const)),
  );
  return keys.map(key => byKey.get(key) ?? null);
}

/** An installation with all fields of the graph. */
export type InstallationRow = { databaseId: number } & Omit<Installation, 'id' | 'installedById'>;

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

/** All fields of an installation in the graph, of the table `installation` itself. */
export const installationColumns = columnsOf(Installation, null, {
  always: ['appId', 'accountId', 'suspendedById'],
  computed: {
    appSlug: '(select slug from app where app.id = app_id)',
    accountKind: '(select kind from account where account.id = account_id)',
  },
})('all');

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
