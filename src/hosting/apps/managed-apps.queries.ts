import { type RawBuilder, sql } from 'kysely';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import type { Selection } from '../../db/selection.ts';
import { loginKey } from '../accounts/login.ts';
import { organizationAccessDecision } from '../organizations/organization-access.ts';
import { repositoryKey } from '../repositories/repository-name.ts';
import { type AppKeyRow, keyColumns } from './add-app-key.ts';
import { type AppRow, appSelectList, type InstallationRow, installationColumns } from './apps.queries.ts';

type ReadContext = Pick<Context, 'actor' | 'read'>;

/**
 * SQL: the caller manages what an account owns. It is the caller's own account, or an organization that the caller administers with
 * a credential that may manage tokens and apps. `ownerId` is an expression outside of the condition.
 */
function managesAccount({ actor }: Pick<Context, 'actor'>, ownerId: RawBuilder<unknown>): RawBuilder<boolean> {
  if (actor.kind !== 'user' || checkHostingScope('tokens:write', actor) !== true) return sql<boolean>`false`;
  return sql<boolean>`(${ownerId} = ${actor.accountId} or ${ownerId} in (
    select m.organization_id from membership m join account a on a.id = m.organization_id
    where m.account_id = ${actor.accountId}
      and ${organizationAccessDecision(actor, 'org-administration:write')} = 'allowed'))`;
}

/** SQL over `a` (app): the caller is the app, or manages it. */
export function managesApp(context: Pick<Context, 'actor'>): RawBuilder<boolean> {
  const { actor } = context;
  return actor.kind === 'app' ? sql<boolean>`a.id = ${actor.appId}` : managesAccount(context, sql`a.owner_id`);
}

/** Apps of accounts that the caller manages, by slug. */
export function appsOf(context: ReadContext): BatchedSource<number, AppRow> {
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: wanted => appSelectList(wanted),
    from: sql`app a`,
    where: key => [sql`a.owner_id = ${key}`, managesApp(context)],
    order: sql`a.slug`,
  });
}

/** Apps by id; null for those that the caller neither is nor manages. */
export async function managedAppsByIds(
  context: ReadContext,
  ids: readonly number[],
  wanted: Selection,
): Promise<(AppRow | null)[]> {
  const found = await context.read(sql<AppRow>`select ${appSelectList(wanted)} from app a
    where a.id = any(${[...ids]}::bigint[]) and ${managesApp(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Keys of apps by id; null for those of apps that the caller does not manage. */
export async function managedKeysByIds(context: ReadContext, ids: readonly number[]): Promise<(AppKeyRow | null)[]> {
  const found = await context.read(sql<AppKeyRow>`select ${keyColumns} from app_key
    where id = any(${[...ids]}::bigint[]) and app_id in (select a.id from app a
      where a.id in (select app_id from app_key where id = any(${[...ids]}::bigint[])) and ${managesApp(context)})`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** SQL over `installation`: it is one of the calling app, or the caller manages its account. */
const managesInstallation = (context: Pick<Context, 'actor'>): RawBuilder<boolean> =>
  context.actor.kind === 'app'
    ? sql<boolean>`app_id = ${context.actor.appId}`
    : managesAccount(context, sql`installation.account_id`);

/** DataLoader batch function: installations by id; null for those that the caller cannot see. */
export async function installationsByIds(
  context: ReadContext,
  ids: readonly number[],
): Promise<(InstallationRow | null)[]> {
  const found = await context.read(sql<InstallationRow>`select ${installationColumns} from installation
    where id = any(${[...ids]}::bigint[]) and ${managesInstallation(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Where an app is installed: an account, or a repository that the installation reaches. */
export interface InstallationPlace {
  login: string;
  /** Name of a repository of the account. */
  repository?: string | undefined;
  kind?: 'user' | 'organization' | undefined;
}

/** The installation of an app at a place; null where it has none. */
export async function installationAt(
  { read }: Pick<Context, 'read'>,
  appId: number,
  { login, repository, kind }: InstallationPlace,
): Promise<InstallationRow | null> {
  const key = loginKey(login);
  const name = repository === undefined ? undefined : repositoryKey(repository);
  if (key === undefined || (repository !== undefined && name === undefined)) return null;
  const reached = sql`exists (select 1 from repository r where r.owner_id = account_id and lower(r.name) = ${name}
    and (repository_selection = 'all' or r.id in (
      select n.repository_id from installation_repository n where n.installation_id = installation.id)))`;
  const [found] = await read(sql<InstallationRow>`select ${installationColumns} from installation
    where app_id = ${appId} and account_id = (select o.id from account o where lower(o.login) = ${key}
      ${kind === undefined ? sql`` : sql`and o.kind = ${kind}`})
      ${name === undefined ? sql`` : sql`and ${reached}`}`);
  return found ?? null;
}

/** Installations of apps, oldest first, as far as the caller can see them. */
export function installationsOf(context: ReadContext): BatchedSource<number, InstallationRow> {
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: () => installationColumns,
    from: sql`installation`,
    where: key => [sql`app_id = ${key}`, managesInstallation(context)],
    order: sql`id`,
  });
}

/**
 * Installations that a user reaches, oldest first: with the token of an app, those of that app on the account of the user and on
 * organizations where the user, and everybody among the ancestors of the token, is a member; else those on accounts that the caller
 * manages. By the number of the user.
 */
export function installationsReachedBy(context: ReadContext): BatchedSource<number, InstallationRow> {
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: () => installationColumns,
    from: sql`installation`,
    where: key => [reachesInstallation(context, key)],
    order: sql`id`,
  });
}

function reachesInstallation({ actor }: Pick<Context, 'actor'>, userId: RawBuilder<unknown>): RawBuilder<boolean> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'user_to_server')
    return sql<boolean>`${userId} is not null and ${managesInstallation({ actor })}`;
  const { appId, narrowed, bounds } = actor.credential;
  const people = sql`array_append(${[...(bounds?.accountIds ?? [])]}::bigint[], ${userId})`;
  return sql<boolean>`app_id = ${appId}
    and not exists (select 1 from unnest(${people}) as person (id) where person.id <> installation.account_id and not exists (
      select 1 from membership m where m.organization_id = installation.account_id and m.account_id = person.id))
    ${narrowed ? sql`and installation.account_id = ${narrowed.ownerId}` : sql``}`;
}
