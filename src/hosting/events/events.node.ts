import { textNode } from '../../context/node-kind.ts';
import { buildEvent, type EventObject } from './build-event.ts';
import { eventsByIds } from './feeds.ts';

/** Events of the past 90 days, under the rules and the delay of the public feed. */
export const eventNode = textNode<EventObject>({
  type: 'Event',
  access: 'public',
  keyOf: ({ fullDatabaseId }) => fullDatabaseId,
  async load(context, ids) {
    const rows = await eventsByIds(context, ids);
    return rows.map(row => row && buildEvent(context, row));
  },
});
