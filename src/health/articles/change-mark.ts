import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { busyTimeout, KeyedBatchQueue, type Outcome, runAlone, runTogether } from '../../db/keyed-batch-queue.ts';
import { perDatabase } from '../../db/per-database.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from './articles.queries.ts';
import { markRecommendationsSeen } from './mark-recommendation-seen.ts';

export type Mark = 'like' | 'bookmark';

/** What happens to the caller's mark; `set` and `remove` are idempotent. */
export type MarkChange = 'set' | 'remove' | 'toggle';

/** State of the mark after a change, and the article's count. */
export interface ChangedMark {
  isSet: boolean;
  count: number;
}

interface QueuedChange {
  context: Pick<Context, 'deadline' | 'now' | 'pipeline'>;
  mark: Mark;
  articleId: number;
  userId: number;
  change: MarkChange;
}

const maxChangesPerBatch = 64;

/** Group commit of the changes of one kind of mark on one article: each of them writes the article's count. */
const queueFor = perDatabase(
  () =>
    new KeyedBatchQueue<QueuedChange, ChangedMark>({
      maxItems: maxChangesPerBatch,
      timeout: busyTimeout,
      deadlineOf: ({ context }) => context.deadline,
      runBatch: runChanges,
    }),
);

/**
 * Sets, removes or toggles the caller's mark on an article. Concurrent changes on one article are stored by one transaction; each
 * counts, and gets the count after it. Setting and toggling also mark a recommendation of the article as seen.
 * @throws notFound for an article that is not visible
 */
export async function changeMark(
  context: Pick<Context, 'actor' | 'deadline' | 'hasCheck' | 'now' | 'pipeline' | 'read' | 'recordGroupCommit'>,
  mark: Mark,
  change: MarkChange,
  articleId: number,
): Promise<ChangedMark> {
  const { userId } = requirePerson(context.actor);
  const queued: QueuedChange = { context, mark, articleId, userId, change };
  const changed = context.hasCheck
    ? await runAlone(queued, runChanges)
    : await queueFor(context.read).run(`${mark} ${articleId}`, queued);
  await context.recordGroupCommit();
  return changed;
}

/** Changes of one person depend on each other and are stored one after the other, those of several people together. */
async function runChanges(changes: readonly QueuedChange[]): Promise<Outcome<ChangedMark>[]> {
  const outcomes = new Map<QueuedChange, Outcome<ChangedMark>>();
  for (let rest = changes; rest.length > 0; ) {
    const seen = new Set<number>();
    const round = rest.filter(({ userId }) => !seen.has(userId) && seen.add(userId));
    rest = rest.filter(one => !round.includes(one));
    const stored = await runTogether(round, storeChanges);
    for (const [at, one] of round.entries()) outcomes.set(one, stored[at] ?? { error: notFound() });
  }
  return changes.map(one => outcomes.get(one) ?? { error: notFound() });
}

/** Stores changes of different people to marks of one kind on one article, in one round trip. */
async function storeChanges(changes: readonly QueuedChange[]): Promise<Outcome<ChangedMark>[]> {
  const [first] = changes;
  if (!first) return [];
  const { context, mark, articleId } = first;
  const table = sql.table(`article_${mark}`);
  const count = sql.ref(`${mark}_count`);
  const article = sql`article a where a.id = ${articleId} and ${isVisible(context)}`;
  const users = changes.map(({ userId }) => userId);
  const [, changed] = await context.pipeline([
    // Locked first, so that the next statement sees the marks that others have committed.
    sql`select from ${article} for no key update`,
    sql<ChangedMark & { place: number }>`
      with item as (
        select * from unnest(${users}::bigint[], ${changes.map(({ change }) => change)}::text[])
          with ordinality item (user_id, change, place)
        where exists (select from ${article})),
      taken as (
        delete from ${table} given using item
        where given.user_id = item.user_id and given.article_id = ${articleId} and item.change <> 'set'
        returning given.user_id),
      put as (
        insert into ${table} (user_id, article_id, created_at)
        select user_id, ${articleId}, ${context.now().toISOString()} from item
        where change <> 'remove' and user_id not in (select user_id from taken)
        on conflict do nothing returning user_id),
      counted as (
        update article set ${count} = ${count} + (select count(*) from put) - (select count(*) from taken)
        where id = ${articleId} and (exists (select from put) or exists (select from taken)))
      select item.place::int as place, item.change = 'set' or put.user_id is not null as "isSet",
        (${count} + sum((put.user_id is not null)::int - (taken.user_id is not null)::int) over (order by item.place))::int as count
      from item join article a on a.id = ${articleId}
        left join put on put.user_id = item.user_id left join taken on taken.user_id = item.user_id`,
    markRecommendationsSeen(
      context,
      changes.filter(({ change }) => change !== 'remove').map(({ userId }) => userId),
      articleId,
      sql`exists (select from ${article})`,
    ),
  ]);
  const byPlace = new Map(changed.map(({ place, isSet, count }) => [place, { isSet, count }]));
  return changes.map((_, at) => {
    const value = byPlace.get(at + 1);
    return value ? { value } : { error: notFound() };
  });
}
