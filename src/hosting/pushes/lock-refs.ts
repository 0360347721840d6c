import { type Kysely, sql } from 'kysely';
import { fixedStatement } from '../../db/fixed-statement.ts';
import type { Oid } from '../../git/object.ts';
import { lockNames } from '../../git/refs.ts';
import { holdsRulesets } from '../rules/rulesets-of-repository.ts';
import type { SubscribedEvent } from '../webhooks/hook-event.ts';
import { hookedAmong } from '../webhooks/record-hook-event.ts';
import type { PushResult } from './push-request.ts';
import type { PushedTo } from './push-work.ts';

/** Milliseconds that a push waits for others on the same ref. */
export const patience = 2_500;

/** What is asked about every push of a repository, and where the refs stand that are locked for it. */
export interface Locked {
  heads: Map<string, Oid>;
  to: PushedTo;
}

interface Values {
  repositoryId: number;
  refs: string[];
  patience: string;
  events: SubscribedEvent[];
}

/**
 * One statement for every push: its way there and back is most of what it costs. What it tells beside the refs may be as old
 * as the wait for their lock. That is no more than a push may miss anyway: rules and hooks of who is told that they hold
 * before the push comes are there.
 */
const locking = fixedStatement<Values, PushedTo & { heads: Record<string, Oid> }>(
  ['repositoryId', 'refs', 'patience', 'events'],
  v => sql`
    with patience as materialized (select set_config('lock_timeout', ${v.patience}, true)),
      locked as materialized (select git_ref.name, git_ref.oid from patience, git_ref
        where git_ref.repository_id = ${v.repositoryId} and git_ref.name = any(${v.refs}::text[])
        order by git_ref.name for update of git_ref)
    select coalesce((select jsonb_object_agg(name, encode(oid, 'hex')) from locked), '{}') as heads,
      r.default_branch as "defaultBranch", r.description, ${holdsRulesets} as "hasRulesets",
      ${hookedAmong(v.events)} as "hookedEvents"
    from repository r where r.id = ${v.repositoryId}`,
);

/**
 * Locks the refs and reads them, in one statement: PostgreSQL reads a row again after it has waited for its lock. A ref that
 * is not there has no row to lock: whoever may make it locks the names of the repository and looks again.
 */
export async function lockRefs(db: Kysely<unknown>, repositoryId: number, refs: readonly string[]): Promise<Locked> {
  const events: SubscribedEvent[] = ['push', 'create', 'delete'];
  const locked = async (): Promise<Locked> => {
    const values = { repositoryId, refs: [...refs], patience: `${patience}`, events };
    const [row] = (await locking(values).execute(db)).rows;
    // Of a repository that is gone: what is to be stored for it is refused by PostgreSQL.
    const { heads, ...to } = row ?? { ...nothing, heads: {} };
    return { heads: new Map(Object.entries(heads)), to };
  };
  const found = await locked();
  if (refs.every(ref => found.heads.has(ref))) return found;
  // Where no row was found PostgreSQL need not have looked at what else the statement says.
  await sql`select set_config('lock_timeout', ${`${patience}`}, true)`.execute(db);
  await lockNames(db, repositoryId);
  return locked();
}

const nothing: PushedTo = { defaultBranch: '', description: null, hasRulesets: false, hookedEvents: [] };

/** Ends the transaction of a push whose ref stood elsewhere. */
export class Moved extends Error {
  readonly facts: { ref: string; expected: Oid | undefined; actual: Oid | undefined };

  constructor(facts: Moved['facts']) {
    super(`${facts.ref} is at ${facts.actual} and was expected at ${facts.expected}.`);
    this.facts = facts;
  }
}

export function moved({ facts }: Moved): Extract<PushResult, { kind: 'conflict' }> {
  return { kind: 'conflict', reason: 'moved', ...facts };
}

/** 55P03: waited for a lock for too long. 40P01: waited in a circle, which PostgreSQL ended. */
export function isBusy(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown };
    if (code === '55P03' || code === '40P01') return true;
  }
  return false;
}
