import { isAncestor } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { commitOf } from '../../git/revision.ts';
import type { Push, RefChange } from '../pushes/push-work.ts';
import { pushedCommits } from '../pushes/pushed-commits.ts';
import type { PushFacts } from './hook-event.ts';

/** Commits that one payload names; of more the newest. */
const mostCommits = 2048;
/** Branches that are looked at for the one that a new one was made from. */
const mostBranches = 1000;

const none = '0'.repeat(40);

/** What a payload has to say of one changed ref. The refs have moved already. */
export async function pushFacts(push: Push, change: RefChange): Promise<PushFacts> {
  const { repository } = push;
  const { ref, old, new: to } = change;
  const head = to === undefined ? undefined : await commitOf(repository, to);
  const facts = { ref, before: old ?? none, after: to ?? none, head: head ?? null };
  if (to === undefined || head === undefined || !ref.startsWith('refs/heads/')) {
    return { ...facts, baseRef: null, forced: old !== undefined && to !== undefined, commits: [] };
  }
  const commits = await pushedCommits(push, change);
  return {
    ...facts,
    baseRef: old === undefined ? await branchAt(repository, to, ref) : null,
    forced: old !== undefined && !(await isAncestor(repository, old, head)),
    commits: commits.newest(mostCommits).map(({ oid, isDistinct }) => [oid, isDistinct]),
  };
}

/** Another branch that ends there. */
async function branchAt(repository: Repository, end: Oid, ref: string): Promise<string | null> {
  const branches = await listRefs(repository, { prefix: 'refs/heads/', limit: mostBranches });
  return branches.find(({ name, oid }) => name !== ref && oid === end)?.name ?? null;
}
