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
/** Maximum commits in all payloads of one push; those of later branches have none beyond it. */
const maxCommitsPerPush = 100_000;
/** Maximum branches that are searched for the origin of a new branch. */
const maxBranches = 1000;

const zeroOid = '0'.repeat(40);

/** Collects the event data of the refs that a push has changed. Use it after the refs were updated. */
export class PushEventFacts {
  readonly #push: PreparedPush;
  #commitsLeft = maxCommitsPerPush;
  #branches: Promise<ReadonlyMap<Oid, string[]>> | undefined;

  constructor(push: PreparedPush) {
    this.#push = push;
  }

  async of(change: RefChange): Promise<PushEventData> {
    const { repository } = this.#push;
    const { ref, old, new: to } = change;
    const head = to === undefined ? undefined : await peelToCommit(repository, to);
    const facts = { ref, before: old ?? zeroOid, after: to ?? zeroOid, head: head ?? null };
    if (to === undefined || head === undefined || !ref.startsWith('refs/heads/')) {
      return { ...facts, baseRef: null, forced: old !== undefined && to !== undefined, commits: [] };
    }
    const { newest } = await pushedCommits(this.#push, change);
    const commits = newest(Math.min(maxCommits, this.#commitsLeft));
    this.#commitsLeft -= commits.length;
    return {
      ...facts,
      baseRef: old === undefined ? await this.#findBranchAt(to, ref) : null,
      forced: old !== undefined && !(await isAncestor(repository, old, head)),
      commits: commits.map(({ oid, isDistinct }) => [oid, isDistinct]),
    };
  }

  /** Full name of another branch at the same commit. */
  async #findBranchAt(end: Oid, ref: string): Promise<string | null> {
    this.#branches ??= firstBranchesAt(this.#push.repository);
    return (await this.#branches).get(end)?.find(name => name !== ref) ?? null;
  }
}

/** Up to two of the branches at each commit. */
async function firstBranchesAt(repository: Repository): Promise<Map<Oid, string[]>> {
  const found = new Map<Oid, string[]>();
  for (const { name, oid } of await listRefs(repository, { prefix: 'refs/heads/', limit: maxBranches })) {
    const known = found.get(oid);
    if (!known) found.set(oid, [name]);
    else if (known.length === 1) known.push(name);
  }
  return found;
}
