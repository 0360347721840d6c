import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isStorableText } from '../db/storable-text.ts';
import { GitError } from './git-error.ts';
import type { Oid } from './object.ts';
import { isRefName, parentRefNames } from './ref-name.ts';
import { oidBytes, type Repository } from './repository.ts';

export interface Ref {
  /** Full name: refs/heads/main. */
  name: string;
  oid: Oid;
}

export async function readRef({ id, read }: Repository, name: string): Promise<Oid | undefined> {
  if (!isStorableText(name)) return undefined;
  const [row] = await read<{ oid: Buffer }>(
    sql`select oid from git_ref where repository_id = ${id} and name = ${name}`,
  );
  return row?.oid.toString('hex');
}

/** Ids of the refs that exist, by name. */
export async function readRefs({ id, read }: Repository, names: readonly string[]): Promise<Map<string, Oid>> {
  const asked = names.filter(isStorableText);
  const rows = await read<{ name: string; oid: Buffer }>(
    sql`select name, oid from git_ref where repository_id = ${id} and name = any(${asked})`,
  );
  return new Map(rows.map(row => [row.name, row.oid.toString('hex')]));
}

/**
 * Refs whose names begin with `prefix`, sorted by name in byte order as in git; `after` is the last name of the page
 * before, `oid` the object that they must point to.
 */
export async function listRefs(
  { id, read }: Repository,
  { prefix = 'refs/', after, oid, limit }: { prefix?: string; after?: string; oid?: Oid; limit: number },
): Promise<Ref[]> {
  // The end of the range is the prefix with its last character incremented; prefixes end in a slash or a letter.
  const end = prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);
  const rows = await read<{ name: string; oid: Buffer }>(
    sql`select name, oid from git_ref where repository_id = ${id} and name >= ${prefix} and name < ${end}
      and name > ${after ?? ''}${oid === undefined ? sql`` : sql` and oid = ${oidBytes(oid)}`} order by name limit ${limit}`,
  );
  return rows.map(row => ({ name: row.name, oid: row.oid.toString('hex') }));
}

/** Whether the repository has a branch. A repository without branches is empty to git, whatever objects it has. */
export async function hasBranches({ id, read }: Repository): Promise<boolean> {
  const rows = await read(
    sql`select 1 from git_ref where repository_id = ${id} and name >= 'refs/heads/' and name < 'refs/heads0' limit 1`,
  );
  return rows.length > 0;
}

/** A compare-and-swap of one ref. `old` undefined: the ref must not exist; `to` undefined: the ref is deleted. */
export interface RefMove {
  name: string;
  old: Oid | undefined;
  to: Oid | undefined;
}

/**
 * Compares and swaps several refs with one statement for each kind of move. Returns the name of a ref that is not at
 * `old`: the caller must then roll back.
 *
 * The unique index decides between two creations of one name. It cannot see directory conflicts (`a` and `a/b`), so a
 * creation holds an advisory lock of the repository until its transaction ends. Updates of existing refs do not take
 * that lock.
 * @throws GitError `bad-ref-name` for an invalid name; `ref-conflict` when a name is needed both as a ref and as a
 *   directory
 */
