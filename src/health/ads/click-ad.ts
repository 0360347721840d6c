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
 * Records a click and returns the selected fields of the ad. Every click is stored; those of the same person on the same ad within ten
 * minutes count once. An ad whose budget just ran out still accepts clicks, because it is still displayed somewhere.
 * @throws notFound for an ad that does not exist, is inactive or outside its schedule
 */
export async function clickAd(context: Dependencies, id: number, wanted: Selection): Promise<AdRow> {
  const { userId } = requirePerson(context.actor);
  const now = context.now().toISOString();
  // The row of (user, ad) serializes concurrent clicks: one inserts or updates it, the others see its new time. Sliding
  // window; fixed windows would count a double click across their boundary twice.
  return context.transaction(async db => {
    const { rows } = await sql<AdRow & { isCounted: boolean }>`
      with live as (select a.* from ad a where a.id = ${id} and ${isRunning(now)}),
      fresh as (
        insert into ad_click as click (user_id, ad_id, first_at, last_at, latest_at)
          select ${userId}::bigint, id, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz from live
        on conflict (user_id, ad_id) do update set clicks = click.clicks + 1, counted = click.counted + 1,
          last_at = excluded.last_at, latest_at = excluded.latest_at
          where click.last_at <= excluded.last_at - make_interval(mins => ${dedupeMinutes})
        returning ad_id
      ),
      counted as (
        insert into ad_tally as tally (ad_id, shard, clicks) select ad_id, ${randomShard}, 1 from fresh
        on conflict (ad_id, shard) do update set clicks = tally.clicks + 1
      )
      select exists (select 1 from fresh) as "isCounted", ${clickedSelectList(wanted)} from live`.execute(db);
    const [click] = rows;
    if (!click) throw notFound();
    // A statement of its own sees the row of a click that came in at the same time.
    if (!click.isCounted) {
      await sql`update ad_click set clicks = clicks + 1, latest_at = greatest(latest_at, ${now}::timestamptz)
        where user_id = ${userId} and ad_id = ${click.id}`.execute(db);
    }
    return click;
  });
}
