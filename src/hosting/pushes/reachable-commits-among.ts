import type { CommitNode } from '../../git/commit-node.ts';
import { CommitDateQueue } from '../../git/date-queue.ts';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';

/**
 * Those of `nodes` that `tip` reaches through each other, newest first.
 * @throws WorkBudgetError
 */
export async function reachableCommitsAmong(
  { workBudget }: Pick<Repository, 'workBudget'>,
  nodes: ReadonlyMap<Oid, CommitNode>,
  tip: Oid,
): Promise<CommitNode[]> {
  const queue = new CommitDateQueue();
  const queued = new Set<Oid>();
  const found: CommitNode[] = [];
  const put = (oid: Oid): void => {
    const node = nodes.get(oid);
    if (!node || queued.has(oid)) return;
    queued.add(oid);
    queue.push(node);
  };
  put(tip);
  for (let node = queue.pop(); node; node = queue.pop()) {
    found.push(node);
    workBudget.spendSteps(1 + node.parents.length);
    if (workBudget.isTurnDue) await workBudget.turn();
    for (const parent of node.parents) put(parent);
  }
  return found;
}
