import { LRUCache } from 'lru-cache';

/** What a queue knows of an entry. */
export interface QueuedRun {
  /** The task it is a run of. */
  task: { maxQueued: number; maxQueuedPerKey: number };
  /** On whose behalf it runs. One key has at most one run executing. */
  key: string;
}

/** Milliseconds after which execution time of a key counts half. */
const halfLifeMs = 10_000;

/**
 * Runs that wait for a thread. The next one is that of the key that has used the least execution time lately, so that a caller
 * with many slow runs waits behind callers with few fast ones; among equals the order of arrival decides.
 */
export class FairQueue<Run extends QueuedRun> {
  readonly #waiting: Run[] = [];
  readonly #used = new LRUCache<string, { ms: number; at: number }>({ max: 1_000 });

  hasRoom({ task, key }: QueuedRun): boolean {
    const ofTask = this.#waiting.filter(one => one.task === task);
    return ofTask.length < task.maxQueued && ofTask.filter(one => one.key === key).length < task.maxQueuedPerKey;
  }

  add(run: Run): void {
    this.#waiting.push(run);
  }

  remove(run: Run): void {
    const at = this.#waiting.indexOf(run);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Takes the next run among those that `mayRun`. */
  take(mayRun: (run: Run) => boolean, now: number): Run | undefined {
    let next: Run | undefined;
    let leastUsedMs = Number.POSITIVE_INFINITY;
    for (const run of this.#waiting) {
      if (!mayRun(run)) continue;
      const used = this.#usedBy(run.key, now);
      if (used >= leastUsedMs) continue;
      [next, leastUsedMs] = [run, used];
    }
    if (next) this.remove(next);
    return next;
  }

  /** Counts execution time of a key. */
  charge(key: string, ms: number, now: number): void {
    this.#used.set(key, { ms: this.#usedBy(key, now) + ms, at: now });
  }

  #usedBy(key: string, now: number): number {
    const used = this.#used.get(key);
    return used ? used.ms * 0.5 ** ((now - used.at) / halfLifeMs) : 0;
  }
}
