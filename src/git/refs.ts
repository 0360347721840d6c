import { type Kysely, type RawBuilder, sql } from 'kysely';
import { GitError } from './git-error.ts';
import type { Oid } from './object.ts';
import { isRefName, parentRefNames } from './ref-name.ts';
import { oidBytes, type Repository } from './repository.ts';

export interface Ref {
  /** Full name: refs/heads/main */
  name: string;
  oid: Oid;
}

export async function readRef({ id, read }: Repository, name: string): Promise<Oid | undefined> {
  // No column holds what PostgreSQL calls no text.
  if (name.includes('\0')) return undefined;
  const [row] = await read<{ oid: Buffer }>(
    sql`select oid from git_ref where repository_id = ${id} and name = ${name}`,
  );
  return row?.oid.toString('hex');
}

/** Those of the names that are there. */
export async function readRefs({ id, read }: Repository, names: readonly string[]): Promise<Map<string, Oid>> {
  const asked = names.filter(name => !name.includes('\0'));
  const rows = await read<{ name: string; oid: Buffer }>(
    sql`select name, oid from git_ref where repository_id = ${id} and name = any(${asked})`,
  );
  return new Map(rows.map(row => [row.name, row.oid.toString('hex')]));
}

/** Refs whose names begin with `prefix`, in git's order, from the one behind `after` on. */
export async function listRefs(
  { id, read }: Repository,
  { prefix = 'refs/', after, limit }: { prefix?: string; after?: string; limit: number },
): Promise<Ref[]> {
  // The end of the range is the prefix with its last character raised; prefixes end in a slash or a letter.
  const end = prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);
  const rows = await read<{ name: string; oid: Buffer }>(
    sql`select name, oid from git_ref where repository_id = ${id} and name >= ${prefix} and name < ${end}
      and name > ${after ?? ''} order by name limit ${limit}`,
  );
  return rows.map(row => ({ name: row.name, oid: row.oid.toString('hex') }));
}

/** Whether the repository has any branch: git calls one without empty, whatever objects it has. */
export async function hasBranches({ id, read }: Repository): Promise<boolean> {
  const rows = await read(
    sql`select 1 from git_ref where repository_id = ${id} and name >= 'refs/heads/' and name < 'refs/heads0' limit 1`,
  );
  return rows.length > 0;
}

/** Where a ref shall go from where it stands. Undefined: from being absent, to being absent. */
export interface RefMove {
  name: string;
  old: Oid | undefined;
  to: Oid | undefined;
}

/**
 * Compare and swap of several refs in one statement for each kind of move. Gives the name of one that did not stand at `old`:
 * whoever is told one must roll back. A name that cannot be a ref is an error, and so is one that would have to be a
 * folder and a file at once.
 *
 * Of two creations the unique index lets one win, as it must. Conflicts of names no index can see: whoever creates a ref
 * holds a lock of the repository until its transaction ends. Moves of refs that exist do not meet it.
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
  // Deletions first: they make room for other names.
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

/** A move of a ref that is there and stays. */
export type ExistingRefMove = RefMove & { old: Oid; to: Oid };

/** Moves as one statement takes them. */
export interface RefMoveValues {
  repositoryId: number;
  names: string[];
  /** Ids as digits: few at a time, and PostgreSQL makes bytes of them. */
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

/** A statement, or a part of one: moves refs from where they stand, and gives the names of those that stood there. */
export const moveRefsSql = (v: RefMoveValues): RawBuilder<unknown> => sql`
  update git_ref r set oid = decode(n.new, 'hex')
  from unnest(${v.names}::text[], ${v.olds}::text[], ${v.tos}::text[]) as n (name, old, new)
  where r.repository_id = ${v.repositoryId} and r.name = n.name and r.oid = decode(n.old, 'hex') returning r.name`;

/** Which of the advisory locks of a repository this is: the first key of two, the second is the repository. */
const refNamesLockKey = 701_677;

/** Lets nobody else make a ref in the repository until the transaction ends. */
export async function lockRefNames(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${refNamesLockKey}, hashint8(${repositoryId}))`.execute(db);
}

/** Refuses names that are none, or that are folders of other names, among themselves and among those that are there. */
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
