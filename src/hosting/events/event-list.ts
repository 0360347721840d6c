import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import { type Feed, feedPage } from './feeds.ts';

/** The events of a feed as a list: the newest 300 of the past 90 days. */
export function eventList(context: Context, feed: Feed): ListSource<EventObject> {
  return {
    async rows({ limit, offset }) {
      const rows = await feedPage(context, feed, { limit, skip: offset }).rows();
      return rows.map(row => buildEvent(context, row));
    },
    total: () => feedPage(context, feed, { limit: 0, skip: 0 }).total(),
  };
}
