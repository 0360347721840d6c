import { isAncestor } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { peelToCommit } from '../../git/revision.ts';
import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import { pushedCommits } from '../pushes/pushed-commits.ts';
import type { PushEventData } from './hook-event.ts';

/** Maximum commits in one payload; the newest are kept. */
const maxCommits = 2048;
/** Maximum branches that are searched for the origin of a new branch. */
const maxBranches = 1000;

const zeroOid = '0'.repeat(40);

/** Collects the event data of one changed ref. Call it after the refs were updated. */
export async function collectPushEventData(push: PreparedPush, change: RefChange): Promise<PushEventData> {
  const { repository } = push;
  const { ref, old, new: to } = change;
  const head = to === undefined ? undefined : await peelToCommit(repository, to);
  const facts = { ref, before: old ?? zeroOid, after: to ?? zeroOid, head: head ?? null };
  if (to === undefined || head === undefined || !ref.startsWith('refs/heads/')) {
    return { ...facts, baseRef: null, forced: old !== undefined && to !== undefined, commits: [] };
  }
  const commits = await pushedCommits(push, change);
  return {
    ...facts,
    baseRef: old === undefined ? await findBranchAt(repository, to, ref) : null,
    forced: old !== undefined && !(await isAncestor(repository, old, head)),
    commits: commits.newest(maxCommits).map(({ oid, isDistinct }) => [oid, isDistinct]),
  };
}

/** Full name of another branch at the same commit. */
async function findBranchAt(repository: Repository, end: Oid, ref: string): Promise<string | null> {
  const branches = await listRefs(repository, { prefix: 'refs/heads/', limit: maxBranches });
  return branches.find(({ name, oid }) => name !== ref && oid === end)?.name ?? null;
}
