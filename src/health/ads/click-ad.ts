import { sql } from 'kysely';
import { Ad } from '../../../schema/health/ad.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type AdRow, isRunning, randomShard } from './ads.queries.ts';

const clickedSelectList = columnsOf(Ad, 'live', { always: ['id'] });

/** Repeated clicks of one person on one ad within this time are counted once. */
const dedupeMinutes = 10;

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

/**
 * Records a click and returns the selected fields of the ad. Clicks of the same person on the same ad within ten minutes count once. An ad
 * whose budget just ran out still accepts clicks, because it is still displayed somewhere.
 * @throws notFound for an ad that does not exist, is inactive or outside its schedule
 */
export async function clickAd(context: Dependencies, id: number, wanted: Selection): Promise<AdRow> {
  const { userId } = requirePerson(context.actor);
  const now = context.now().toISOString();
  // The row of (user, ad) serializes concurrent clicks: one inserts or updates it, the others see its new time. Sliding
  // window; fixed windows would count a double click across their boundary twice.
  const taken = await context.transaction(db =>
    sql<AdRow>`
      with live as (select a.* from ad a where a.id = ${id} and ${isRunning(now)}),
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
      select ${clickedSelectList(wanted)} from live`.execute(db),
  );
  const [click] = taken.rows;
  if (!click) throw notFound();
  return click;
}
