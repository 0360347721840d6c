import type { Kysely } from 'kysely';
import { isDay } from '../../../schema/vocabulary/scalars.ts';
import { invalidInput } from '../../errors/errors.ts';
import { addAd, endAd, type NewAd } from './add-ad.ts';
import { allAds } from './ads.queries.ts';

/** Context of the ad commands. `db` is a transaction. */
export interface AdCommandContext {
  db: Kysely<unknown>;
  now: Date;
  write(line: string): void;
}

/** Unparsed options of `ads add`. */
export interface AdOptions {
  title: string;
  target: string;
  body?: string;
  image?: string;
  advertiser?: string;
  weight?: string;
  starts?: string;
  ends?: string;
  impressions?: string;
  clicks?: string;
}

/**
 * Adds an ad.
 * @throws field errors
 */
export async function addAdCommand(options: AdOptions, { db, now, write }: AdCommandContext): Promise<void> {
  const ad: NewAd = {
    title: options.title,
    targetUrl: options.target,
    body: options.body,
    imageUrl: options.image,
    advertiser: options.advertiser,
    weight: parseNumber(options.weight),
    startsAt: parseInstant('starts', options.starts),
    endsAt: parseInstant('ends', options.ends),
    impressionBudget: parseNumber(options.impressions),
    clickBudget: parseNumber(options.clicks),
  };
  write(`Ad ${await addAd(db, ad, now)} added.`);
}

/** Lists every ad with its counts. */
export async function listAdsCommand({ db, now, write }: AdCommandContext): Promise<void> {
  const ads = await allAds(db);
  if (ads.length === 0) write('There are no ads.');
  for (const ad of ads) {
    const counts = `${formatCount(ad.impressions, ad.impressionBudget)} shown, ${formatCount(ad.clicks, ad.clickBudget)} clicked`;
    write(`${ad.id}\t${adState(ad, now)}\tweight ${ad.weight}\t${counts}\t${ad.title}\t${ad.targetUrl}`);
  }
}

/** Deactivates an ad. Returns false when there is none. */
export async function endAdCommand(id: string, { db, write }: AdCommandContext): Promise<boolean> {
  const ended = Number.isSafeInteger(Number(id)) && (await endAd(db, Number(id)));
  write(ended ? `Ad ${id} ended.` : `There is no running ad ${id}.`);
  return ended;
}

type ListedAd = Awaited<ReturnType<typeof allAds>>[number];

function adState(ad: ListedAd, now: Date): string {
  if (!ad.isActive) return 'ended';
  if (ad.startsAt !== null && new Date(ad.startsAt) > now) return 'waiting';
  if (ad.endsAt !== null && new Date(ad.endsAt) <= now) return 'over';
  const spent = (count: number, budget: number | null): boolean => budget !== null && count >= budget;
  return spent(ad.impressions, ad.impressionBudget) || spent(ad.clicks, ad.clickBudget) ? 'used up' : 'live';
}

const formatCount = (count: number, budget: number | null): string =>
  budget === null ? `${count}` : `${count} of ${budget}`;

/** Invalid numbers become NaN, which the checks refuse. */
const parseNumber = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

function parseInstant(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10)))
    throw invalidInput({ [option]: [`«${text}» is no time such as 2026-02-14T09:30:00Z.`] });
  return date;
}
