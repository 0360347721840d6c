import type { Kysely } from 'kysely';

/** How often something happened, without whom it happened to. Every label has few values. */
export interface Count {
  name: 'companion_answers_total' | 'companion_fallbacks_total';
  labels: Readonly<Record<string, string>>;
  count: number;
}

/** By database, so that two gateways in one process count for themselves. */
const countsOf = new WeakMap<Kysely<unknown>, Map<string, Count>>();

function add(db: Kysely<unknown>, name: Count['name'], labels: Count['labels']): void {
  const counts = countsOf.get(db) ?? new Map<string, Count>();
  countsOf.set(db, counts);
  const key = JSON.stringify([name, labels]);
  const count = counts.get(key) ?? { name, labels, count: 0 };
  counts.set(key, count);
  count.count++;
}

/** An answer was given. */
export function countAnswer({ sql }: { sql: Kysely<unknown> }, engine: string, safety: string): void {
  add(sql, 'companion_answers_total', { engine, safety });
}

/** The model was asked and its answer was of no use. `reason` is one of the words of ModelFailed. */
export function countFallback({ sql }: { sql: Kysely<unknown> }, reason: string): void {
  add(sql, 'companion_fallbacks_total', { reason });
}

/** What was counted since the process began. */
export function companionCounts(db: Kysely<unknown>): Count[] {
  return [...(countsOf.get(db)?.values() ?? [])];
}
