import { type Kysely, sql } from 'kysely';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';

/** A new ad. Times are instants; an absent limit means no limit. */
export interface NewAd {
  title: string;
  targetUrl: string;
  body?: string | undefined;
  imageUrl?: string | undefined;
  advertiser?: string | undefined;
  /** 1 to 1000: relative frequency. */
  weight?: number | undefined;
  startsAt?: Date | undefined;
  endsAt?: Date | undefined;
  impressionBudget?: number | undefined;
  clickBudget?: number | undefined;
}

/**
 * Inserts an ad and returns its id. URLs must be http or https; texts are plain.
 * @throws field errors
 */
export async function addAd(db: Kysely<unknown>, ad: NewAd, now: Date): Promise<number> {
  const checks = new InputChecks();
  const title = checks.text('title', ad.title, filledText(120));
  const body = ad.body === undefined ? null : checks.text('body', ad.body, filledText(500));
  const advertiser = ad.advertiser === undefined ? null : checks.text('advertiser', ad.advertiser, filledText(120));
  const targetUrl = checkWebAddress(checks, 'targetUrl', ad.targetUrl);
  const imageUrl = ad.imageUrl === undefined ? null : checkWebAddress(checks, 'imageUrl', ad.imageUrl);
  const weight = checkRange(checks, 'weight', ad.weight ?? 1, 1000);
  const impressionBudget = checkRange(checks, 'impressionBudget', ad.impressionBudget ?? null, 2_000_000_000);
  const clickBudget = checkRange(checks, 'clickBudget', ad.clickBudget ?? null, 2_000_000_000);
  if (ad.startsAt && ad.endsAt && ad.startsAt >= ad.endsAt) checks.add('endsAt', 'It ends before it starts.');
  checks.assertPassed();
  const { rows } = await sql<{ id: number }>`
    insert into ad (title, body, image_url, target_url, advertiser, weight, starts_at, ends_at, impression_budget,
      click_budget, created_at)
    values (${title}, ${body}, ${imageUrl}, ${targetUrl}, ${advertiser}, ${weight}, ${ad.startsAt?.toISOString() ?? null},
      ${ad.endsAt?.toISOString() ?? null}, ${impressionBudget}, ${clickBudget}, ${now.toISOString()})
    returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Deactivates an ad. Returns false when there is no such active ad. */
export async function endAd(db: Kysely<unknown>, id: number): Promise<boolean> {
  const { rows } = await sql`update ad set is_active = false where id = ${id} and is_active returning id`.execute(db);
  return rows.length === 1;
}

/** Returns the normalized URL. A `javascript:` or `data:` URL would run in the page that shows the ad. */
function checkWebAddress(checks: InputChecks, field: string, given: string): string {
  const url = URL.parse(given.trim());
  const good = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!good || url.href.length > 2000) {
    checks.add(field, 'Enter a valid http or https address of at most 2000 characters, without a name and password.');
    return '';
  }
  return url.href;
}

function checkRange<T extends number | null>(checks: InputChecks, field: string, value: T, max: number): T {
  if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= max))
    checks.add(field, `Enter a whole number from 1 to ${max}.`);
  return value;
}