export async function moveRefs(
  db: Kysely<unknown>,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<string | undefined> {
  const deletions = moves.flatMap(({ name, old, to }) =>
    old !== undefined && to === undefined ? [{ name, old }] : [],
  );
  const updates = moves.flatMap(({ name, old, to }) =>
    old !== undefined && to !== undefined ? [{ name, old, to }] : [],
  );
  const creations = moves.flatMap(({ name, old, to }) => (old === undefined && to !== undefined ? [{ name, to }] : []));
  const names = (all: readonly { name: string }[]): string[] => all.map(one => one.name);
  const done = new Set<string>();
  const markDone = ({ rows }: { rows: { name: string }[] }): void => {
    for (const { name } of rows) done.add(name);
  };
  // Deletions come first: they free names.
  if (deletions.length > 0) {
    markDone(
      await sql<{ name: string }>`delete from git_ref r
        using unnest(${names(deletions)}::text[], ${deletions.map(one => oidBytes(one.old))}::bytea[]) as n (name, old)
        where r.repository_id = ${repositoryId} and r.name = n.name and r.oid = n.old returning r.name`.execute(db),
    );
  }
  if (updates.length > 0) {
    markDone(await sql<{ name: string }>`${moveRefsSql(refMoveValues(repositoryId, updates))}`.execute(db));
  }
  if (creations.length > 0) {
    await assertNoNameConflict(db, repositoryId, names(creations));
    markDone(
      await sql<{ name: string }>`insert into git_ref (repository_id, name, oid)
        select ${repositoryId}, n.name, n.oid
        from unnest(${names(creations)}::text[], ${creations.map(one => oidBytes(one.to))}::bytea[]) as n (name, oid)
        on conflict (repository_id, name) do nothing returning name`.execute(db),
    );
  }
  return names([...deletions, ...updates, ...creations]).find(name => !done.has(name));
}

/** An update of an existing ref: neither a creation nor a deletion. */
export type ExistingRefMove = RefMove & { old: Oid; to: Oid };

/** Many moves as the parameters of one statement. */
export interface RefMoveValues {
  repositoryId: number;
  names: string[];
  /** Hexadecimal ids; the statement decodes them. */
  olds: Oid[];
  tos: Oid[];
}

export function refMoveValues(repositoryId: number, moves: readonly ExistingRefMove[]): RefMoveValues {
  return {
    repositoryId,
    names: moves.map(({ name }) => name),
    olds: moves.map(({ old }) => old),
    tos: moves.map(({ to }) => to),
  };
}

/** A statement, or a common table expression: updates the refs that are at their old ids and returns their names. */
export const moveRefsSql = (v: RefMoveValues): RawBuilder<unknown> => sql`
  update git_ref r set oid = decode(n.new, 'hex')
  from unnest(${v.names}::text[], ${v.olds}::text[], ${v.tos}::text[]) as n (name, old, new)
  where r.repository_id = ${v.repositoryId} and r.name = n.name and r.oid = decode(n.old, 'hex') returning r.name`;

/** First key of the two-key advisory lock; the second key is the repository. */
const refNamesLockKey = 701_677;

/** Blocks the creation of refs by other transactions of the repository until the transaction ends. */
export async function lockRefNames(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${refNamesLockKey}, hashint8(${repositoryId}))`.execute(db);
}

/** Refuses names that are invalid, and names that conflict as directories with each other or with existing refs. */
async function assertNoNameConflict(
  db: Kysely<unknown>,
  repositoryId: number,
  names: readonly string[],
): Promise<void> {
  const made = new Set(names);
  const folders = new Map<string, string>();
  for (const name of names) {
    if (!isRefName(name)) throw new GitError('bad-ref-name', name, `«${name}» cannot be the name of a ref.`);
    for (const folder of parentRefNames(name)) {
      folders.set(folder, name);
      if (made.has(folder)) throw nameConflict(name, folder);
    }
  }
  await lockRefNames(db, repositoryId);
  const { rows } = await sql<{ name: string; other: string }>`
    select r.name as name, r.name as other from git_ref r
      where r.repository_id = ${repositoryId} and r.name = any(${[...folders.keys()]})
    union all
    select n.name, r.name from unnest(${[...names]}::text[]) as n (name)
      cross join lateral (select name from git_ref where repository_id = ${repositoryId}
        and name > n.name || '/' and name < n.name || '0' limit 1) r
    limit 1`.execute(db);
  const [row] = rows;
  if (row) throw nameConflict(folders.get(row.name) ?? row.name, row.other);
}

function nameConflict(name: string, other: string): GitError {
  return new GitError('ref-conflict', name, `«${name}» cannot be made: «${other}» exists.`);
}
