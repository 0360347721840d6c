import { createHash } from 'node:crypto';
import { EventConnection } from '../../../schema/hosting/event.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection, sliceOf } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import type { Feed } from './feed.ts';
import type { EventArgs } from './feed-args.ts';
import { type FeedHead, feedLists } from './feeds.ts';

/**
 * A page of a feed: of the newest 300 events of the past 90 days. For a client whose digest is still current, only the digest is read.
 * Feeds below a list are read in one statement for each field.
 */
export class EventPage extends Connection<EventObject> {
  readonly #loadHead: () => Promise<FeedHead & { digest: string }>;

  /** @throws GraphQLError BAD_USER_INPUT for arguments that name no page */
  constructor(context: Context, feed: Feed, { knownDigest, ...args }: EventArgs) {
    const { kind, publicOnly, types } = feed;
    const filter = { publicOnly, types };
    const id = feed.kind === 'everything' ? 0 : feed.id;
    const lists = feedLists(context, feed);
    const events = batchedList(context, `${kind} events`, filter, id, lists);
    const heads = batchedList(context, `${kind} event heads`, filter, id, { ...lists, rows: lists.heads });
    const { limit, offset } = sliceOf(args, EventConnection.typeName);

    const readHead = async (): Promise<FeedHead & { digest: string }> => {
      const from = offset ?? Math.max(0, (await events.total()) - limit);
      const [head] = await heads.rows({ limit, offset: from, wanted: noSelection });
      // The URLs in the page depend on the host; nothing else distinguishes servers.
      const digest = createHash('sha256')
        .update(`${context.apiBaseUrl} ${head?.digest ?? ''}`)
        .digest('hex');
      return { digest, newest: head?.newest ?? null };
    };
    let head: ReturnType<typeof readHead> | undefined;
    const loadHead = (): ReturnType<typeof readHead> => {
      head ??= readHead();
      return head;
    };
    const isKnown = async (): Promise<boolean> => {
      if (knownDigest == null) return false;
      // Weak comparison as in If-None-Match, with or without quotes.
      return knownDigest.includes((await loadHead()).digest);
    };

    super(
      EventConnection,
      {
        async rows(slice) {
          // A page that is newer than its digest is only sent again; one that is older would never be.
          await head;
          return (await isKnown()) ? [] : (await events.rows(slice)).map(row => buildEvent(context, row));
        },
        total: async () => ((await isKnown()) ? 0 : events.total()),
      },
      args,
    );
    this.#loadHead = loadHead;
  }

  async digest(): Promise<string> {
    return (await this.#loadHead()).digest;
  }

  async newestAt(): Promise<string | null> {
    return (await this.#loadHead()).newest;
  }
}
