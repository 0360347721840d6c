import { LRUCache } from 'lru-cache';
import type { HeaderFields, RestContext } from './product.ts';

/** What the server knows of answers that hold until something is written. */
export interface NotModifiedOptions {
  /** Names the state of all data: equal names are equal data. Asked once the request has come in. */
  state(): Promise<string>;
  /** Names all that is known of a caller and that an answer may follow from. */
  callerOf(context: unknown): string;
}

interface CachedResponse {
  state: string;
  /** Milliseconds. */
  at: number;
  headers: HeaderFields;
}

/** A 304 that was given before, or the way to remember the one that will be given. */
export type CachedPoll = { headers: HeaderFields } | { remember(headers: HeaderFields): void };

/** Bytes of keys and headers, as far as they can be counted: some 8,000 polled pages. */
const maxCacheBytes = 8_000_000;

/**
 * What follows from the present as well is late by so many milliseconds: entries that leave a list when they are too old, or
 * come into it after a delay.
 */
const maxAgeMs = 1_000;

/**
 * Polls that changed nothing. The answer to one follows from the request, the caller and the data; while all three are the
 * same, it is given again for the price of asking which state the data are in. The state is asked for before the answer is
 * made: what is written in between makes it one that never comes again.
 */
export class NotModifiedCache {
  readonly #options: NotModifiedOptions;
  readonly #cache = new LRUCache<string, CachedResponse>({ maxSize: maxCacheBytes, maxEntrySize: 20_000 });

  constructor(options: NotModifiedOptions) {
    this.#options = options;
  }

  /** Undefined for what is no poll: a request that has nothing yet, or of an operation that is not polled. */
  async poll(restContext: RestContext, context: unknown): Promise<CachedPoll | undefined> {
    const { request, operation, target, version, origin, now } = restContext;
    const { accept = '', 'if-none-match': tags, 'if-modified-since': since } = request.headers;
    if (!operation?.polled || request.method !== 'GET' || (tags === undefined && since === undefined)) return undefined;
    const address = `${origin}${target.pathname}${target.search}`;
    const key = [this.#options.callerOf(context), address, version, accept, tags, since].join('\n');
    const state = await this.#options.state();
    const at = now.getTime();
    const known = this.#cache.get(key);
    if (known?.state === state && Math.abs(at - known.at) < maxAgeMs) return { headers: known.headers };
    return {
      remember: headers => {
        this.#cache.set(key, { state, at, headers }, { size: 2 * key.length + 500 });
      },
    };
  }
}
