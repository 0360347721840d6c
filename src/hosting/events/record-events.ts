import { type Kysely, sql } from 'kysely';
import type { Actor } from '../../auth/actor.ts';

/** Who an event is by: an account or an app. */
export type EventActor = { accountId: number } | { appId: number };

/** A commit of a push as it is kept. `name` and `email` are its author's. */
export interface KeptCommit {
  sha: string;
  name: string;
  email: string;
  message: string;
  distinct: boolean;
}

/** What is kept of each kind of event: facts that never change. Names of refs are as they are published. */
export interface EventFacts {
  PushEvent: {
    ref: string;
    head: string;
    before: string;
    size: number;
    distinctSize: number;
    /** The oldest first. */
    commits: KeptCommit[];
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

/** Who acts, as events say it; undefined for who is neither user nor app, whose deeds make no events. */
export function eventActor(actor: Actor): EventActor | undefined {
  if (actor.kind === 'user') return { accountId: actor.accountId };
  return actor.kind === 'installation' ? { appId: actor.appId } : undefined;
}

/** Records what happened in a repository, in this order, in the transaction that made it happen. One statement. */
export async function recordEvents(
  db: Kysely<unknown>,
  { repositoryId, by, at }: { repositoryId: number; by: EventActor | undefined; at: Date },
  events: readonly NewEvent[],
): Promise<void> {
  if (by === undefined || events.length === 0) return;
  const [accountId, appId] = 'accountId' in by ? [by.accountId, null] : [null, by.appId];
  await sql`
    insert into event (created_at, type, actor_id, app_id, repository_id, owner_id, network_id, payload)
    select ${at.toISOString()}::timestamptz, n.type, ${accountId}::bigint, ${appId}::bigint, r.id, r.owner_id,
      coalesce(r.network_root_id, r.id), n.facts::jsonb
    from unnest(${events.map(({ type }) => type)}::text[], ${events.map(({ facts }) => JSON.stringify(facts))}::text[])
      with ordinality as n (type, facts, turn)
    join repository r on r.id = ${repositoryId} order by n.turn`.execute(db);
}
