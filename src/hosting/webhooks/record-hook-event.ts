import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { forkCountSql, repositoryJoins, stargazerCountSql } from '../repositories/repositories.queries.ts';
import { enqueueDeliveries } from './delivery-job.ts';
import { DeliveryPriorities } from './delivery-priority.ts';
import { receiverKey } from './delivery-receiver.ts';
import { type HookEvent, type HookEventData, requiredPermission, type SubscribableEvent } from './hook-event.ts';

/**
 * Sender and time of an event that a request causes. The sender of an app is its bot. Workflows are no senders; payloads then name
 * the owner.
 */
export function eventMetadata({ actor, now }: Pick<Context, 'actor' | 'now'>): {
  senderId: number | undefined;
  senderAppId: number | undefined;
  at: Date;
} {
  return {
    senderId: actor.kind === 'user' ? actor.accountId : undefined,
    senderAppId: actor.kind === 'installation' ? actor.appId : undefined,
    at: now(),
  };
}

/**
 * Records an event: inserts and enqueues one delivery for each app and each hook that must receive it. `db` is the
 * caller's transaction, so deliveries exist only if it commits. Executes one statement when none matches. Returns the
 * number of deliveries.
 */
export function recordHookEvent(db: Kysely<unknown>, event: HookEvent): Promise<number> {
  return recordHookEvents(db, [event]);
}

/** SQL: what of the repository `r` a later change may replace before the payload is built, as `HookEventData.repositoryState`. */
const repositoryStateSql = sql`jsonb_build_object('repositoryState', jsonb_build_object('name', r.name, 'ownerId', o.id,
  'ownerLogin', o.login, 'ownerKind', o.kind, 'description', r.description,
  'homepageUrl', r.homepage, 'isPrivate', r.is_private, 'isArchived', r.is_archived, 'isTemplate', r.is_template,
  'defaultBranch', r.default_branch, 'topics', to_jsonb(r.topics), 'repositoryTopics', to_jsonb(r.topics),
  'stargazerCount', ${sql.raw(stargazerCountSql)}, 'forkCount', ${sql.raw(forkCountSql)},
  'updatedAt', to_json(r.updated_at) #>> '{}'))`;

/** Events of one statement: the refs of a push can have 10,000, with the ids of their commits. */
const eventsPerStatement = 500;

/** The same for events of one repository, one organization, one app or one hook, in their order. */
export async function recordHookEvents(db: Kysely<unknown>, events: readonly HookEvent[]): Promise<number> {
  let deliveries = 0;
  for (let at = 0; at < events.length; at += eventsPerStatement) {
    deliveries += await insertDeliveries(db, events.slice(at, at + eventsPerStatement));
  }
  return deliveries;
}

/** Of all databases of the process: receivers of two that share a number lose a place at most. */
const priorities = new DeliveryPriorities();

async function insertDeliveries(db: Kysely<unknown>, events: readonly HookEvent[]): Promise<number> {
  const byName = new Map(events.map(event => [event.event, event]));
  const recipients = [...byName].map(
    ([name, event]) => sql`select ${name}::text as event, * from (${recipientsOf(event)}) as one`,
  );
  const inserted = await sql<{ id: number; appId: number | null; hookId: number | null }>`
    insert into webhook_delivery (app_id, hook_id, guid, event, action, installation_id, repository_id, cause, created_at)
    select recipient.app_id, recipient.hook_id, n.guid, n.event, n.action, recipient.installation_id,
      recipient.repository_id, n.cause::jsonb || coalesce((
        select jsonb_build_object('senderId', sender.bot_id) from app sender where sender.id = n.sender_app_id), '{}')
      || coalesce((select ${repositoryStateSql} from ${repositoryJoins} where r.id = recipient.repository_id), '{}'),
      n.at
    from unnest(${events.map(({ event }) => event)}::text[], ${events.map(({ action }) => action ?? null)}::text[],
        ${events.map(() => randomUUID())}::uuid[], ${events.map(causeOf)}::text[],
        ${events.map(({ senderAppId }) => senderAppId ?? null)}::bigint[], ${events.map(({ at }) => at.toISOString())}::timestamptz[])
      with ordinality as n (event, action, guid, cause, sender_app_id, at, turn)
    join (${sql.join(recipients, sql` union all `)}) as recipient on recipient.event = n.event
    order by n.turn, recipient.app_id, recipient.hook_id
    returning id, app_id as "appId", hook_id as "hookId"`.execute(db);
  await enqueueDeliveries(
    db,
    inserted.rows.map(row => ({ id: row.id, priority: priorities.next(receiverKey(row)) })),
  );
  return inserted.rows.length;
}

