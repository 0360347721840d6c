import { numberedNode } from '../../context/node-kind.ts';
import { visibleDeliveriesByIds } from './visible-deliveries.ts';

/** Sent deliveries. Their access word is `public`, because an app and its managers see them: the query checks the caller. */
export const deliveryNode = numberedNode({ type: 'WebhookDelivery', access: 'public', load: visibleDeliveriesByIds });
