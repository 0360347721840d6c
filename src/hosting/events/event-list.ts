import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import type { Feed } from './feed.ts';
import { type EventRow, feedLists, feedPage } from './feeds.ts';

/** The events of a feed as a list: the newest 300 of the past 90 days. Feeds below a list are read in one statement. */
export function eventList(context: Context, feed: Feed): ListSource<EventObject> {
  const { total, rows } = feed.kind === 'everything' ? publicList(context, feed) : listOf(context, feed);
  return {
    total,
    async rows(slice) {
      return (await rows(slice)).map(row => buildEvent(context, row));
    },
  };
}

const publicList = (context: Context, feed: Feed): ListSource<EventRow> => ({
  rows: ({ limit, offset }) => feedPage(context, feed, { limit, skip: offset }).rows(),
  total: () => feedPage(context, feed, { limit: 0, skip: 0 }).total(),
});

function listOf(context: Context, feed: Exclude<Feed, { kind: 'everything' }>): ListSource<EventRow> {
  const { kind, id, publicOnly, types } = feed;
  return batchedList(context, `${kind} events`, { publicOnly, types }, id, feedLists(context, feed));
}
