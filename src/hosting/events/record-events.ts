import { type Kysely, sql } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';

/** The account or app that caused an event. */
export type EventActor = { accountId: number } | { appId: number };

/** A commit in a push event. `name` and `email` are the author's. */
export interface EventCommit {
  sha: string;
  name: string;
  email: string;
  message: string;
  distinct: boolean;
}

/** Stored payload by event type: facts that never change. Ref names are in published form. */
export interface EventFacts {
  PushEvent: {
    ref: string;
    head: string;
    before: string;
    size: number;
    distinctSize: number;
    /** Oldest first. */
    commits: EventCommit[];
  };
  CreateEvent: {
    /** Short name; null for the repository itself. */
    ref: string | null;
    refType: 'branch' | 'tag' | 'repository';
    fullRef: string | null;
    masterBranch: string;
    description: string | null;
  };
  DeleteEvent: { ref: string; refType: 'branch' | 'tag'; fullRef: string };
  WatchEvent: Record<string, never>;
  ForkEvent: { forkeeId: number };
  PublicEvent: Record<string, never>;
  MemberEvent: { memberId: number };
}

export type EventTypeName = keyof EventFacts;

export type NewEvent = {
  [Type in EventTypeName]: { type: Type; facts: EventFacts[Type] };
}[EventTypeName];

/** The actor as events name it; undefined for actors that record no events, neither user nor app. */
export function eventActor(actor: Actor): EventActor | undefined {
  if (actor.kind === 'user') return { accountId: actor.accountId };
  return actor.kind === 'installation' ? { appId: actor.appId } : undefined;
}

/** What the events of one action have in common. */
interface EventOrigin {
  repositoryId: number;
  by: EventActor;
  at: Date;
}

/** Inserts events of a repository in order, in the transaction that causes them. One statement. */
export async function recordEvents(
  db: Kysely<unknown>,
  { by, ...cause }: Omit<EventOrigin, 'by'> & { by: EventActor | undefined },
  events: readonly NewEvent[],
): Promise<void> {
  if (by === undefined || events.length === 0) return;
  await insertEvents(
    db,
    events.map(event => ({ ...cause, by, event })),
  );
}

interface Values {
  times: string[];
  types: string[];
  accounts: (number | null)[];
  apps: (number | null)[];
  repositories: number[];
  facts: string[];
}

const insertEventsStatement = compiledStatement<Values, unknown>(
  ['times', 'types', 'accounts', 'apps', 'repositories', 'facts'],
  v => sql`
    insert into event (created_at, type, actor_id, app_id, repository_id, owner_id, network_id, payload)
    select n.at, n.type, n.account_id, n.app_id, r.id, r.owner_id, coalesce(r.network_root_id, r.id), n.facts::jsonb
    from unnest(${v.times}::timestamptz[], ${v.types}::text[], ${v.accounts}::bigint[], ${v.apps}::bigint[],
        ${v.repositories}::bigint[], ${v.facts}::text[])
      with ordinality as n (at, type, account_id, app_id, repository_id, facts, turn)
    join repository r on r.id = n.repository_id order by n.turn`,
);

/** Events of one statement, whose parameters are made in one slice: a push of 10,000 refs has as many. */
const eventsPerStatement = 1_000;

/** The same for events of several repositories or actors. */
export async function insertEvents(
  db: Kysely<unknown>,
  events: readonly (EventOrigin & { event: NewEvent })[],
): Promise<void> {
  for (let at = 0; at < events.length; at += eventsPerStatement) {
    await insertEventsStatement(valuesOf(events.slice(at, at + eventsPerStatement))).execute(db);
  }
}

function valuesOf(events: readonly (EventOrigin & { event: NewEvent })[]): Values {
  return {
    times: events.map(({ at }) => at.toISOString()),
    types: events.map(({ event }) => event.type),
    accounts: events.map(({ by }) => ('accountId' in by ? by.accountId : null)),
    apps: events.map(({ by }) => ('appId' in by ? by.appId : null)),
    repositories: events.map(({ repositoryId }) => repositoryId),
    facts: events.map(({ event }) => JSON.stringify(event.facts)),
  };
}
