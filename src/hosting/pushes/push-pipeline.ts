import { recordPushEvents } from '../events/record-push-events.ts';
import { forgetFormerBranchNames } from '../git-data/former-branch-names.ts';
import { evaluatePushRules } from '../rules/evaluate-push.ts';
import { recordPushHookEvents } from '../webhooks/record-push-hook-events.ts';
import type { PreparedPush, Violation } from './prepared-push.ts';

/**
 * The steps that other parts of the product add to a push, in this order and in its transaction. All rules run before
 * anything is stored; what they write is kept when they refuse the push. Events and deliveries run after the refs have
 * moved; an error in them rolls the push back.
 */
export interface PushPipeline {
  rules: readonly ((push: PreparedPush) => Promise<Violation[]>)[];
  events: readonly ((push: PreparedPush) => Promise<void>)[];
  deliveries: readonly ((push: PreparedPush) => Promise<void>)[];
}

/** The steps of every push. */
export const pushPipeline: PushPipeline = {
  rules: [evaluatePushRules],
  events: [recordPushEvents, forgetFormerBranchNames],
  deliveries: [recordPushHookEvents],
};
