import { type Kysely, sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import type { ImportOutcome } from '../articles/import-articles.ts';
import type { ImportedEntry } from '../articles/import-feed.ts';

/** `unchanged`: the publisher says that nothing has changed since the last run. */
export type FeedOutcome = 'imported' | 'unchanged' | 'failed';

/** One run of a subscription. */
export interface FeedRun extends Record<ImportOutcome | 'rejected', number> {
  subscriptionId: number;
  startedAt: string;
  endedAt: string;
  outcome: FeedOutcome;
  /** Of the last answer; null where there was none. */
  httpStatus: number | null;
  /** Why it failed, a sentence without its full stop; null for the others. */
  problem: string | null;
  /** Those that were not unchanged, at most 500. */
  entries: ImportedEntry[];
}

/** Runs of a subscription that are kept. */
const keptRuns = 50;
/** Runs of a subscription that are shown. */
export const shownRuns = 10;
/** Entries of a run that are kept, of 300 bytes each. */
const maxEntries = 500;

/** Stores a run, and deletes those that are no longer kept. `db` is a transaction that holds the subscription. */
export async function insertRun(db: Kysely<unknown>, run: FeedRun): Promise<void> {
  const entries = run.entries.filter(({ outcome }) => outcome !== 'unchanged').slice(0, maxEntries);
  await sql`
    insert into feed_run (subscription_id, started_at, ended_at, outcome, http_status, problem, added, updated, unchanged, older, rejected,
      entries)
    values (${run.subscriptionId}, ${run.startedAt}, ${run.endedAt}, ${run.outcome}, ${run.httpStatus}, ${run.problem}, ${run.added},
      ${run.updated}, ${run.unchanged}, ${run.older}, ${run.rejected}, ${JSON.stringify(entries)}::jsonb)`.execute(db);
  await sql`delete from feed_run where subscription_id = ${run.subscriptionId} and id <= (
    select id from feed_run where subscription_id = ${run.subscriptionId} order by id desc offset ${keptRuns} limit 1)`.execute(
    db,
  );
}

/** DataLoader batch: the last runs of each subscription, the newest first. */
export async function runsOfSubscriptions({ read }: { read: Read }, ids: readonly number[]): Promise<FeedRun[][]> {
  const rows = await read(sql<FeedRun>`
    select r.subscription_id::int as "subscriptionId", r.started_at as "startedAt", r.ended_at as "endedAt", r.outcome,
      r.http_status as "httpStatus", r.problem, r.added, r.updated, r.unchanged, r.older, r.rejected, r.entries
    from unnest(${[...ids]}::bigint[]) as wanted(id)
    cross join lateral (
      select * from feed_run where subscription_id = wanted.id order by id desc limit ${shownRuns}
    ) r
    order by r.id desc`);
  return ids.map(id => rows.filter(row => row.subscriptionId === id));
}
