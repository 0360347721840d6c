import { createHash } from 'node:crypto';
import type { PageArgs, PageInfo } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/page.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import { type Feed, type FeedPage, feedPage } from './feeds.ts';

/** Seconds between two looks at a feed. */
const pollIntervalSeconds = 60;

/**
 * A page of a feed as the graph sees it. What it costs follows from what is selected: for a caller who has the page already, the
 * tag and nothing else is read.
 */
export class EventFeedObject {
  readonly pollInterval = pollIntervalSeconds;
  readonly #context: Context;
  readonly #page: FeedPage;
  readonly #pageBounds: { page: number; size: number };
  readonly #knownEtags: string | null | undefined;
  #head: Promise<{ etag: string; newest: string | null }> | undefined;

  constructor(context: Context, feed: Feed, { unless, ...args }: PageArgs & { unless?: string | null | undefined }) {
    this.#context = context;
    this.#page = feedPage(context, feed, pageBounds(args));
    this.#pageBounds = { page: args.page, size: args.first };
    this.#knownEtags = unless;
  }

  async etag(): Promise<string> {
    return (await this.#loadHead()).etag;
  }

  /** In whole seconds, as headers say it. */
  async lastModified(): Promise<string | null> {
    return (await this.#loadHead()).newest;
  }

  /** The tag is read before the rows: a page that is newer than its tag is sent once more, and one that is older never again. */
  async nodes(): Promise<EventObject[]> {
    if (await this.#isUnchanged()) return [];
    const rows = await this.#page.rows();
    return rows.map(row => buildEvent(this.#context, row));
  }

  async pageInfo(): Promise<PageInfo> {
    const { page, size } = this.#pageBounds;
    const total = (await this.#isUnchanged()) ? 0 : await this.#page.total();
    const last = Math.max(1, Math.ceil(total / size));
    return { total, page, size, last, hasNext: page < last, hasPrevious: page > 1 };
  }

  #loadHead(): Promise<{ etag: string; newest: string | null }> {
    this.#head ??= this.#readHead();
    return this.#head;
  }

  async #readHead(): Promise<{ etag: string; newest: string | null }> {
    const { digest, newest } = await this.#page.head();
    // Addresses are part of the page; two servers of one name are not told apart by anything else.
    const etag = createHash('sha256').update(`${this.#context.apiBaseUrl} ${digest}`).digest('hex');
    return { etag, newest };
  }

  async #isUnchanged(): Promise<boolean> {
    if (this.#knownEtags == null) return false;
    // As lists of tags are compared in a request: weakly, quotes or not.
    return this.#knownEtags.includes((await this.#loadHead()).etag);
  }
}
