import { perDatabase } from '../../db/per-database.ts';
import type { Read } from '../../db/read.ts';

/** How often something happened, without whom it happened to. Every label has few values. */
export interface CompanionCounter {
  name: 'companion_answers_total' | 'companion_fallbacks_total';
  labels: Readonly<Record<string, string>>;
  count: number;
}

/** By database, so that two gateways in one process count for themselves. */
const countersOf = perDatabase(() => new Map<string, CompanionCounter>());

function increment(read: Read, name: CompanionCounter['name'], labels: CompanionCounter['labels']): void {
  const counts = countersOf(read);
  const key = JSON.stringify([name, labels]);
  const count = counts.get(key) ?? { name, labels, count: 0 };
  counts.set(key, count);
  count.count++;
}

/** An answer was given. */
export function countAnswer({ read }: { read: Read }, engine: string, safety: string): void {
  increment(read, 'companion_answers_total', { engine, safety });
}

/** The model was asked and its answer was of no use. `reason` is one of the words of ModelFailed. */
export function countFallback({ read }: { read: Read }, reason: string): void {
  increment(read, 'companion_fallbacks_total', { reason });
}

/** What was counted since the process began. */
export function companionMetrics(read: Read): CompanionCounter[] {
  return [...countersOf(read).values()];
}
