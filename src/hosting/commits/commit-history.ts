import { sql } from 'kysely';
import { maxCountedCommits } from '../../../schema/hosting/git-object.ts';
import type { CommitAuthor } from '../../../schema/hosting/ref.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { type ListSource, uncounted } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { preloadAncestors, readContents } from '../../git/batched-objects.ts';
import type { Commit } from '../../git/commit.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { walkHistory } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import type { ObjectKey } from '../../git/object-key.ts';
import { pathHistory } from '../../git/path-history.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { pathParts } from '../../git/tree-path.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import { accountOfNoreplyEmail } from './noreply-email.ts';

/** Which commits of a history are listed. */
export interface HistoryFilters {
  path?: string | null | undefined;
  author?: CommitAuthor | null | undefined;
  committer?: CommitAuthor | null | undefined;
  /** ISO 8601 with an offset. */
  since?: string | null | undefined;
  until?: string | null | undefined;
}

/** Commits that a filtered walk visits; it then ends. A path that never existed would otherwise cost the whole history. */
const maxFilteredCommits = 20_000;

/** DataLoader batch function: reads commits with their nearest ancestors into the cache, in one statement. */
async function loadAncestors({ read }: Context, rows: readonly GitObjectRow[]): Promise<true[]> {
  const keys = rows.map(({ place, oid }): ObjectKey => ({ repositoryId: place.databaseId, oid }));
  await preloadAncestors(read, keys);
  return rows.map(() => true);
}

/** Commits that are reachable from a commit, newest first; with a path, those that changed what is there. */
export function historyOf(context: Context, tip: GitObjectRow, filters: HistoryFilters): ListSource<GitObjectRow> {
  const walk = async function* (): AsyncGenerator<CommitNode> {
    await context.load(loadAncestors, noSelection).load(tip);
    yield* filteredHistory(context, tip, filters);
  };
  return {
    mayBeUncounted: true,
    async rows({ limit, offset }) {
      const page: GitObjectRow[] = [];
      let at = 0;
      for await (const { oid } of walk()) {
        if (at++ < offset) continue;
        page.push(gitObjectRow('commit', tip.place, oid));
        if (page.length === limit) break;
      }
      return page;
    },
    async total() {
      let count = 0;
      for await (const _ of walk()) if (++count > maxCountedCommits) return uncounted;
      return count;
    },
  };
}

async function* filteredHistory(
  context: Context,
  { place, oid }: GitObjectRow,
  { path, author, committer, since, until }: HistoryFilters,
): AsyncGenerator<CommitNode> {
  const repository = openRepository(context.read, place.databaseId);
  const parts = pathParts((path ?? '').replace(/\/$/, ''));
  const isFiltered = parts.length > 0 || author != null || committer != null || since != null || until != null;
  if (!isFiltered) return yield* walkHistory(repository, [oid]);
  const walk =
    parts.length > 0
      ? pathHistory(repository, oid, parts, { maxCommits: maxFilteredCommits })
      : firstOf(walkHistory(repository, [oid]), maxFilteredCommits);
  const inPeriod = period(walk, secondsOf(since) ?? 0, secondsOf(until) ?? Number.POSITIVE_INFINITY);
  const wanted: PersonConditions = {
    ...(author ? { author: await personCondition(context, author) } : {}),
    ...(committer ? { committer: await personCondition(context, committer) } : {}),
  };
  if (!author && !committer) return yield* inPeriod;
  yield* byPeople(repository, inPeriod, wanted);
}

const secondsOf = (time: string | null | undefined): number | undefined =>
  time == null ? undefined : Date.parse(time) / 1000;

/** The first `max` items. */
export async function* firstOf<T>(items: AsyncIterable<T>, max: number): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    if (++count > max) return;
    yield item;
  }
}

/** The items in groups of `size`; the last group may be smaller. */
export async function* groupsOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
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

/** Commits whose content is read by one statement, and its bytes. */
const authorBatch = { commits: 100, bytes: 16 * 1024 * 1024 };

/** Conditions on email addresses in lower case. */
type PersonConditions = Partial<Record<'author' | 'committer', (email: string) => boolean>>;

async function* byPeople(
  repository: Repository,
  walk: AsyncIterable<CommitNode>,
  wanted: PersonConditions,
): AsyncGenerator<CommitNode> {
  for await (const group of groupsOf(walk, authorBatch.commits)) {
    const people = await peopleOf(repository, group);
    const isWanted = (role: 'author' | 'committer', oid: Oid): boolean =>
      wanted[role]?.(people.get(oid)?.[role].email.toLowerCase() ?? '') ?? true;
    yield* group.filter(({ oid }) => isWanted('author', oid) && isWanted('committer', oid));
  }
}

/** Authors and committers. */
export async function peopleOf(
  repository: Repository,
  nodes: readonly CommitNode[],
): Promise<Map<Oid, Pick<Commit, 'author' | 'committer'>>> {
  const people = new Map<Oid, Pick<Commit, 'author' | 'committer'>>();
  let wanted = nodes.map(({ oid }): ObjectKey => ({ repositoryId: repository.id, oid }));
  while (wanted.length > 0) {
    const { value } = await readContents(repository.read, wanted, { left: authorBatch.bytes, maxBlobBytes: 0 });
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

/** Whether an email address, in lower case, is one of those given, or the published or the noreply address of the account. */
async function personCondition(context: Context, { id, emails }: CommitAuthor): Promise<(email: string) => boolean> {
  const wanted = new Set((emails ?? []).map(email => email.toLowerCase()));
  if (id == null) return email => wanted.has(email);
  const accountId = numberOfId('User', id, 'author.id');
  const [row] = await context.read(sql<{ email: string | null }>`
    select lower(public_email) as email from account where id = ${accountId} and kind = 'user'`);
  if (row?.email) wanted.add(row.email);
  return email => wanted.has(email) || accountOfNoreplyEmail(context.publicOrigin, email) === accountId;
}
