import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { enqueueAll } from '../../jobs/enqueue.ts';
import { deliveryJob } from './delivery-job.ts';
import { type HookEvent, type HookEventData, requiredPermission, type SubscribableEvent } from './hook-event.ts';

/** Who does it and when, for an event of a request. Apps and workflows are no senders: of those payloads name the owner. */
export function eventMetadata({ actor, now }: Pick<Context, 'actor' | 'now'>): {
  senderId: number | undefined;
  at: Date;
} {
  return { senderId: actor.kind === 'user' ? actor.accountId : undefined, at: now() };
}

/**
 * Has the apps told that should know of an event, once the caller's transaction commits: `db` is that of the transaction.
 * One statement where nobody is to be told. Returns how many are.
 */
export async function recordHookEvent(db: Kysely<unknown>, event: HookEvent): Promise<number> {
  const { event: name, action, at, ...rest } = event;
  const {
    appId: _app,
    repositoryId: _repository,
    ...cause
  } = rest as typeof rest & { appId?: number; repositoryId?: number };
  const repositoryId = 'repositoryId' in event ? event.repositoryId : null;
  const made = await sql<{ id: number }>`
    insert into webhook_delivery (app_id, guid, event, action, installation_id, repository_id, cause, created_at)
    select hook.app_id, ${randomUUID()}::uuid, ${name}, ${action ?? null}::text, hook.installation_id, ${repositoryId}::bigint,
      ${JSON.stringify(cause satisfies HookEventData)}::jsonb, ${at}::timestamptz
    from ${recipientsOf(event)} as hook order by hook.app_id returning id`.execute(db);
  await enqueueAll(
    db,
    deliveryJob,
    made.rows.map(({ id }) => ({ data: { id } })),
  );
  return made.rows.length;
}

const isReceiving = sql`i.suspended_at is null and a.webhook_url is not null and a.webhook_disabled_at is null`;

const coversRepository = (repositoryId: number | RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(i.repository_selection = 'all' or exists (select 1 from installation_repository ir
    where ir.installation_id = i.id and ir.repository_id = ${repositoryId}))`;

/**
 * Which events of these some app is to be told of in the repository `r` of a statement: what costs much need not be found out
 * for nobody.
 */
export const subscribedEventsAmong = (events: readonly SubscribableEvent[]): RawBuilder<unknown> =>
  sql`array(select distinct n.event from installation i join app a on a.id = i.app_id
    cross join lateral unnest(a.events) as n (event)
    where i.account_id = r.owner_id and ${isReceiving} and n.event = any(${events}::text[]) and ${coversRepository(sql`r.id`)})`;

/** The apps to tell: app_id, and the installation through which they know. */
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
