import { sql } from 'kysely';
import { Ad, AdSlot } from '../../../schema/health/ad.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { type AdRow, adTotals, isRunning, randomShard } from './ads.queries.ts';

const shownSelectList = columnsOf(Ad, 'chosen');

/**
 * Chooses one live ad of a slot at random by weight and counts the impression, but not that of a HEAD; null when there is none.
 *
 * One statement, hence one transaction and one round trip: this call is made on every page. The count goes to one of 16
 * rows per ad, so that concurrent views rarely wait for each other. Concurrent views can exceed a budget; a lock that
 * prevents this would slow down every view.
 */
export async function showAd(
  { sql: db, now, appliesReadEffects }: Pick<Context, 'sql' | 'now' | 'appliesReadEffects'>,
  slot: AdSlot = AdSlot.MID_PAGE,
): Promise<AdRow | null> {
  // Exponential race: the smallest of -ln(u)/weight wins with probability proportional to its weight.
  const shown = await sql<AdRow>`
    with chosen as (
      select a.* from ad a cross join ${adTotals}
      where a.slot = ${slot} and ${isRunning(now().toISOString())}
        and (a.impression_budget is null or t.impressions < a.impression_budget)
        and (a.click_budget is null or t.clicks < a.click_budget)
      order by -ln(1 - random()) / a.weight limit 1
    ), counted as (
      insert into ad_tally as tally (ad_id, shard, impressions) select id, ${randomShard}, 1 from chosen where ${appliesReadEffects}::boolean
      on conflict (ad_id, shard) do update set impressions = tally.impressions + 1
    )
    select ${shownSelectList('all')} from chosen`.execute(db);
  return shown.rows[0] ?? null;
}
