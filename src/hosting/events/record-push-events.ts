import type { Oid } from '../../git/object.ts';
import { readBatches } from '../../git/read-objects.ts';
import { commitMessage } from '../commits/git-commit.ts';
import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import { type PushedCommits, pushedCommits } from '../pushes/pushed-commits.ts';
import { type EventCommit, insertEvents, type NewEvent } from './record-events.ts';

/** Maximum commits in a push event. */
const maxCommits = 20;
/** Maximum stored characters of a commit message. */
const maxMessageLength = 8_192;
/**
 * Maximum stored characters of an author's name and email address: git does not limit them, and a feed page has 2,000
 * commits.
 */
const maxPersonLength = 255;
/**
 * Maximum stored characters of all commits in the events of one push. Ten thousand branches with 20 commits each could have 1.6 GB. The
 * events of later branches have no commits; their sizes tell.
 */
const maxCommitLength = 4_000_000;
/** Changes whose commits are read together. */
const changesPerRead = 100;
/** A push that changes more tags than this records no tag events. */
const maxTags = 3;

const zeroOid = '0'.repeat(40);
const branchPrefix = 'refs/heads/';
const tagPrefix = 'refs/tags/';

/**
 * Records the events of a push, in the order of its changes. Refs that are neither branches nor tags have no events.
 */
export async function recordPushEvents(push: PreparedPush): Promise<void> {
  const by = pushActor(push);
  if (!by) return;
  const { changes, repository, target } = push;
  const repositoryFacts = { masterBranch: target.defaultBranch, description: target.description };
  const manyTags = changes.filter(({ ref }) => ref.startsWith(tagPrefix)).length > maxTags;
  const pushes = await buildPushEvents(push);
  const events: NewEvent[] = [];
  for (const change of changes) {
    const { ref } = change;
    const isTag = ref.startsWith(tagPrefix);
    if ((isTag && manyTags) || !(isTag || ref.startsWith(branchPrefix))) continue;
    const named = {
      ref: ref.slice(isTag ? tagPrefix.length : branchPrefix.length),
      refType: isTag ? ('tag' as const) : ('branch' as const),
      fullRef: ref,
    };
    if (change.old === undefined) events.push({ type: 'CreateEvent', facts: { ...named, ...repositoryFacts } });
    if (change.new === undefined) events.push({ type: 'DeleteEvent', facts: named });
    const pushed = pushes.get(change);
    if (pushed) events.push(pushed);
  }
  const cause = { repositoryId: repository.id, by, at: push.at };
  push.deferredInserts.add(
    insertEvents,
    events.map(event => ({ ...cause, event })),
  );
}

function pushActor({ pusherId, pusherAppId }: PreparedPush) {
  if (pusherId !== undefined) return { accountId: pusherId };
  return pusherAppId === undefined ? undefined : { appId: pusherAppId };
}

/** An updated branch is a push event. A new branch is one only if it has commits that were on no branch. */
async function buildPushEvents(push: PreparedPush): Promise<Map<RefChange, NewEvent>> {
  const pushed: { change: RefChange; head: Oid; commits: PushedCommits }[] = [];
  for (const change of push.changes) {
    const { ref, old, new: head } = change;
    if (head === undefined || !ref.startsWith(branchPrefix)) continue;
    const commits = await pushedCommits(push, change);
    if (old !== undefined || commits.distinctSize > 0) pushed.push({ change, head, commits });
  }
  const events = new Map<RefChange, NewEvent>();
  let left = maxCommitLength;
  for (let at = 0; at < pushed.length; at += changesPerRead) {
    const group = pushed
      .slice(at, at + changesPerRead)
      .map(one => ({ ...one, newest: one.commits.newest(maxCommits) }));
    const texts =
      left > 0 ? await readCommitTexts(push, new Set(group.flatMap(one => one.newest.map(({ oid }) => oid)))) : noTexts;
    for (const {
      change,
      head,
      commits: { size, distinctSize },
      newest,
    } of group) {
      const commits = newest.flatMap(({ oid, isDistinct }): EventCommit[] => {
        const text = texts.get(oid);
        return text ? [{ ...text, distinct: isDistinct }] : [];
      });
      left -= commits.reduce((sum, { name, email, message }) => sum + name.length + email.length + message.length, 0);
      const facts = { ref: change.ref, head, before: change.old ?? zeroOid, size, distinctSize };
      events.set(change, { type: 'PushEvent', facts: { ...facts, commits: left < 0 ? [] : commits } });
    }
  }
  return events;
}

type CommitText = Omit<EventCommit, 'distinct'>;

const noTexts: ReadonlyMap<Oid, CommitText> = new Map();

async function readCommitTexts({ repository }: PreparedPush, oids: ReadonlySet<Oid>): Promise<Map<Oid, CommitText>> {
  const texts = new Map<Oid, CommitText>();
  for await (const { found } of readBatches(repository, oids)) {
    for (const [oid, { commit }] of found) {
      const { name, email } = commit.author;
      const message = toStorableText(commitMessage(commit).slice(0, maxMessageLength));
      texts.set(oid, { sha: oid, name: truncatePerson(name), email: truncatePerson(email), message });
    }
  }
  return texts;
}

const truncatePerson = (text: string): string => toStorableText(text.slice(0, maxPersonLength));

/** Removes what jsonb rejects: NUL and lone surrogates. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
