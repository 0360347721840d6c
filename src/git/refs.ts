import { type Kysely, sql } from 'kysely';
import { GitError } from './git-error.ts';
import type { Oid } from './object.ts';
import { foldersOf, isRefName } from './ref-name.ts';
import { bytesOf, type Repository } from './repository.ts';

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

/**
 * Compare and swap: moves the ref from `old` to `to` and says whether `old` was what it stood at. Undefined for `old` means
 * that there must be no such ref, for `to` that it goes. A name that cannot be a ref is an error, and so is one that
 * would have to be a folder and a file at once.
 *
 * Of two creations the unique index lets one win, as it must. Conflicts of names no index can see: whoever creates a ref
 * holds a lock of the repository until its transaction ends. Moves of refs that exist do not meet it.
 */
export async function moveRef(
  db: Kysely<unknown>,
  repositoryId: number,
  { name, old, to }: { name: string; old: Oid | undefined; to: Oid | undefined },
): Promise<boolean> {
  if (old === undefined) return to === undefined ? true : createRef(db, repositoryId, name, to);
  const { numAffectedRows } =
    to === undefined
      ? await sql`delete from git_ref
          where repository_id = ${repositoryId} and name = ${name} and oid = ${bytesOf(old)}`.execute(db)
      : await sql`update git_ref set oid = ${bytesOf(to)}
          where repository_id = ${repositoryId} and name = ${name} and oid = ${bytesOf(old)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Which of the advisory locks of a repository this is: the first key of two, the second is the repository. */
const namesLock = 701_677;

/** Lets nobody else make a ref in the repository until the transaction ends. */
export async function lockNames(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${namesLock}, hashint8(${repositoryId}))`.execute(db);
}

async function createRef(db: Kysely<unknown>, repositoryId: number, name: string, to: Oid): Promise<boolean> {
  if (!isRefName(name)) throw new GitError('bad-ref-name', name, `«${name}» cannot be the name of a ref.`);
  await lockNames(db, repositoryId);
  const { rows } = await sql<{ name: string }>`select name from git_ref
    where repository_id = ${repositoryId}
      and (name = any(${foldersOf(name)}) or name >= ${`${name}/`} and name < ${`${name}0`}) limit 1`.execute(db);
  const [other] = rows;
  if (other) throw new GitError('ref-conflict', name, `«${name}» cannot be made: «${other.name}» exists.`);
  const { numAffectedRows } = await sql`insert into git_ref (repository_id, name, oid)
    values (${repositoryId}, ${name}, ${bytesOf(to)}) on conflict (repository_id, name) do nothing`.execute(db);
  return numAffectedRows === 1n;
}
