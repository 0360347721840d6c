import { sql } from 'kysely';
import type { Oid } from '../../git/object.ts';
import { lockNames, moveRefs } from '../../git/refs.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { RefChange } from './push-work.ts';

/** Milliseconds that a push waits for others on the same ref. */
export const patience = 2_500;

/**
 * Locks the refs and reads them, in one statement: PostgreSQL reads a row again after it has waited for its lock. A ref that
 * is not there has no row to lock: whoever may make it locks the names of the repository and looks again.
 */
export async function lockRefs(
  repository: RepositoryInTransaction,
  refs: readonly string[],
): Promise<Map<string, Oid>> {
  const locked = async (): Promise<Map<string, Oid>> => {
    const rows = await repository.read<{ name: string; oid: Buffer }>(sql`
      with patience as materialized (select set_config('lock_timeout', ${`${patience}`}, true))
      select git_ref.name, git_ref.oid from patience, git_ref
      where git_ref.repository_id = ${repository.id} and git_ref.name = any(${[...refs]})
      order by git_ref.name for update of git_ref`);
    return new Map(rows.map(({ name, oid }) => [name, oid.toString('hex')]));
  };
  const found = await locked();
  if (refs.every(ref => found.has(ref))) return found;
  // Where no row was found PostgreSQL need not have looked at what else the statement says.
  await sql`select set_config('lock_timeout', ${`${patience}`}, true)`.execute(repository.db);
  await lockNames(repository.db, repository.id);
  return locked();
}

/** Moves refs from where the lock found them. */
export async function moveLocked(repository: RepositoryInTransaction, changes: readonly RefChange[]): Promise<void> {
  const moves = changes.map(({ ref, old, new: to }) => ({ name: ref, old, to }));
  const ref = await moveRefs(repository.db, repository.id, moves);
  // Under the lock this does not happen; should somebody write refs without it, nothing is lost here.
  if (ref !== undefined)
    throw new Moved({ ref, expected: moves.find(one => one.name === ref)?.old, actual: undefined });
}

/** Ends the transaction of a push whose ref stood elsewhere. */
export class Moved extends Error {
  readonly facts: { ref: string; expected: Oid | undefined; actual: Oid | undefined };

  constructor(facts: Moved['facts']) {
    super(`${facts.ref} is at ${facts.actual} and was expected at ${facts.expected}.`);
    this.facts = facts;
  }
}

/** 55P03: waited for a lock for too long. 40P01: waited in a circle, which PostgreSQL ended. */
export function isBusy(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown };
    if (code === '55P03' || code === '40P01') return true;
  }
  return false;
}
