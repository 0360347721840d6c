import { type RawBuilder, sql } from 'kysely';
import type { DeliveryOutcome } from '../../../schema/hosting/webhook.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { type Columns, selectList } from '../../db/select-list.ts';
import { badRequest } from '../../errors/errors.ts';
import { mask } from './webhook-secret.ts';

export interface WebhookRow {
  appId: number;
  url: string | null;
  contentType: 'json' | 'form';
  /** The mask where there is one. */
  secret: string | null;
  insecureSsl: boolean;
  retries: boolean;
  disabledAt: string | null;
}

/** The webhook of an app; null when there is no such app. */
export async function webhookOf({ read }: Pick<Context, 'read'>, appId: number): Promise<WebhookRow | null> {
  const [found] = await read(sql<WebhookRow>`
    select id as "appId", webhook_url as url, webhook_content_type as "contentType",
      case when webhook_secret_sealed is not null then ${mask} end as secret, webhook_insecure_ssl as "insecureSsl",
      webhook_retries as retries, webhook_disabled_at as "disabledAt"
    from app where id = ${appId}`);
  return found ?? null;
}

/** A delivery as a query brings it: its number, and of the rest what was selected. */
export interface DeliveryRow {
  databaseId: number;
}

const columns: Columns<unknown> = {
  guid: 'd.guid',
  event: 'd.event',
  action: 'd.action',
  installationId: 'd.installation_id',
  repositoryId: 'd.repository_id',
  redelivery: 'd.redelivery',
  throttledAt: 'd.throttled_at',
  deliveredAt: 'd.delivered_at',
  duration: 'd.duration',
  status: 'd.status',
  statusCode: 'd.status_code',
  url: 'd.url',
  request: `json_build_object('headers', d.request_headers, 'payload', d.payload::json)`,
  response: `json_build_object('headers', d.response_headers, 'payload', d.response_payload)`,
};
const always = 'd.id as "databaseId"';

/** A delivery of an app that has been made; those of others are none. */
export async function deliveryOf(
  { read }: Pick<Context, 'read'>,
  appId: number,
  id: number,
  wanted: Selection,
): Promise<DeliveryRow | null> {
  const [found] = await read(sql<DeliveryRow>`
    select ${selectList(columns, always, wanted, undefined)} from webhook_delivery d
    where d.id = ${id} and d.app_id = ${appId} and d.delivered_at is not null`);
  return found ?? null;
}

export interface DeliveryWish {
  first: number;
  /** `v1_` and the number of the delivery that the page begins with. */
  cursor?: string | null | undefined;
  outcome?: DeliveryOutcome | null | undefined;
}

export interface DeliveryPage {
  nodes: DeliveryRow[];
  nextCursor: string | null;
  previousCursor: string | null;
}

/** The deliveries of an app, the newest first. Throws the published 400 on a cursor that is none. */
export async function deliveriesOf(
  { read }: Pick<Context, 'read'>,
  appId: number,
  { first, cursor, outcome }: DeliveryWish,
  wanted: Selection,
): Promise<DeliveryPage> {
  const from = cursor == null ? undefined : positionOf(cursor);
  const where = sql`d.app_id = ${appId} and d.delivered_at is not null ${outcomeIs(outcome)}`;
  const older = from === undefined ? sql`` : sql`and d.id <= ${from}`;
  const [rows, newer] = await Promise.all([
    read(sql<DeliveryRow>`select ${selectList(columns, always, wanted, undefined)} from webhook_delivery d
      where ${where} ${older} order by d.id desc limit ${first + 1}`),
    from === undefined
      ? []
      : read(sql<{ id: number | null }>`select max(id) as id from (
          select d.id from webhook_delivery d where ${where} and d.id > ${from} order by d.id limit ${first}) as newer`),
  ]);
  return {
    nodes: rows.slice(0, first),
    nextCursor: cursorOf(rows[first]?.databaseId),
    previousCursor: cursorOf(newer[0]?.id),
  };
}

const cursorOf = (id: number | null | undefined): string | null => (id == null ? null : `v1_${id}`);

/** A position and not a row: the delivery that a cursor names may have been forgotten since, and those of others say nothing. */
function positionOf(cursor: string): number {
  const [, digits] = /^v1_(\d{1,15})$/.exec(cursor) ?? [];
  if (digits === undefined) throw badRequest({ field: 'cursor' }, 'Invalid cursor');
  return Number(digits);
}

function outcomeIs(outcome: DeliveryOutcome | null | undefined): RawBuilder<unknown> {
  if (outcome == null) return sql``;
  return outcome === 'success' ? sql`and d.status_code < 400` : sql`and d.status_code >= 400`;
}
