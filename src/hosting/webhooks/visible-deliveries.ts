import type { Context } from '../../context/context.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import { type DeliveryRow, deliveriesByIds, webhooksByApps } from './webhooks.queries.ts';

/** Sent deliveries by id; null for those of webhooks that the caller cannot see. Three statements. */
export async function visibleDeliveriesByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(DeliveryRow | null)[]> {
  const found = await deliveriesByIds(context, ids, noSelection);
  const appIds = [...new Set(found.flatMap(row => (row ? [row.appId] : [])))];
  const webhooks = appIds.length === 0 ? [] : await webhooksByApps(context, appIds);
  const visibleApps = new Set(webhooks.flatMap(one => (one === null || one instanceof Error ? [] : [one.appId])));
  const visible = found.flatMap(row => (row && visibleApps.has(row.appId) ? [row.databaseId] : []));
  if (visible.length === 0) return ids.map(() => null);
  // Selected after the check, because payloads count against the limit of the request.
  const rows = await deliveriesByIds(context, visible, wanted);
  const byId = new Map(visible.map((id, at) => [id, rows[at] ?? null]));
  return ids.map(id => byId.get(id) ?? null);
}