/** What the payload is made of, as JSON. */
function causeOf(event: HookEvent): string {
  const { event: _event, action: _action, at: _at, senderAppId: _sender, ...rest } = event;
  const {
    appId: _app,
    hookId: _hook,
    repositoryId: _repository,
    ...cause
  } = rest as typeof rest & { appId?: number; hookId?: number; repositoryId?: number };
  return JSON.stringify(cause satisfies HookEventData);
}

const isReceiving = sql`i.suspended_at is null and a.webhook_url is not null and a.webhook_disabled_at is null`;

const coversRepository = (repositoryId: number | RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(i.repository_selection = 'all' or exists (select 1 from installation_repository ir
    where ir.installation_id = i.id and ir.repository_id = ${repositoryId}))`;

/** SQL: whether the hook `h` gets events of this name. */
export const subscribesTo = (event: RawBuilder<unknown> | string): RawBuilder<unknown> =>
  sql`(h.is_active and (${event} = any(h.events) or '*' = any(h.events)))`;

/**
 * SQL: which of `events` have a subscriber for the repository `r` of the statement. Lets callers skip expensive event
 * data that nobody receives.
 */
export const subscribedEventsAmong = (events: readonly SubscribableEvent[]): RawBuilder<unknown> =>
  sql`array(select n.event from unnest(${events}::text[]) as n (event)
    where exists (select 1 from installation i join app a on a.id = i.app_id
        where i.account_id = r.owner_id and ${isReceiving} and n.event = any(a.events) and ${coversRepository(sql`r.id`)})
      or exists (select 1 from hook h where h.repository_id = r.id and ${subscribesTo(sql`n.event`)})
      or exists (select 1 from hook h where h.organization_id = r.owner_id and ${subscribesTo(sql`n.event`)}))`;

/** SQL: rows (app_id, hook_id, installation_id, repository_id) of the apps and hooks that receive an event. */
function recipientsOf(event: HookEvent): RawBuilder<unknown> {
  if ('hookId' in event) {
    return sql`select null::bigint as app_id, h.id as hook_id, null::bigint as installation_id, h.repository_id
      from hook h where h.id = ${event.hookId}`;
  }
  if ('appId' in event) {
    const { installation, appId } = event;
    return sql`select a.id as app_id, null::bigint as hook_id, ${installation?.databaseId ?? null}::bigint as installation_id,
        null::bigint as repository_id
      from app a where a.id = ${appId} and a.webhook_url is not null and a.webhook_disabled_at is null`;
  }
  const need = requiredPermission(event.event);
  const permitted = need ? sql`and i.permissions ->> ${need.name} = any(${[...need.levels]})` : sql``;
  const repositoryId = 'repositoryId' in event ? event.repositoryId : null;
  const owner =
    'repositoryId' in event
      ? sql`(select owner_id from repository where id = ${event.repositoryId})`
      : sql`${event.organizationId}::bigint`;
  const covered = repositoryId === null ? sql`` : sql`and ${coversRepository(repositoryId)}`;
  const hooksOf = (source: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`union all select null, h.id, null, ${repositoryId}::bigint from hook h where ${source} and ${subscribesTo(event.event)}`;
  const ofRepository = repositoryId === null ? sql`` : hooksOf(sql`h.repository_id = ${repositoryId}`);
  return sql`select a.id as app_id, null::bigint as hook_id, i.id as installation_id, ${repositoryId}::bigint as repository_id
    from installation i join app a on a.id = i.app_id
    where i.account_id = ${owner} ${covered} and ${isReceiving} and ${event.event} = any(a.events) ${permitted}
      and ${isLive(sql`i.installed_by_id`, event.at)}
    ${hooksOf(sql`h.organization_id = ${owner}`)} ${ofRepository}`;
}
