import type { Context } from '../../context/context.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import { visibleHookIds } from '../hooks/hooks.queries.ts';
import { type DeliveryRow, deliveriesByIds } from './deliveries.queries.ts';
import { webhooksByApps } from './webhooks.queries.ts';

/** Sent deliveries by id; null for those of webhooks and hooks that the caller cannot see. At most four statements. */
export async function visibleDeliveriesByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(DeliveryRow | null)[]> {
  const found = await deliveriesByIds(context, ids, noSelection);
  const appIds = [...new Set(found.flatMap(row => row?.appId ?? []))];
  const hookIds = [...new Set(found.flatMap(row => row?.hookId ?? []))];
  const webhooks = appIds.length === 0 ? [] : await webhooksByApps(context, appIds);
  const visibleApps = new Set(webhooks.flatMap(one => (one === null || one instanceof Error ? [] : [one.appId])));
  const visibleHooks = hookIds.length === 0 ? new Set<number>() : await visibleHookIds(context, hookIds);
  const isVisible = ({ appId, hookId }: DeliveryRow): boolean =>
    appId === null ? hookId !== null && visibleHooks.has(hookId) : visibleApps.has(appId);
  const visible = found.flatMap(row => (row && isVisible(row) ? [row.databaseId] : []));
  if (visible.length === 0) return ids.map(() => null);
  // Selected after the check, because payloads count against the limit of the request.
  const rows = await deliveriesByIds(context, visible, wanted);
  const byId = new Map(visible.map((id, at) => [id, rows[at] ?? null]));
  return ids.map(id => byId.get(id) ?? null);
}
