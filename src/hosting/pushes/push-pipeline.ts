import { recordPushEvents } from '../events/record-push-events.ts';
import { evaluatePushRules } from '../rules/evaluate-push.ts';
import { recordPushHookEvents } from '../webhooks/record-push-hook-events.ts';
import type { PreparedPush, Violation } from './prepared-push.ts';

/**
 * Where other parts of the product take part in a push, in this order and in its transaction. Rules are asked before anything
 * is stored, all of them, and what they write is kept when they refuse. The others run once the refs have moved; one that
 * throws undoes the push.
 */
export interface PushPipeline {
  rules: readonly ((push: PreparedPush) => Promise<Violation[]>)[];
  events: readonly ((push: PreparedPush) => Promise<void>)[];
  deliveries: readonly ((push: PreparedPush) => Promise<void>)[];
}

/** What takes part in every push. */
export const pushPipeline: PushPipeline = {
  rules: [evaluatePushRules],
  events: [recordPushEvents],
  deliveries: [recordPushHookEvents],
};
