import { type RawBuilder, sql } from 'kysely';
import {
  type AppWebhook,
  type DeliveryOutcome,
  type DeliveryRequest,
  WebhookDelivery,
} from '../../../schema/hosting/webhook.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { badRequest } from '../../errors/errors.ts';
import { secretMask } from './webhook-secret.ts';

/** Its `secret` is the mask where one is set. */
export type WebhookRow = AppWebhook;

/** The webhook of an app; null when the app does not exist. */
export async function webhookOf({ read }: Pick<Context, 'read'>, appId: number): Promise<WebhookRow | null> {
  const [found] = await read(sql<WebhookRow>`
    select id as "appId", webhook_url as url, webhook_content_type as "contentType",
      case when webhook_secret_sealed is not null then ${secretMask} end as secret, webhook_insecure_ssl as "insecureSsl",
      webhook_retries as retries, webhook_disabled_at as "disabledAt"
    from app where id = ${appId}`);
  return found ?? null;
}

/** A delivery as selected: its id, and the requested fields. */
export type DeliveryRow = Pick<WebhookDelivery, 'databaseId'>;

const deliverySelectList = columnsOf(WebhookDelivery, 'd', {
  always: ['databaseId'],
  computed: { databaseId: 'd.id', request: 'd.request_headers', response: 'd.response_headers' },
});

/** Request or response of a delivery. */
export interface ExchangedRow extends Pick<DeliveryRequest, 'headers'> {
  /** The stored text; null when not selected. */
  payload: string | null;
  /** The parsed payload, cached at first use. */
  parsed?: object | null;
}

const payloadColumns = { request: 'd.payload', response: 'd.response_payload' } as const;

interface LoadedRow extends DeliveryRow {
  bytes: number;
  isLoaded: boolean;
  request?: ExchangedRow['headers'];
  response?: ExchangedRow['headers'];
  requestPayload?: string | null;
  responsePayload?: string | null;
}

/**
 * Selects deliveries `d`, newest first. PostgreSQL knows the length of a stored text without reading it, so one
 * statement adds up the sizes and reads the payloads. Rows after the first `first` have no payload.
 *
 * @throws responseTooLarge when the payloads of the page exceed what the request may load: one error instead of one for
 * each row, which would cost more than the rows.
 */
function selectDeliveries(
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  where: RawBuilder<unknown>,
  { first, limit }: { first: number; limit: number },
  wanted: Selection,
): Promise<DeliveryRow[]> {
  const list = deliverySelectList(wanted);
  const parts = (['request', 'response'] as const).filter(part => wanted.get(part)?.has('payload'));
  const page = sql`from webhook_delivery d where ${where} order by d.id desc limit ${limit}`;
  if (parts.length === 0) {
    return read(sql<LoadedRow>`select ${list} ${page}`).then(rows => rows.map(toDelivery));
  }
  const bytes = sql.raw(parts.map(part => `coalesce(octet_length(${payloadColumns[part]}), 0)::bigint`).join(' + '));
  const payloads = sql.raw(
    parts.map(part => `case when p.is_loaded then ${payloadColumns[part]} end as "${part}Payload"`).join(', '),
  );
  return largeValues.read(async left => {
    const rows = await read(sql<LoadedRow>`
      select ${list}, p.bytes, p.is_loaded as "isLoaded", ${payloads}
      from (select s.id, s.bytes, s.position <= ${first}::int
          and sum(s.bytes) filter (where s.position <= ${first}::int) over () <= ${left}::bigint as is_loaded
        from (select d.id, ${bytes} as bytes, row_number() over (order by d.id desc) as position ${page}) s) p
      join webhook_delivery d on d.id = p.id order by d.id desc`);
    if (rows.slice(0, first).some(({ isLoaded }) => !isLoaded)) throw largeValues.tooLarge();
    const loaded = rows.reduce((sum, row) => (row.isLoaded ? sum + row.bytes : sum), 0);
    return { value: rows.map(toDelivery), bytes: loaded };
  });
}

/** Converts a row to the object that the graph returns. */
function toDelivery(row: LoadedRow): DeliveryRow {
  const part = (name: 'request' | 'response'): ExchangedRow => ({
    headers: row[name] ?? null,
    payload: row[`${name}Payload`] ?? null,
  });
  return {
    ...row,
    ...(row.request === undefined ? {} : { request: part('request') }),
    ...(row.response === undefined ? {} : { response: part('response') }),
  };
}

/** One sent delivery of an app; null when the app has none with this id. */
export async function deliveryOf(
  context: Pick<Context, 'read' | 'largeValues'>,
  appId: number,
  id: number,
  wanted: Selection,
): Promise<DeliveryRow | null> {
  const where = sql`d.id = ${id} and d.app_id = ${appId} and d.delivered_at is not null`;
  const [found] = await selectDeliveries(context, where, { first: 1, limit: 1 }, wanted);
  return found ?? null;
}

export interface DeliveryPageArgs {
  first: number;
  /** `v1_` and the id of the first delivery of the page. */
  cursor?: string | null | undefined;
  outcome?: DeliveryOutcome | null | undefined;
}

export interface DeliveryPage {
  nodes: DeliveryRow[];
  nextCursor: string | null;
  previousCursor: string | null;
}

/**
 * One page of the sent deliveries of an app, newest first.
 *
 * @throws 400 for an invalid cursor.
 */
export async function deliveriesOf(
  context: Pick<Context, 'read' | 'largeValues'>,
  appId: number,
  { first, cursor, outcome }: DeliveryPageArgs,
  wanted: Selection,
): Promise<DeliveryPage> {
  const from = cursor == null ? undefined : parseCursor(cursor);
  const where = sql`d.app_id = ${appId} and d.delivered_at is not null ${outcomeCondition(outcome)}`;
  const older = from === undefined ? sql`` : sql`and d.id <= ${from}`;
  const [rows, newer] = await Promise.all([
    selectDeliveries(context, sql`${where} ${older}`, { first, limit: first + 1 }, wanted),
    from === undefined
      ? []
      : context.read(sql<{ id: number | null }>`select max(id) as id from (
          select d.id from webhook_delivery d where ${where} and d.id > ${from} order by d.id limit ${first}) as newer`),
  ]);
  return {
    nodes: rows.slice(0, first),
    nextCursor: formatCursor(rows[first]?.databaseId),
    previousCursor: formatCursor(newer[0]?.id),
  };
}

const formatCursor = (id: number | null | undefined): string | null => (id == null ? null : `v1_${id}`);

/** A cursor is a position, not a row: the delivery it names can have been deleted since. */
function parseCursor(cursor: string): number {
  const [, digits] = /^v1_(\d{1,15})$/.exec(cursor) ?? [];
  if (digits === undefined) throw badRequest({ field: 'cursor' }, 'Invalid cursor');
  return Number(digits);
}

function outcomeCondition(outcome: DeliveryOutcome | null | undefined): RawBuilder<unknown> {
  if (outcome == null) return sql``;
  return outcome === 'success' ? sql`and d.status_code < 400` : sql`and d.status_code >= 400`;
}
