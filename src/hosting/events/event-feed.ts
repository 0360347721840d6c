import { createHash } from 'node:crypto';
import type { PageInfo } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/connection.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import type { Feed } from './feed.ts';
import { type FeedPage, feedPage } from './feeds.ts';

/** Seconds that clients must wait between polls. */
const pollIntervalSeconds = 60;

/**
 * Source object of the GraphQL type EventFeed: one page of a feed. Reads only what is selected. For a client whose ETag
 * is still current, only the ETag is read.
 */
export class EventFeedObject {
  readonly pollInterval = pollIntervalSeconds;
  readonly #context: Context;
  readonly #page: FeedPage;
  readonly #pageBounds: { page: number; size: number };
  readonly #knownEtags: string | null | undefined;
  #head: Promise<{ etag: string; newest: string | null }> | undefined;

  constructor(
    context: Context,
    feed: Feed,
    { unless, ...args }: { first: number; page: number; unless?: string | null },
  ) {
    this.#context = context;
    this.#page = feedPage(context, feed, pageBounds(args));
    this.#pageBounds = { page: args.page, size: args.first };
    this.#knownEtags = unless;
  }

  async etag(): Promise<string> {
    return (await this.#loadHead()).etag;
  }

  /** With second precision, as in HTTP headers. */
  async lastModified(): Promise<string | null> {
    return (await this.#loadHead()).newest;
  }

  /**
   * Reads the ETag before the rows. A page that is newer than its ETag is only sent again; one that is older would
   * never be.
   */
  async nodes(): Promise<EventObject[]> {
    if (await this.#isUnchanged()) return [];
    const rows = await this.#page.rows();
    return rows.map(row => buildEvent(this.#context, row));
  }

  async pageInfo(): Promise<PageInfo> {
    const { page, size } = this.#pageBounds;
    const total = (await this.#isUnchanged()) ? 0 : await this.#page.total();
    const last = Math.max(1, Math.ceil(total / size));
    return {
      total,
      page,
      last,
      hasNextPage: page < last,
      hasPreviousPage: page > 1,
      startCursor: null,
      endCursor: null,
    };
  }

  #loadHead(): Promise<{ etag: string; newest: string | null }> {
    this.#head ??= this.#readHead();
    return this.#head;
  }

  async #readHead(): Promise<{ etag: string; newest: string | null }> {
    const { digest, newest } = await this.#page.head();
    // The URLs in the page depend on the host; nothing else distinguishes servers.
    const etag = createHash('sha256').update(`${this.#context.apiBaseUrl} ${digest}`).digest('hex');
    return { etag, newest };
  }

  async #isUnchanged(): Promise<boolean> {
    if (this.#knownEtags == null) return false;
    // Weak comparison as in If-None-Match, with or without quotes.
    return this.#knownEtags.includes((await this.#loadHead()).etag);
  }
}
