import { sql } from 'kysely';
import { maxCountedCommits } from '../../../schema/hosting/git-object.ts';
import type { CommitAuthor } from '../../../schema/hosting/ref.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { type ListSource, uncounted } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { badInput } from '../../errors/errors.ts';
import { preloadAncestors } from '../../git/batched-objects.ts';
import { maxPathBytes } from '../../git/entry-path.ts';
import type { ObjectKey } from '../../git/object-key.ts';
import { pathParts } from '../../git/tree-path.ts';
import { compute } from '../../workers/computation.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import { type HistoryWalk, historyComputation, historyCountComputation, type PersonAddresses } from './walk-commits.ts';

/** Which commits of a history are listed. */
export interface HistoryFilters {
  path?: string | null | undefined;
  author?: CommitAuthor | null | undefined;
  committer?: CommitAuthor | null | undefined;
  /** ISO 8601 with an offset. */
  since?: string | null | undefined;
  until?: string | null | undefined;
}

/** DataLoader batch function: reads commits with their nearest ancestors into the cache, in one statement. */
async function loadAncestors({ read }: Context, rows: readonly GitObjectRow[]): Promise<true[]> {
  const keys = rows.map(({ place, oid }): ObjectKey => ({ repositoryId: place.databaseId, oid }));
  await preloadAncestors(read, keys);
  return rows.map(() => true);
}

/** Commits that are reachable from a commit, newest first; with a path, those that changed what is there. */
export function historyOf(context: Context, tip: GitObjectRow, filters: HistoryFilters): ListSource<GitObjectRow> {
  const prepare = async (): Promise<HistoryWalk> => {
    await context.load(loadAncestors, noSelection).load(tip);
    return historyWalk(context, tip, filters);
  };
  return {
    mayBeUncounted: true,
    async rows({ limit, offset }) {
      const page = await compute(context, historyComputation, { ...(await prepare()), offset, limit });
      return page.map(oid => gitObjectRow('commit', tip.place, oid));
    },
    async total() {
      const walk = { ...(await prepare()), max: maxCountedCommits };
      const count = await compute(context, historyCountComputation, walk);
      return count > maxCountedCommits ? uncounted : count;
    },
  };
}

async function historyWalk(
  context: Context,
  { place, oid: tip }: GitObjectRow,
  { path, author, committer, since, until }: HistoryFilters,
): Promise<HistoryWalk> {
  if (Buffer.byteLength(path ?? '') > maxPathBytes)
    throw badInput(`The path has more than ${maxPathBytes} bytes.`, 'path');
  return {
    repositoryId: place.databaseId,
    tip,
    parts: pathParts((path ?? '').replace(/\/$/, '')),
    ...(author ? { author: await personAddresses(context, author) } : {}),
    ...(committer ? { committer: await personAddresses(context, committer) } : {}),
    ...(since == null ? {} : { since: secondsOf(since) }),
    ...(until == null ? {} : { until: secondsOf(until) }),
  };
}

const secondsOf = (time: string): number => Date.parse(time) / 1000;

/** The addresses that are given, or the published and the noreply address of the account. */
async function personAddresses(context: Context, { id, emails }: CommitAuthor): Promise<PersonAddresses> {
  const { publicOrigin } = context;
  const given = (emails ?? []).map(email => email.toLowerCase());
  if (id == null) return { emails: given, accountId: undefined, publicOrigin };
  const accountId = numberOfId('User', id, 'author.id');
  const [row] = await context.read(sql<{ email: string | null }>`
    select lower(public_email) as email from account where id = ${accountId} and kind = 'user'`);
  return { emails: row?.email ? [...given, row.email] : given, accountId, publicOrigin };
}
