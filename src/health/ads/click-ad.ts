import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isRunning, randomShard } from './ads.queries.ts';

/** Within this time after a click that counted, another click of the same person on the same ad does not. */
const dedupeMinutes = 10;

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

/**
 * Takes a click and says where it leads; it is counted unless the same person clicked the same ad less than ten minutes
 * ago. An ad whose budget has just run out still takes clicks: it stands on somebody's page. Throws notFound for an ad that
 * does not exist, was taken down, or is not within its time.
 */
export async function clickAd(context: Dependencies, id: number): Promise<{ ad: number; targetUrl: string }> {
  const { userId } = requirePerson(context.actor);
  const now = context.now().toISOString();
  // The row of (person, ad) decides: of parallel clicks one inserts or updates it, and the others find the new time in it.
  // A window that slides; fixed ones would count a double click across their border twice.
  const taken = await context.transaction(db =>
    sql<{ ad: number; targetUrl: string }>`
      with live as (select a.id, a.target_url from ad a where a.id = ${id} and ${isRunning(now)}),
      fresh as (
        insert into ad_click as click (user_id, ad_id, first_at, last_at) select ${userId}::bigint, id, ${now}::timestamptz, ${now}::timestamptz from live
        on conflict (user_id, ad_id) do update set counted = click.counted + 1, last_at = excluded.last_at
          where click.last_at <= excluded.last_at - make_interval(mins => ${dedupeMinutes})
        returning ad_id
      ),
      counted as (
        insert into ad_tally as tally (ad_id, shard, clicks) select ad_id, ${randomShard}, 1 from fresh
        on conflict (ad_id, shard) do update set clicks = tally.clicks + 1
      )
      select id as ad, target_url as "targetUrl" from live`.execute(db),
  );
  const [click] = taken.rows;
  if (!click) throw notFound();
  return click;
}
