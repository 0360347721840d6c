import { type RawBuilder, sql } from 'kysely';
import type { RefOrder } from '../../../schema/hosting/ref.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedList, forEachKey } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { isStorableText } from '../../db/storable-text.ts';
import type { Oid } from '../../git/object.ts';
import { refNames } from '../../git/revision.ts';
import type { GitPlace } from './git-place.ts';

/** A ref of the graph. */
export interface RefRow {
  place: GitPlace;
  /** Full name. */
  fullName: string;
  oid: Oid;
}

interface RefKey {
  place: GitPlace;
  /** Full names, the preferred one first. */
  names: readonly string[];
}

/**
 * DataLoader batch function: the first ref that exists of each key, in one statement. The list of repositories is a condition of its own:
 * a join alone does not tell a distributed database which server to ask.
 */
export async function loadRefs({ read }: Pick<Context, 'read'>, keys: readonly RefKey[]): Promise<(RefRow | null)[]> {
  const wanted = keys.flatMap(({ names }, at) => names.map((name, rank) => ({ name, rank, at })));
  const repositoryIds = [...new Set(keys.map(({ place }) => place.databaseId))];
  const rows = await read(sql<{ at: number; name: string; oid: Buffer }>`
    select distinct on (w.at) w.at, g.name, g.oid from
    unnest(${wanted.map(({ at }) => keys[at]?.place.databaseId ?? 0)}::bigint[], ${wanted.map(({ name }) => name)}::text[],
      ${wanted.map(({ rank }) => rank)}::int[], ${wanted.map(({ at }) => at)}::int[]) as w (repository_id, name, rank, at)
    join git_ref g on g.repository_id = w.repository_id and g.name = w.name
    where g.repository_id = any(${repositoryIds}::bigint[]) order by w.at, w.rank`);
  const found = keys.map((): RefRow | null => null);
  for (const { at, name, oid } of rows) {
    const place = keys[at]?.place;
    if (place) found[at] = { place, fullName: name, oid: oid.toString('hex') };
  }
  return found;
}

/** The ref with one of these full names, the first that exists; null for none. */
export function findRef(context: Context, place: GitPlace, names: readonly string[]): Promise<RefRow | null> {
  return context.load(loadRefs, noSelection).load({ place, names: names.filter(isStorableText) });
}

/** The ref with a full name, or with a short one as git looks it up; null for none. */
export const findNamedRef = (context: Context, place: GitPlace, name: string): Promise<RefRow | null> =>
  findRef(context, place, name.startsWith('refs/') ? [name] : refNames(name));

/** DataLoader batch function: whether repositories have a branch, in one statement. */
async function loadHasBranches({ read }: Pick<Context, 'read'>, repositoryIds: readonly number[]): Promise<boolean[]> {
  const rows = await read(sql<{ id: number }>`select k.id from unnest(${[...repositoryIds]}::bigint[]) k (id)
    where exists (select 1 from git_ref g where g.repository_id = k.id and g.name >= 'refs/heads/' and g.name < 'refs/heads0')`);
  const found = new Set(rows.map(({ id }) => id));
  return repositoryIds.map(id => found.has(id));
}

/** Whether the repository has a branch. */
export const hasAnyBranch = (context: Context, { databaseId }: Pick<GitPlace, 'databaseId'>): Promise<boolean> =>
  context.load(loadHasBranches, noSelection).load(databaseId);

export interface RefFilters {
  refPrefix: string;
  query?: string | null | undefined;
  orderBy?: RefOrder | null | undefined;
  direction?: string | null | undefined;
}

/** Refs of a repository below a prefix, by name; below a list of repositories, in one statement for all of them. */
export function refsOf(
  context: Context,
  place: GitPlace,
  { refPrefix, query, orderBy, direction }: RefFilters,
): ListSource<RefRow> {
  const prefix = refPrefix.endsWith('/') ? refPrefix : `${refPrefix}/`;
  if (![prefix, query ?? ''].every(isStorableText)) return { rows: async () => [], total: async () => 0 };
  const isDescending = (orderBy?.direction ?? direction) === 'desc';
  const order = { prefix, query: query ?? '', isDescending, byDate: orderBy?.field === 'TAG_COMMIT_DATE' };
  const list = batchedList(context, 'Repository.refs', order, place.databaseId, refSource(context, order));
  return {
    total: list.total,
    async rows(slice) {
      const rows = await list.rows(slice);
      return rows.map(({ name, oid }) => ({ place, fullName: name, oid: oid.toString('hex') }));
    },
  };
}

interface StoredRef {
  name: string;
  oid: Buffer;
}

interface RefSelection {
  prefix: string;
  query: string;
  isDescending: boolean;
  byDate: boolean;
}

function refSource(
  { read }: Pick<Context, 'read'>,
  { prefix, query, isDescending, byDate }: RefSelection,
): BatchedSource<number, StoredRef> {
  // The range of all names that begin with the prefix: 0 is the character after the slash.
  const where = (key: RawBuilder<unknown>): RawBuilder<unknown> => sql`g.repository_id = ${key}
    and g.name >= ${prefix} and g.name < ${`${prefix.slice(0, -1)}0`}
    ${query === '' ? sql`` : sql`and strpos(lower(substr(g.name, ${prefix.length + 1})), lower(${query})) > 0`}`;
  const way = sql.raw(isDescending ? 'desc' : 'asc');
  // The row of an annotated tag has no date but that of its storage; its commit is known from its content only.
  const date = sql`(select coalesce(o.committed_at, extract(epoch from o.stored_at)::bigint) from git_object o
    where o.repository_id = g.repository_id and o.oid = g.oid)`;
  const order = byDate ? sql`${date} ${way}, g.name` : sql`g.name ${way}`;
  return {
    rows: (keys, { limit, offsets }) =>
      forEachKey<StoredRef>(
        read,
        keys,
        'bigint',
        (key, offset) => sql`select g.name, g.oid from git_ref g where ${where(key)}
          order by ${order} limit ${limit} offset ${offset}`,
        offsets,
      ),
    async totals(keys) {
      const counts = await forEachKey<{ total: number }>(
        read,
        keys,
        'bigint',
        key => sql`select count(*)::int as total from git_ref g where ${where(key)}`,
      );
      return counts.map(([count]) => count?.total ?? 0);
    },
  };
}
