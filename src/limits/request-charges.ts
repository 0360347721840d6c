import type { ChargeableCost } from './admitted-request.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import type { CounterChange, CounterCharge } from './rate-limit-store.ts';
import { type CallerClass, secondaryLimits, usageLimits } from './request-limit-tables.ts';
import type { RequestUsage } from './request-usage.ts';

/** Cost of one request at its entry point. */
export interface RequestCost extends ChargeableCost {
  entryPoint: EntryPoint;
  /** The REST endpoint that the points count for; '' at entry points with one counter of points. */
  endpoint: string;
}

interface Limit {
  limit: number;
  seconds: number;
}

export const scaledBy = (factor: number, { limit, seconds }: Limit): Limit => ({ limit: limit * factor, seconds });

/** Charges of points and created content. */
export function secondaryCharges(
  factor: number,
  { entryPoint, endpoint, points, content }: RequestCost,
): CounterCharge[] {
  const charges: CounterCharge[] = [];
  const { points: limit } = entryPoints[entryPoint];
  if (limit && points > 0) {
    charges.push({ key: `points/${entryPoint} ${endpoint}`, cost: points, ...scaledBy(factor, limit) });
  }
  if (content === 0) return charges;
  for (const one of secondaryLimits.content) {
    charges.push({ key: `content/${one.seconds}`, cost: content, ...scaledBy(factor, one) });
  }
  return charges;
}

/** Charges of cost 0, which pass if any CPU time, database time and bytes remain in this minute. */
export function usageCharges(factor: number, caller: CallerClass, entryPoint: EntryPoint): CounterCharge[] {
  const { cpu, graphqlCpu, database, bytes, seconds } = usageLimits;
  const check = (key: string, limits: Record<CallerClass, number>): CounterCharge => ({
    key,
    cost: 0,
    ...scaledBy(factor, { limit: limits[caller], seconds }),
  });
  const charges = [check('cpu', cpu), check('database', database), check('bytes', bytes)];
  if (entryPoint === 'graphql') charges.push(check('cpu/graphql', graphqlCpu));
  return charges;
}

/** What a request has used, as changes of counters. `cpu` in microseconds. */
export function usageChanges(
  cpu: number,
  { databaseMicroseconds, childCpuMicroseconds, bytesSent }: Omit<RequestUsage, 'update'>,
  entryPoint: EntryPoint,
): CounterChange[] {
  const used: [key: string, amount: number][] = [
    ['cpu', cpu + Math.round(childCpuMicroseconds)],
    ['database', Math.round(databaseMicroseconds)],
    ['bytes', bytesSent],
  ];
  if (entryPoint === 'graphql') used.push(['cpu/graphql', cpu]);
  return used
    .filter(([, amount]) => amount > 0)
    .map(([key, amount]) => ({ key, seconds: usageLimits.seconds, amount }));
}
