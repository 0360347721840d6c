import { type Kysely, sql } from 'kysely';
import { compiledStatement } from '../../db/compiled-statement.ts';
import type { Oid } from '../../git/object.ts';
import { lockRefNames } from '../../git/refs.ts';
import { hasRulesets } from '../rules/load-rulesets.ts';
import type { SubscribableEvent } from '../webhooks/hook-event.ts';
import { subscribedEventsAmong } from '../webhooks/record-hook-event.ts';
import type { TargetRepository } from './prepared-push.ts';
import type { PushResult } from './push-request.ts';

/** Milliseconds that a push waits for others on the same ref. */
export const waitTimeoutMs = 2_500;

/** What is asked about every push of a repository, and where the refs stand that are locked for it. */
export interface LockedRefs {
  heads: Map<string, Oid>;
  target: TargetRepository;
}

interface Values {
  repositoryId: number;
  refs: string[];
  patience: string;
  events: SubscribableEvent[];
}

/**
 * One statement for every push: its way there and back is most of what it costs. What it tells beside the refs may be as old
 * as the wait for their lock. That is no more than a push may miss anyway: rules and hooks of who is told that they hold
 * before the push comes are there.
 */
const lockStatement = compiledStatement<Values, TargetRepository & { heads: Record<string, Oid> }>(
  ['repositoryId', 'refs', 'patience', 'events'],
  v => sql`
    with patience as materialized (select set_config('lock_timeout', ${v.patience}, true)),
      locked as materialized (select git_ref.name, git_ref.oid from patience, git_ref
        where git_ref.repository_id = ${v.repositoryId} and git_ref.name = any(${v.refs}::text[])
        order by git_ref.name for update of git_ref)
    select coalesce((select jsonb_object_agg(name, encode(oid, 'hex')) from locked), '{}') as heads,
      r.default_branch as "defaultBranch", r.description, ${hasRulesets} as "hasRulesets",
      ${subscribedEventsAmong(v.events)} as "hookedEvents"
    from repository r where r.id = ${v.repositoryId}`,
);

/**
 * Locks the refs and reads them, in one statement: PostgreSQL reads a row again after it has waited for its lock. A ref that
 * is not there has no row to lock: whoever may make it locks the names of the repository and looks again.
 */
export async function lockRefs(
  db: Kysely<unknown>,
  repositoryId: number,
  refs: readonly string[],
): Promise<LockedRefs> {
  const events: SubscribableEvent[] = ['push', 'create', 'delete'];
  const locked = async (): Promise<LockedRefs> => {
    const values = { repositoryId, refs: [...refs], patience: `${waitTimeoutMs}`, events };
    const [row] = (await lockStatement(values).execute(db)).rows;
    // Of a repository that is gone: what is to be stored for it is refused by PostgreSQL.
    const { heads, ...target } = row ?? { ...emptyTarget, heads: {} };
    return { heads: new Map(Object.entries(heads)), target };
  };
  const found = await locked();
  if (refs.every(ref => found.heads.has(ref))) return found;
  // Where no row was found PostgreSQL need not have looked at what else the statement says.
  await sql`select set_config('lock_timeout', ${`${waitTimeoutMs}`}, true)`.execute(db);
  await lockRefNames(db, repositoryId);
  return locked();
}

const emptyTarget: TargetRepository = { defaultBranch: '', description: null, hasRulesets: false, hookedEvents: [] };

/** Ends the transaction of a push whose ref stood elsewhere. */
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
