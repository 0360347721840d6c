import { readContents } from '../../git/batched-objects.ts';
import type { Commit } from '../../git/commit.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { walkHistory } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import type { ObjectKey } from '../../git/object-key.ts';
import { pathHistory } from '../../git/path-history.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';
import { accountOfNoreplyEmail } from './noreply-email.ts';

/** Addresses of a person: those that are listed, and the noreply address of the account. */
export interface PersonAddresses {
  /** In lower case. */
  emails: readonly string[];
  accountId: number | undefined;
  publicOrigin: string;
}

/** A history, and which of its commits are listed. Times are seconds since 1970. */
export interface HistoryWalk {
  repositoryId: number;
  tip: Oid;
  /** Of a path, as `pathParts` splits it; none for the whole tree. */
  parts: readonly string[];
  author?: PersonAddresses;
  committer?: PersonAddresses;
  since?: number;
  until?: number;
}

/** A page of a history, newest first. */
export const historyComputation: Computation<HistoryWalk & { offset: number; limit: number }, Oid[]> = {
  name: 'history',
  async run(source, { offset, limit, ...walk }) {
    const page: Oid[] = [];
    let at = 0;
    for await (const { oid } of listedCommits(openRepository(source, walk.repositoryId), walk)) {
      if (at++ < offset) continue;
      page.push(oid);
      if (page.length === limit) break;
    }
    return page;
  },
};

/** Number of the commits of a history; more than `max` are not counted. */
export const historyCountComputation: Computation<HistoryWalk & { max: number }, number> = {
  name: 'history-count',
  async run(source, { max, ...walk }) {
    let count = 0;
    for await (const _ of listedCommits(openRepository(source, walk.repositoryId), walk)) if (++count > max) break;
    return count;
  },
};

/** An author of commits, with the name of the newest one. */
export interface AuthorCount {
  name: string;
  email: string;
  count: number;
}

/** Commits whose contents are read together: first few, because a page is often full soon. */
const commitsPerRead = { first: 100, max: 2_000 };

/** Authors of the newest commits by address, in the order of their newest commits. */
export const authorsComputation: Computation<{ repositoryId: number; tip: Oid; maxCommits: number }, AuthorCount[]> = {
  name: 'authors',
  async run(source, { repositoryId, tip, maxCommits }) {
    const store = openRepository(source, repositoryId);
    const authors = new Map<string, AuthorCount>();
    for await (const group of groupsOf(firstOf(walkHistory(store, [tip]), maxCommits), commitsPerRead)) {
      const people = await peopleOf(store, group);
      for (const { oid } of group) {
        const author = people.get(oid)?.author;
        if (!author) continue;
        const key = author.email.toLowerCase();
        const known = authors.get(key);
        if (known) known.count++;
        else authors.set(key, { name: author.name, email: author.email, count: 1 });
      }
    }
    return [...authors.values()];
  },
};

async function* listedCommits(repository: Repository, filters: HistoryWalk): AsyncGenerator<CommitNode> {
  const { tip, parts, author, committer, since, until } = filters;
  const isFiltered = parts.length > 0 || author || committer || since !== undefined || until !== undefined;
  if (!isFiltered) return yield* walkHistory(repository, [tip]);
  // To the end of the history, or of the work budget, which is an error: an answer never lacks commits.
  const walk = parts.length > 0 ? pathHistory(repository, tip, parts) : walkHistory(repository, [tip]);
  const inPeriod = period(walk, since ?? 0, until ?? Number.POSITIVE_INFINITY);
  if (!author && !committer) return yield* inPeriod;
  yield* byPeople(repository, inPeriod, {
    ...(author ? { author: isOneOf(author) } : {}),
    ...(committer ? { committer: isOneOf(committer) } : {}),
  });
}

function isOneOf({ emails, accountId, publicOrigin }: PersonAddresses): (email: string) => boolean {
  const wanted = new Set(emails);
  return email =>
    wanted.has(email) || (accountId !== undefined && accountOfNoreplyEmail(publicOrigin, email) === accountId);
}

/** The first `max` items. */
async function* firstOf<T>(items: AsyncIterable<T>, max: number): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    if (++count > max) return;
    yield item;
  }
}

/** The items in groups, each twice as large as the one before up to `max`; the last group may be smaller. */
async function* groupsOf<T>(
  items: AsyncIterable<T>,
  { first, max }: { first: number; max: number },
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let size = first;
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
    size = Math.min(2 * size, max);
  }
  if (group.length > 0) yield group;
}

/** The walk is in the order of time, so that the first commit before `since` ends it, as in `git log`. */
async function* period(walk: AsyncIterable<CommitNode>, since: number, until: number): AsyncGenerator<CommitNode> {
  for await (const node of walk) {
    if (node.committedAt < since) return;
    if (node.committedAt <= until) yield node;
  }
}

/** Bytes of the contents that are read together. */
const maxBatchBytes = 16 * 1024 * 1024;

/** Conditions on email addresses in lower case. */
type PersonConditions = Partial<Record<'author' | 'committer', (email: string) => boolean>>;

async function* byPeople(
  repository: Repository,
  walk: AsyncIterable<CommitNode>,
  wanted: PersonConditions,
): AsyncGenerator<CommitNode> {
  for await (const group of groupsOf(walk, commitsPerRead)) {
    const people = await peopleOf(repository, group);
    const isWanted = (role: 'author' | 'committer', oid: Oid): boolean =>
      wanted[role]?.(people.get(oid)?.[role].email.toLowerCase() ?? '') ?? true;
    yield* group.filter(({ oid }) => isWanted('author', oid) && isWanted('committer', oid));
  }
}

/** Authors and committers. */
async function peopleOf(
  repository: Repository,
  nodes: readonly CommitNode[],
): Promise<Map<Oid, Pick<Commit, 'author' | 'committer'>>> {
  const people = new Map<Oid, Pick<Commit, 'author' | 'committer'>>();
  let wanted = nodes.map(({ oid }): ObjectKey => ({ repositoryId: repository.id, oid }));
  while (wanted.length > 0) {
    const { value } = await readContents(repository, wanted, { left: maxBatchBytes, maxBlobBytes: 0 });
    for (const [at, one] of value.entries()) {
      const commit = one?.content?.commit;
      if (commit) people.set(wanted[at]?.oid ?? '', commit);
    }
    // Those that did not fit beside others; one that does not fit alone is too large for a commit.
    const rest = wanted.filter((_, at) => value[at] === null);
    if (rest.length === wanted.length) break;
    wanted = rest;
  }
  return people;
}
