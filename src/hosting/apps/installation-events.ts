import { type Kysely, sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import type { AppEventName } from '../webhooks/hook-event.ts';
import { recordHookEvent } from '../webhooks/record-hook-event.ts';
import type { InstallationRow } from './apps.queries.ts';

/** A repository in payloads of installation events. */
export interface NamedRepository {
  id: number;
  name: string;
  fullName: string;
  isPrivate: boolean;
}

/** Maximum repositories in one event; an installation can cover more. */
const maxRepositories = 5_000;

/**
 * Repositories of an account that an app can access, as the transaction sees them. Empty when the app is not installed.
 */
export async function loadInstalledRepositories(
  db: Kysely<unknown>,
  app: { slug: string } | { id: number },
  accountId: number,
): Promise<NamedRepository[]> {
  const isApp = 'id' in app ? sql`a.id = ${app.id}` : sql`a.slug = ${app.slug}`;
  const found = await sql<NamedRepository>`
    select r.id, r.name, o.login || '/' || r.name as "fullName", r.is_private as "isPrivate"
    from app a join installation i on i.app_id = a.id and i.account_id = ${accountId}
    join repository r on r.owner_id = i.account_id join account o on o.id = r.owner_id
    where ${isApp} and (i.repository_selection = 'all' or exists (select 1 from installation_repository ir
      where ir.installation_id = i.id and ir.repository_id = r.id))
    order by r.id limit ${maxRepositories}`.execute(db);
  return found.rows;
}

type EventContext = Pick<Context, 'actor' | 'now'>;

/** Records a webhook event `installation` for the app. */
export async function recordInstallationEvent(
  db: Kysely<unknown>,
  context: EventContext,
  installation: InstallationRow,
  action: string,
  repositories: readonly NamedRepository[] = [],
): Promise<void> {
  await recordAppEvent(db, context, installation, 'installation', action, {
    repositories: repositoryPayloads(repositories),
    // As published: that of a new installation is a person or absent, that of other events is null.
    ...(action !== 'created' && { requester: null }),
  });
}

/** Records webhook events `installation_repositories` for the repositories that were added and removed. */
export async function recordInstalledRepositoriesEvents(
  db: Kysely<unknown>,
  context: EventContext,
  installation: InstallationRow,
  before: readonly NamedRepository[],
  after: readonly NamedRepository[],
): Promise<void> {
  const beyond = (some: readonly NamedRepository[], others: readonly NamedRepository[]): NamedRepository[] => {
    const ids = new Set(others.map(({ id }) => id));
    return some.filter(({ id }) => !ids.has(id));
  };
  const [added, removed] = [beyond(after, before), beyond(before, after)];
  for (const [action, changed] of [
    ['added', added],
    ['removed', removed],
  ] as const) {
    if (changed.length === 0) continue;
    await recordAppEvent(db, context, installation, 'installation_repositories', action, {
      repository_selection: installation.repositorySelection,
      repositories_added: action === 'added' ? repositoryPayloads(added) : [],
      repositories_removed: action === 'removed' ? repositoryPayloads(removed) : [],
      requester: null,
    });
  }
}

async function recordAppEvent(
  db: Kysely<unknown>,
  { actor, now }: EventContext,
  installation: InstallationRow,
  event: AppEventName,
  action: string,
  own: NonNullable<Parameters<typeof recordHookEvent>[1]['own']>,
): Promise<void> {
  const senderId = callingUser(actor).accountId;
  const { appId } = installation;
  await recordHookEvent(db, { event, action, appId, installation, senderId, at: now(), own });
}

const repositoryPayloads = (repositories: readonly NamedRepository[]) =>
  repositories.map(({ id, name, fullName, isPrivate }) => ({
    id,
    node_id: encodeGlobalId('Repository', id),
    name,
    full_name: fullName,
    private: isPrivate,
  }));
