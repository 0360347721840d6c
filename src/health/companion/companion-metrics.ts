import { perDatabase } from '../../db/per-database.ts';
import type { Read } from '../../db/read.ts';

/** A counter without personal data. Label values have low cardinality. */
export interface CompanionCounter {
  name: 'companion_answers_total' | 'companion_fallbacks_total' | 'companion_removed_sentences_total';
  labels: Readonly<Record<string, string>>;
  count: number;
}

/** Per database, so that two gateways in one process count separately. */
const countersOf = perDatabase(() => new Map<string, CompanionCounter>());

function increment(read: Read, name: CompanionCounter['name'], labels: CompanionCounter['labels']): void {
  const counts = countersOf(read);
  const key = JSON.stringify([name, labels]);
  const count = counts.get(key) ?? { name, labels, count: 0 };
  counts.set(key, count);
  count.count++;
}

/** Counts an answer. */
export function countAnswer({ read }: { read: Read }, engine: string, safety: string): void {
  increment(read, 'companion_answers_total', { engine, safety });
}

/** Counts a model error; `reason` is that of `ModelError`. */
export function countFallback({ read }: { read: Read }, reason: string): void {
  increment(read, 'companion_fallbacks_total', { reason });
}

/** Counts a sentence of a model that is not shown; `kind` is a `Removal`. */
export function countRemoved({ read }: { read: Read }, kind: string): void {
  increment(read, 'companion_removed_sentences_total', { kind });
}

/** Counters since the start of the process. */
export function companionMetrics(read: Read): CompanionCounter[] {
  return [...countersOf(read).values()];
}
