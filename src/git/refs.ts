import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isStorableText } from '../db/storable-text.ts';
import type { Oid } from './object.ts';
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

/** Refs of one statement: its parameters and its answer are made and parsed in one slice each. */
const movesPerStatement = 1_000;

/**
 * Compares and swaps several refs, of each kind of move a thousand with one statement. Returns the name of a ref that is not at `old`:
 * the caller must then roll back.
 *
 * The unique index decides between two creations of one name. It cannot see directory conflicts (`a` and `a/b`): the caller has
 * looked for them with `findUncreatableRefs`.
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
  // Deletions come first: they free names.
  return (
    (await moveEach(db, deletions, some => deleteRefsSql(repositoryId, some))) ??
    (await moveEach(db, updates, some => moveRefsSql(refMoveValues(repositoryId, some)))) ??
    (await moveEach(db, creations, some => createRefsSql(repositoryId, some)))
  );
}

/** Returns the first name that a statement does not return. */
async function moveEach<Move extends { name: string }>(
  db: Kysely<unknown>,
  moves: readonly Move[],
  statementOf: (some: readonly Move[]) => RawBuilder<unknown>,
): Promise<string | undefined> {
  for (let at = 0; at < moves.length; at += movesPerStatement) {
    const some = moves.slice(at, at + movesPerStatement);
    const { rows } = await sql<{ name: string }>`${statementOf(some)}`.execute(db);
    const done = new Set(rows.map(({ name }) => name));
    const stays = some.find(({ name }) => !done.has(name));
    if (stays) return stays.name;
  }
  return undefined;
}

const deleteRefsSql = (
  repositoryId: number,
  deletions: readonly { name: string; old: Oid }[],
): RawBuilder<unknown> => sql`
  delete from git_ref r
  using unnest(${deletions.map(({ name }) => name)}::text[], ${deletions.map(one => oidBytes(one.old))}::bytea[]) as n (name, old)
  where r.repository_id = ${repositoryId} and r.name = n.name and r.oid = n.old returning r.name`;

const createRefsSql = (
  repositoryId: number,
  creations: readonly { name: string; to: Oid }[],
): RawBuilder<unknown> => sql`
  insert into git_ref (repository_id, name, oid)
  select ${repositoryId}, n.name, n.oid
  from unnest(${creations.map(({ name }) => name)}::text[], ${creations.map(one => oidBytes(one.to))}::bytea[]) as n (name, oid)
  on conflict (repository_id, name) do nothing returning name`;

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
