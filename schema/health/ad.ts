import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Bool, Choice, Integer, Key, Moment, Noun, Owner, PrimaryInteger, Text } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Position of an ad on a page. */
export const AdSlot = { MID_PAGE: 'mid_page' } as const;
export type AdSlot = (typeof AdSlot)[keyof typeof AdSlot];
registerEnumType(AdSlot, { name: 'AdSlot', description: 'Position of an ad on a page.' });

@Noun('ad', 'Advertisement: plain text and two URLs, no markup and no script.')
@Index<Ad>('ad_running', ['id'], { where: c => `${c.isActive}` })
@Check<Ad>('ad_weight_check', c => `(${c.weight} >= 1) and (${c.weight} <= 1000)`)
@Retained<Ad>({ rows: 'until the operator deletes the advertisement' })
export class Ad {
  @Key()
  id!: number;

  @Text({ about: 'Title, at most 120 characters of plain text.' })
  title!: string;

  @Text({ about: 'Text, at most 500 characters of plain text; null for none.', null: true })
  body!: string | null;

  @Text({ about: 'Absolute URL of a picture; null for none.', null: true })
  imageUrl!: string | null;

  @Text({ about: 'Target of a click: an absolute http or https URL.' })
  targetUrl!: string;

  @Text({ about: 'Name of the advertiser; null where it is not stated.', null: true })
  advertiser!: string | null;

  @Choice(() => AdSlot, { about: 'Position on the page.', default: 'mid_page' })
  slot!: AdSlot;

  /** Relative probability of being shown among the running ads. */
  @Integer({ hidden: true, default: 1 })
  weight!: number;

  @Bool({ hidden: true, default: true })
  isActive!: boolean;

  @Moment({ hidden: true, null: true })
  startsAt!: string | null;

  @Moment({ hidden: true, null: true })
  endsAt!: string | null;

  /** Maximum number of impressions; null for no limit. */
  @Integer({ hidden: true, null: true })
  impressionBudget!: number | null;

  /** Maximum number of clicks; null for no limit. */
  @Integer({ hidden: true, null: true })
  clickBudget!: number | null;

  @Moment({ hidden: true })
  createdAt!: string;
}

/**
 * Impressions and clicks of an ad, spread over a few rows (shards) that a read adds up. Page views would wait for each other's
 * lock on a single row per ad, and a row per view would need a job that counts and deletes them.
 */
@Entity({ tableName: 'ad_tally' })
@Retained<AdTally>({ rows: 'as long as the advertisement: one row for each and day' })
export class AdTally {
  @Owner(() => Ad, { onDelete: 'cascade', key: true })
  adId!: number;

  @PrimaryInteger()
  shard!: number;

  @Integer({ hidden: true, default: 0 })
  impressions!: number;

  @Integer({ hidden: true, default: 0 })
  clicks!: number;
}

/** Clicks of a person on an ad: first and last time, the number, and the number that counted. No network address is stored. */
@Entity({ tableName: 'ad_click' })
@Index<AdClick>('ad_click_by_ad', ['adId'])
@Personal({
  what: 'Ads that you have clicked',
  purpose: 'count a click once',
  kept: 'until the account is deleted',
  seenBy: 'advertisers: only the number of clicks',
  inExport: ['ad_clicks'],
})
export class AdClick {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Ad, { onDelete: 'cascade', key: true })
  adId!: number;

  /** All clicks. */
  @Integer({ hidden: true, default: 1 })
  clicks!: number;

  @Integer({ hidden: true, default: 1 })
  counted!: number;

  @Moment({ hidden: true })
  firstAt!: string;

  /** The last click that counted. Clicks within ten minutes after it do not count. */
  @Moment({ hidden: true })
  lastAt!: string;

  /** The last click; null for clicks from before it was stored. */
  @Moment({ hidden: true, null: true })
  latestAt!: string | null;
}
