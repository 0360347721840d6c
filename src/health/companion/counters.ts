import { perDatabase } from '../../db/per-database.ts';
import type { Read } from '../../db/read.ts';

/** How often something happened, without whom it happened to. Every label has few values. */
export interface Count {
  name: 'companion_answers_total' | 'companion_fallbacks_total';
  labels: Readonly<Record<string, string>>;
  count: number;
}

/** By database, so that two gateways in one process count for themselves. */
const countsOf = perDatabase(() => new Map<string, Count>());

function add(read: Read, name: Count['name'], labels: Count['labels']): void {
  const counts = countsOf(read);
  const key = JSON.stringify([name, labels]);
  const count = counts.get(key) ?? { name, labels, count: 0 };
  counts.set(key, count);
  count.count++;
}

/** An answer was given. */
export function countAnswer({ read }: { read: Read }, engine: string, safety: string): void {
  add(read, 'companion_answers_total', { engine, safety });
}

/** The model was asked and its answer was of no use. `reason` is one of the words of ModelFailed. */
export function countFallback({ read }: { read: Read }, reason: string): void {
  add(read, 'companion_fallbacks_total', { reason });
}

/** What was counted since the process began. */
export function companionCounts(read: Read): Count[] {
  return [...countsOf(read).values()];
}
