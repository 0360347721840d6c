import { type RawBuilder, sql } from 'kysely';
import { type DeliveryOutcome, type DeliveryRequest, WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import type { Context } from '../../context/context.ts';
import type { BatchedSource } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { KeysetSlice } from '../../db/keyset-connection.ts';
import type { Selection } from '../../db/selection.ts';
import { type DeliveryReceiver, isOf } from './delivery-receiver.ts';

/** A delivery as selected: its id, and the requested fields. */
export type DeliveryRow = { databaseId: number } & Pick<
  WebhookDelivery,
  'appId' | 'hookId' | 'installationId' | 'repositoryId'
>;

const deliverySelectList = columnsOf(WebhookDelivery, 'd', {
  always: ['databaseId', 'appId', 'hookId', 'installationId', 'repositoryId'],
  computed: { isRedelivery: 'd.redelivery', request: 'd.request_headers', response: 'd.response_headers' },
});

/** Request or response of a delivery. */
export interface ExchangedRow extends Pick<DeliveryRequest, 'headers'> {
  /** The stored text; null when not selected. */
  payload: string | null;
}

const payloadColumns = { request: 'd.payload', response: 'd.response_payload' } as const;

interface LoadedRow extends DeliveryRow {
  bytes: number;
  isNeeded: boolean;
  isLoaded: boolean;
  request?: ExchangedRow['headers'];
  response?: ExchangedRow['headers'];
  requestPayload?: string | null;
  responsePayload?: string | null;
}

/** Rows `d` of `webhook_delivery` as a FROM clause with its conditions and its limit. */
interface DeliverySelection {
  from: RawBuilder<unknown>;
  /** Rows of each app or hook with a payload; those after them only say that the list goes on. */
  first: number;
  /** Order of the rows by id. */
  direction?: 'asc' | 'desc';
}

/**
 * Selects deliveries, newest first by default. PostgreSQL knows the length of a stored text without reading it, so one statement
 * adds up the sizes and reads the payloads.
 *
 * @throws responseTooLarge when the payloads exceed what the request may load: one error instead of one for each row, which would
 * cost more than the rows.
 */
async function selectDeliveries(
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  { from, first, direction = 'desc' }: DeliverySelection,
  wanted: Selection,
): Promise<DeliveryRow[]> {
  const list = deliverySelectList(wanted);
  const parts = (['request', 'response'] as const).filter(part => wanted.get(part)?.has('payload'));
  const order = sql.raw(`d.id ${direction}`);
  if (parts.length === 0) {
    const rows = await read(sql<LoadedRow>`select ${list} ${from} order by ${order}`);
    return rows.map(toDelivery);
  }
  const bytes = sql.raw(parts.map(part => `coalesce(octet_length(${payloadColumns[part]}), 0)::bigint`).join(' + '));
  const payloads = sql.raw(
    parts.map(part => `case when p.is_loaded then ${payloadColumns[part]} end as "${part}Payload"`).join(', '),
  );
  return largeValues.read(async left => {
    const rows = await read(sql<LoadedRow>`
      select ${list}, p.bytes, p.is_needed as "isNeeded", p.is_loaded as "isLoaded", ${payloads}
      from (select s.id, s.bytes, s.position <= ${first}::int as is_needed, s.position <= ${first}::int
          and sum(s.bytes) filter (where s.position <= ${first}::int) over () <= ${left}::bigint as is_loaded
        from (select d.id, ${bytes} as bytes, row_number() over (partition by d.app_id, d.hook_id order by ${order}) as position
          ${from}) s) p
      join webhook_delivery d on d.id = p.id order by ${order}`);
    if (rows.some(({ isNeeded, isLoaded }) => isNeeded && !isLoaded)) throw largeValues.tooLarge();
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

/** DataLoader batch function: sent deliveries by id, without a check of access. */
export async function deliveriesByIds(
  context: Pick<Context, 'read' | 'largeValues'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(DeliveryRow | null)[]> {
  const from = sql`from webhook_delivery d where d.id = any(${[...ids]}::bigint[]) and d.delivered_at is not null`;
  const found = await selectDeliveries(context, { from, first: ids.length }, wanted);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Which deliveries a list has. */
export interface DeliveryFilter {
  outcome?: DeliveryOutcome | null | undefined;
  /** Only deliveries sent at this time or later. */
  since?: Date | null | undefined;
}

/**
 * Sent deliveries of apps or hooks by descending id. `rows` has one more for each of them than the limit says, where there is
 * one.
 */
export function deliveriesOfReceivers(
  context: Pick<Context, 'read' | 'largeValues'>,
  kind: 'app' | 'hook',
  filter: DeliveryFilter,
  { after, before, isBackward }: KeysetSlice,
): BatchedSource<number, DeliveryRow> {
  const condition = filterCondition(filter);
  const range = sql`${after === null ? sql`` : sql`and d.id < ${after}`} ${before === null ? sql`` : sql`and d.id > ${before}`}`;
  const direction = isBackward ? 'asc' : 'desc';
  const column = sql.ref(kind === 'app' ? 'd.app_id' : 'd.hook_id');
  return {
    async rows(keys, { limit, wanted }) {
      const from = sql`from unnest(${[...keys]}::bigint[]) as key (receiver_id) cross join lateral (
        select * from webhook_delivery d where ${column} = key.receiver_id and ${condition} ${range}
        order by ${sql.raw(`d.id ${direction}`)} limit ${limit + 1}) d`;
      const found = await selectDeliveries(context, { from, first: limit, direction }, wanted);
      const byKey = new Map<number | null, DeliveryRow[]>(keys.map(id => [id, []]));
      for (const row of found) byKey.get(kind === 'app' ? row.appId : row.hookId)?.push(row);
      return keys.map(id => byKey.get(id) ?? []);
    },
    async totals(keys) {
      const found = await context.read(sql<{ key: number; total: number }>`
        select ${column} as key, count(*)::int as total from webhook_delivery d
        where ${column} = any(${[...keys]}::bigint[]) and ${condition} group by ${column}`);
      const byKey = new Map(found.map(({ key, total }) => [key, total]));
      return keys.map(id => byKey.get(id) ?? 0);
    },
  };
}

/** Id of the first delivery of the page of `first` deliveries before the one that begins with `from`; null when there is none. */
export async function firstOfPreviousPage(
  { read }: Pick<Context, 'read'>,
  receiver: DeliveryReceiver,
  filter: DeliveryFilter,
  { from, first }: { from: number; first: number },
): Promise<number | null> {
  const [found] = await read(sql<{ id: number | null }>`select max(id) as id from (
    select d.id from webhook_delivery d where ${isOf(receiver)} and ${filterCondition(filter)} and d.id > ${from}
    order by d.id limit ${first}) as newer`);
  return found?.id ?? null;
}

const filterCondition = ({ outcome, since }: DeliveryFilter): RawBuilder<unknown> =>
  sql`d.delivered_at is not null ${outcomeCondition(outcome)} ${since ? sql`and d.delivered_at >= ${since}` : sql``}`;

function outcomeCondition(outcome: DeliveryOutcome | null | undefined): RawBuilder<unknown> {
  if (outcome == null) return sql``;
  return outcome === 'success' ? sql`and d.status_code < 400` : sql`and d.status_code >= 400`;
}
