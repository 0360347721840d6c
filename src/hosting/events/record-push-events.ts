import type { Oid } from '../../git/object.ts';
import { findObjects } from '../../git/read-objects.ts';
import { commitMessage } from '../commits/git-commit.ts';
import type { PreparedPush, RefChange } from '../pushes/prepared-push.ts';
import { type PushedCommit, pushedCommits } from '../pushes/pushed-commits.ts';
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
    else if (!isTag) events.push(...(await buildPushEvents(push, change, change.new)));
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
async function buildPushEvents(push: PreparedPush, change: RefChange, head: Oid): Promise<NewEvent[]> {
  const { size, distinctSize, newest } = await pushedCommits(push, change);
  if (change.old === undefined && distinctSize === 0) return [];
  const commits = await buildEventCommits(push, newest(maxCommits));
  const facts = { ref: change.ref, head, before: change.old ?? zeroOid, size, distinctSize, commits };
  return [{ type: 'PushEvent', facts }];
}

async function buildEventCommits(
  { repository }: PreparedPush,
  commits: readonly PushedCommit[],
): Promise<EventCommit[]> {
  const objects = await findObjects(
    repository,
    commits.map(({ oid }) => oid),
  );
  return commits.flatMap(({ oid, isDistinct }) => {
    const commit = objects.get(oid)?.commit;
    if (!commit) return [];
    const { name, email } = commit.author;
    const message = toStorableText(commitMessage(commit).slice(0, maxMessageLength));
    const person = { name: truncatePerson(name), email: truncatePerson(email) };
    return [{ sha: oid, ...person, message, distinct: isDistinct }];
  });
}

const truncatePerson = (text: string): string => toStorableText(text.slice(0, maxPersonLength));

/** Removes what jsonb rejects: NUL and lone surrogates. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
