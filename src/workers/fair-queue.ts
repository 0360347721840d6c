import { LRUCache } from 'lru-cache';

/** A run waiting for a thread. */
export interface QueuedRun {
  task: { maxQueued: number; maxQueuedPerKey: number };
  /** The caller or object it runs for. At most one run per key executes at a time. */
  key: string;
}

/** Half-life of the recorded execution time of a key. */
const halfLifeMs = 10_000;

/**
 * Queue with fair scheduling: the next run is that of the key with the least recent execution time, so that a caller with many
 * slow runs waits behind callers with few fast ones. Equal keys run in the order of arrival.
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

  /** Removes and returns the next run that `mayRun` accepts. */
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

  /** Adds execution time to a key. */
  charge(key: string, ms: number, now: number): void {
    this.#used.set(key, { ms: this.#usedBy(key, now) + ms, at: now });
  }

  #usedBy(key: string, now: number): number {
    const used = this.#used.get(key);
    return used ? used.ms * 0.5 ** ((now - used.at) / halfLifeMs) : 0;
  }
}
