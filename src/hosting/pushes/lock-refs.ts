import { type Kysely, sql } from 'kysely';
import { compiledStatement } from '../../db/compiled-statement.ts';
import { collectionLockKey } from '../../git/collection-lock.ts';
import type { Oid } from '../../git/object.ts';
import { lockRefNames } from '../../git/refs.ts';
import { storedBytesSql } from '../repositories/repository-growth.ts';
import { hasRules } from '../rules/load-rulesets.ts';
import type { SubscribableEvent } from '../webhooks/hook-event.ts';
import { subscribedEventsAmong } from '../webhooks/record-hook-event.ts';
import type { TargetRepository } from './prepared-push.ts';
import type { PushResult } from './push-request.ts';

/** Milliseconds that a push waits for other pushes to the same ref. */
export const waitTimeoutMs = 2_500;

/** The locked refs with their ids (`heads`), and the facts about the repository that every push needs. */
export interface LockedRefs {
  heads: Map<string, Oid>;
  target: TargetRepository;
}

interface Values {
  repositoryId: number;
  refs: string[];
  lockTimeout: string;
  events: SubscribableEvent[];
}

/**
 * One statement for every push: its round trip is most of its cost. `kept` is `lockAgainstCollection`; the scan of the refs needs
 * its row and so begins after it. In the other order, a push that holds a ref would wait for a garbage collection that waits for
 * pushes to that ref. Everything but the refs is from the snapshot before
 * the wait for the locks. A push tolerates that: rulesets and webhooks that were confirmed to a client before the push
 * began are visible.
 */
const lockStatement = compiledStatement<Values, TargetRepository & { heads: Record<string, Oid> }>(
  ['repositoryId', 'refs', 'lockTimeout', 'events'],
  v => sql`
    with timeout as materialized (select set_config('lock_timeout', ${v.lockTimeout}, true) as value),
      kept as materialized (
        select ${v.repositoryId}::bigint as id, pg_advisory_xact_lock_shared(${collectionLockKey}, hashint8(${v.repositoryId}))
        from timeout where timeout.value is not null),
      locked as materialized (select git_ref.name, git_ref.oid from git_ref
        where git_ref.repository_id = (select id from kept) and git_ref.name = any(${v.refs}::text[])
        order by git_ref.name for update of git_ref)
    select coalesce((select jsonb_object_agg(name, encode(oid, 'hex')) from locked), '{}') as heads,
      r.default_branch as "defaultBranch", r.description, ${sql.raw(storedBytesSql)}::float8 as "storedBytes",
      r.is_copying as "isCopying", ${hasRules} as "hasRules",
      ${subscribedEventsAmong(v.events)} as "hookedEvents"
    from repository r where r.id = ${v.repositoryId}`,
);

/** The ids of more are one JSON object, which takes 20 ms to parse for 10,000. */
const refsPerStatement = 1_000;

/**
 * Locks refs, of which a push mostly has one, and reads them in one statement: after a lock wait, PostgreSQL reads the current version of a row. A ref
 * that does not exist has no row to lock, so the push locks the creation of refs in the repository and reads again.
 */
export async function lockRefs(
  db: Kysely<unknown>,
  repositoryId: number,
  refs: readonly string[],
): Promise<LockedRefs> {
  const events: SubscribableEvent[] = ['push', 'create', 'delete'];
  const lockSome = async (some: readonly string[], found: Map<string, Oid>): Promise<TargetRepository> => {
    const values = { repositoryId, refs: [...some], lockTimeout: `${waitTimeoutMs}`, events };
    const [row] = (await lockStatement(values).execute(db)).rows;
    // The repository was deleted; foreign keys will refuse the writes.
    const { heads, ...target } = row ?? { ...emptyTarget, heads: {} };
    for (const [name, oid] of Object.entries<Oid>(heads)) found.set(name, oid);
    return target;
  };
  const locked = async (): Promise<LockedRefs> => {
    const heads = new Map<string, Oid>();
    // In the order in which all pushes lock refs.
    let target = await lockSome(refs.slice(0, refsPerStatement), heads);
    for (let at = refsPerStatement; at < refs.length; at += refsPerStatement)
      target = await lockSome(refs.slice(at, at + refsPerStatement), heads);
    return { heads, target };
  };
  const found = await locked();
  if (refs.every(ref => found.heads.has(ref))) return found;
  // The lock timeout is set again: when no row matched, PostgreSQL may not have evaluated that part of the statement.
  await sql`select set_config('lock_timeout', ${`${waitTimeoutMs}`}, true)`.execute(db);
  await lockRefNames(db, repositoryId);
  return locked();
}

const emptyTarget: TargetRepository = {
  defaultBranch: '',
  description: null,
  storedBytes: 0,
  isCopying: false,
  hasRules: false,
  hookedEvents: [],
};

/** Ends the transaction of a push whose ref is not where it was expected. */
export class RefMovedError extends Error {
  readonly conflict: { ref: string; expected: Oid | undefined; actual: Oid | undefined };

  constructor(conflict: RefMovedError['conflict']) {
    super(`${conflict.ref} is at ${conflict.actual} and was expected at ${conflict.expected}.`);
    this.conflict = conflict;
  }
}

export function refMovedResult({ conflict }: RefMovedError): Extract<PushResult, { kind: 'conflict' }> {
  return { kind: 'conflict', reason: 'moved', ...conflict };
}
