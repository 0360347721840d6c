import type { Kysely } from 'kysely';
import { addAd } from '../../src/health/ads/add-ad.ts';

/** Demo ads of invented advertisers, with URLs in the reserved domain example.org. */
const ads = [
  {
    title: 'Walk the old railway',
    body: 'Twelve level miles between two cafés. Maps are free.',
    targetUrl: 'https://railway-path.example.org/?from=portico',
    advertiser: 'Friends of the Railway Path',
    weight: 3,
  },
  {
    title: 'Quiet evenings, better nights',
    body: 'A free eight-week course on sleeping well, in your library.',
    targetUrl: 'https://library.example.org/courses/sleep',
    advertiser: 'Lindholm Town Library',
    weight: 1,
  },
];

export async function seedAds(db: Kysely<unknown>, now: Date): Promise<void> {
  for (const ad of ads) await addAd(db, ad, now);
}
