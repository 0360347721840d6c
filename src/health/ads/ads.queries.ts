import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AdClickRecord } from '../../../schema/health/activity-records.ts';
import { Ad } from '../../../schema/health/ad.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';

/** An ad as it is shown. */
export type AdRow = Pick<Ad, 'id' | 'title' | 'body' | 'imageUrl' | 'targetUrl' | 'advertiser' | 'slot'>;

/** Ads with these ids that are live now, in their order; null for the other ids. */
export async function findLiveAds(
  { read, now }: Pick<Context, 'read' | 'now'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(AdRow | null)[]> {
  const found = await read(sql<AdRow>`select ${liveSelectList(wanted)} from ad a
    where a.id = any(${[...ids]}::bigint[]) and ${isRunning(now().toISOString())}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** An ad in the list of the command line. */
export type AdReport = Omit<Ad, 'createdAt'> & { impressions: number; clicks: number };

const liveSelectList = columnsOf(Ad, 'a', { always: ['id'] });

const reportSelectList = columnsOf(Ad, 'a', {
  always: ['weight', 'isActive', 'startsAt', 'endsAt', 'impressionBudget', 'clickBudget', 'impressions', 'clicks'],
  computed: { impressions: 't.impressions', clicks: 't.clicks' },
});

/** Condition: active and within its schedule at `now` (ISO 8601). Budgets are checked in `showAd`. */
export const isRunning = (now: string): RawBuilder<unknown> =>
  sql`a.is_active and (a.starts_at is null or a.starts_at <= ${now}) and (a.ends_at is null or a.ends_at > ${now})`;

/** Totals of the ad `a`: at most `tallyShards` rows of a primary key. */
export const adTotals = sql`lateral (select coalesce(sum(impressions), 0)::int as impressions,
  coalesce(sum(clicks), 0)::int as clicks from ad_tally where ad_id = a.id) t`;

/** Number of counter rows per ad. */
export const tallyShards = 16;

/** Which row counts this time. */
export const randomShard = sql`floor(random() * ${tallyShards})::int`;

/** Every ad with its counts, the newest first. */
export async function allAds(db: Kysely<unknown>): Promise<AdReport[]> {
  const { rows } = await sql<AdReport>`
    select ${reportSelectList('all')}
    from ad a cross join ${adTotals} order by a.id desc`.execute(db);
  return rows;
}

/** An ad that the user has clicked. */
export type ClickedAdRow = AdClickRecord;

/** Ads that a user has clicked, the latest click first. */
export async function adsClickedBy(db: Context['sql'], userId: number): Promise<ClickedAdRow[]> {
  const { rows } = await sql<Omit<ClickedAdRow, 'adId'>>`
    select c.ad_id as "adDatabaseId", a.title, c.clicks as "totalClickCount", c.latest_at as "latestClickAt", c.counted as "clickCount", c.first_at as "firstClickedAt",
      c.last_at as "lastClickedAt"
    from ad_click c join ad a on a.id = c.ad_id where c.user_id = ${userId}
    order by c.last_at desc, c.ad_id desc`.execute(db);
  return rows.map(row => ({ ...row, adId: encodeGlobalId('Ad', row.adDatabaseId) }));
}
