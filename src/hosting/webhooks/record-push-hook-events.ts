import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import type { HookEvent } from './hook-event.ts';
import { PushEventFacts } from './push-event-data.ts';
import { recordHookEvents } from './record-hook-event.ts';

/**
 * A push that changes more refs than this sends no events for refs of that kind: it is a migration, and each change
 * would be noise.
 */
const maxChangedRefs = { branches: 5000, tags: 3 };

/**
 * Records the webhook events `create`, `delete` and `push` for the refs that a push changes. Executes no statement when
 * no app subscribes to any of them.
 */
export async function recordPushHookEvents(push: PreparedPush): Promise<void> {
  const { repository, target, changes, pusherId: senderId, pusherAppId: senderAppId, at } = push;
  const subscribed = new Set<string>(target.hookedEvents);
  if (subscribed.size === 0) return;
  const reported = [
    ...unlessTooMany(changes, 'refs/heads/', maxChangedRefs.branches),
    ...unlessTooMany(changes, 'refs/tags/', maxChangedRefs.tags),
  ];
  const facts = new PushEventFacts(push);
  const events: HookEvent[] = [];
  for (const change of reported) {
    const event = { repositoryId: repository.id, senderId, senderAppId, at };
    const kind = change.old === undefined ? 'create' : change.new === undefined ? 'delete' : undefined;
    if (kind !== undefined && subscribed.has(kind)) {
      const about = { master_branch: target.defaultBranch, description: target.description };
      const own = { ...refPayload(change.ref), ...(kind === 'create' ? about : {}) };
      events.push({ ...event, event: kind, own: { ...own, pusher_type: 'user' } });
    }
    if (subscribed.has('push')) events.push({ ...event, event: 'push', push: await facts.of(change) });
  }
  await recordHookEvents(repository.db, events);
}

function unlessTooMany(changes: readonly RefChange[], prefix: string, limit: number): RefChange[] {
  const found = changes.filter(({ ref }) => ref.startsWith(prefix));
  return found.length > limit ? [] : found;
}

function refPayload(ref: string): { ref: string; ref_type: string } {
  const isBranch = ref.startsWith('refs/heads/');
  return { ref: ref.replace(/^refs\/(heads|tags)\//, ''), ref_type: isBranch ? 'branch' : 'tag' };
}
