import { recordPush } from '../events/push-events.ts';
import { judgePush } from '../rules/judge-push.ts';
import { deliverPush } from '../webhooks/deliver-push.ts';
import type { Push, Violation } from './push-work.ts';

/**
 * Where other parts of the product take part in a push, in this order and in its transaction. Rules are asked before anything
 * is stored, all of them, and what they write is kept when they refuse. The others run once the refs have moved; one that
 * throws undoes the push.
 */
export interface PushSteps {
  rules: readonly ((push: Push) => Promise<Violation[]>)[];
  events: readonly ((push: Push) => Promise<void>)[];
  deliveries: readonly ((push: Push) => Promise<void>)[];
}

/** What takes part in every push. */
export const pushSteps: PushSteps = {
  rules: [judgePush],
  events: [recordPush],
  deliveries: [deliverPush],
};
