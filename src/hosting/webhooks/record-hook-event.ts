import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { enqueueDeliveries } from './delivery-job.ts';
import { type HookEvent, type HookEventData, requiredPermission, type SubscribableEvent } from './hook-event.ts';

/**
 * Sender and time of an event that a request causes. Apps and workflows are not senders; payloads then name the owner.
 */
export function eventMetadata({ actor, now }: Pick<Context, 'actor' | 'now'>): {
  senderId: number | undefined;
  at: Date;
} {
  return { senderId: actor.kind === 'user' ? actor.accountId : undefined, at: now() };
}

/**
 * Records an event: inserts and enqueues one delivery for each app that must receive it. `db` is the caller's
 * transaction, so deliveries exist only if it commits. Executes one statement when no app matches. Returns the number
 * of deliveries.
 */
export async function recordHookEvent(db: Kysely<unknown>, event: HookEvent): Promise<number> {
  const { event: name, action, at, ...rest } = event;
  const {
    appId: _app,
    repositoryId: _repository,
    ...cause
  } = rest as typeof rest & { appId?: number; repositoryId?: number };
  const repositoryId = 'repositoryId' in event ? event.repositoryId : null;
  const inserted = await sql<{ id: number }>`
    insert into webhook_delivery (app_id, guid, event, action, installation_id, repository_id, cause, created_at)
    select hook.app_id, ${randomUUID()}::uuid, ${name}, ${action ?? null}::text, hook.installation_id, ${repositoryId}::bigint,
      ${JSON.stringify(cause satisfies HookEventData)}::jsonb, ${at}::timestamptz
    from ${recipientsOf(event)} as hook order by hook.app_id returning id`.execute(db);
  await enqueueDeliveries(db, inserted.rows);
  return inserted.rows.length;
}

const isReceiving = sql`i.suspended_at is null and a.webhook_url is not null and a.webhook_disabled_at is null`;

const coversRepository = (repositoryId: number | RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(i.repository_selection = 'all' or exists (select 1 from installation_repository ir
    where ir.installation_id = i.id and ir.repository_id = ${repositoryId}))`;

/**
 * SQL: which of `events` have a subscriber for the repository `r` of the statement. Lets callers skip expensive event
 * data that nobody receives.
 */
export const subscribedEventsAmong = (events: readonly SubscribableEvent[]): RawBuilder<unknown> =>
  sql`array(select distinct n.event from installation i join app a on a.id = i.app_id
    cross join lateral unnest(a.events) as n (event)
    where i.account_id = r.owner_id and ${isReceiving} and n.event = any(${events}::text[]) and ${coversRepository(sql`r.id`)})`;

/** SQL: rows (app_id, installation_id) of the apps that receive an event. */
function recipientsOf(event: HookEvent): RawBuilder<unknown> {
  if ('appId' in event) {
    const { installation, appId } = event;
    return sql`(select a.id as app_id, ${installation?.databaseId ?? null}::bigint as installation_id from app a
      where a.id = ${appId} and a.webhook_url is not null and a.webhook_disabled_at is null)`;
  }
  const need = requiredPermission(event.event);
  const permitted = need ? sql`and i.permissions ->> ${need.name} = any(${[...need.levels]})` : sql``;
  const where =
    'repositoryId' in event
      ? sql`i.account_id = (select owner_id from repository where id = ${event.repositoryId}) and ${coversRepository(event.repositoryId)}`
      : sql`i.account_id = ${event.organizationId}`;
  return sql`(select a.id as app_id, i.id as installation_id from installation i join app a on a.id = i.app_id
    where ${where} and ${isReceiving} and ${event.event} = any(a.events) ${permitted}
      and ${isLive(sql`i.installed_by_id`, event.at)})`;
}
