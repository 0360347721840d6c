import { LRUCache } from 'lru-cache';
import type { HeaderFields, RestContext } from './product.ts';

/** What the cache needs to know of the server. */
export interface NotModifiedOptions {
  /** A version of all data that the request reads: equal versions mean equal data. Read before the operation is executed. */
  dataVersion(context: unknown): Promise<string>;
  /** Identifies everything about the caller that a response can depend on. */
  callerKey(context: unknown): string;
}

interface CachedResponse {
  dataVersion: string;
  cachedAtMs: number;
  headers: HeaderFields;
}

/** The headers of a cached 304, or a function that stores those of the next one. */
export type CachedPoll = { headers: HeaderFields } | { remember(headers: HeaderFields): void };

/** Estimated size of keys and headers: some 8,000 polled pages. */
const maxCacheBytes = 8_000_000;

/**
 * How late changes that follow from the clock and not from a write may be seen: entries that leave a list by age, or enter it
 * after a delay.
 */
const maxAgeMs = 1_000;

/**
 * Caches 304 responses of `@rest(polled: true)` operations. Such a response follows from the request, the caller and the data;
 * while all three are unchanged it is sent again for the cost of reading the data version. The version is read before the
 * operation is executed, so that a concurrent write makes the entry stale and never wrong.
 */
export class NotModifiedCache {
  readonly #options: NotModifiedOptions;
  readonly #cache = new LRUCache<string, CachedResponse>({ maxSize: maxCacheBytes, maxEntrySize: 20_000 });

  constructor(options: NotModifiedOptions) {
    this.#options = options;
  }

  /** Undefined unless the operation is polled and the request is conditional. */
  async lookUp(restContext: RestContext, context: unknown): Promise<CachedPoll | undefined> {
    const { request, operation, target, version, origin, now } = restContext;
    const { accept = '', 'if-none-match': tags, 'if-modified-since': since } = request.headers;
    if (!operation?.polled || request.method !== 'GET' || (tags === undefined && since === undefined)) return undefined;
    const address = `${origin}${target.pathname}${target.search}`;
    const key = [this.#options.callerKey(context), address, version, accept, tags, since].join('\n');
    const dataVersion = await this.#options.dataVersion(context);
    const cachedAtMs = now.getTime();
    const cached = this.#cache.get(key);
    if (cached?.dataVersion === dataVersion && Math.abs(cachedAtMs - cached.cachedAtMs) < maxAgeMs)
      return { headers: cached.headers };
    return {
      remember: headers => {
        this.#cache.set(key, { dataVersion, cachedAtMs, headers }, { size: 2 * key.length + 500 });
      },
    };
  }
}
