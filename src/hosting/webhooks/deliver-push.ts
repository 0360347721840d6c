import type { Push, RefChange } from '../pushes/push-work.ts';
import { pushFacts } from './push-facts.ts';
import { recordHookEvent } from './record-hook-event.ts';

/** Of more refs than these, changed at once, nobody is told: such a push is a move of a repository, and no news. */
const most = { branches: 5000, tags: 3 };

/** Has the apps told of a push, of refs that are made and of refs that go. No statement where no app wants to know. */
export async function deliverPush(push: Push): Promise<void> {
  const { repository, to, changes, pusherId: senderId, at } = push;
  const hooked = new Set<string>(to.hookedEvents);
  if (hooked.size === 0) return;
  const told = [...fewEnough(changes, 'refs/heads/', most.branches), ...fewEnough(changes, 'refs/tags/', most.tags)];
  for (const change of told) {
    const event = { repositoryId: repository.id, senderId, at };
    const kind = change.old === undefined ? 'create' : change.new === undefined ? 'delete' : undefined;
    if (kind !== undefined && hooked.has(kind)) {
      const about = { master_branch: to.defaultBranch, description: to.description };
      const own = { ...named(change.ref), ...(kind === 'create' ? about : {}) };
      await recordHookEvent(repository.db, { ...event, event: kind, own: { ...own, pusher_type: 'user' } });
    }
    if (hooked.has('push')) {
      const facts = await pushFacts(push, change);
      await recordHookEvent(repository.db, { ...event, event: 'push', push: facts });
    }
  }
}

function fewEnough(changes: readonly RefChange[], prefix: string, limit: number): RefChange[] {
  const found = changes.filter(({ ref }) => ref.startsWith(prefix));
  return found.length > limit ? [] : found;
}

function named(ref: string): { ref: string; ref_type: string } {
  const isBranch = ref.startsWith('refs/heads/');
  return { ref: ref.replace(/^refs\/(heads|tags)\//, ''), ref_type: isBranch ? 'branch' : 'tag' };
}
