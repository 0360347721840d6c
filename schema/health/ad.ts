import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import {
  Bool,
  Choice,
  Computed,
  Integer,
  Key,
  Moment,
  Noun,
  Owner,
  PrimaryInteger,
  Text,
} from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

/** Where on a page an ad stands. */
export const AdSlot = { MID_PAGE: 'mid_page' } as const;
export type AdSlot = (typeof AdSlot)[keyof typeof AdSlot];
registerEnumType(AdSlot, { name: 'AdSlot', description: 'Where on a page an ad stands.' });

@Noun('ad', 'An advertisement. Plain text and two addresses: nothing in it is run by whoever shows it.')
@Index<Ad>('ad_running', ['id'], { where: c => `${c.isActive}` })
@Check<Ad>('ad_weight_check', c => `(${c.weight} >= 1) and (${c.weight} <= 1000)`)
export class Ad {
  @Key('Number of the ad.')
  id!: number;

  @Text({ about: 'Title, at most 120 characters of plain text.' })
  title!: string;

  @Text({ about: 'What it says, at most 500 characters of plain text.', null: true })
  body!: string | null;

  @Text({ about: 'Absolute address of a picture.', null: true })
  imageUrl!: string | null;

  @Text({ about: 'Where a click leads: an absolute http or https address.' })
  targetUrl!: string;

  @Text({ about: 'Who advertises.', null: true })
  advertiser!: string | null;

  @Choice(() => AdSlot, { about: 'Where it stands.', default: 'mid_page' })
  slot!: AdSlot;

  /** How often it is shown in proportion to the other live ads. */
  @Integer({ hidden: true, default: 1 })
  weight!: number;

  @Bool({ hidden: true, default: true })
  isActive!: boolean;

  @Moment({ hidden: true, null: true })
  startsAt!: string | null;

  @Moment({ hidden: true, null: true })
  endsAt!: string | null;

  /** How often it may be shown; null for no limit. */
  @Integer({ hidden: true, null: true })
  impressionBudget!: number | null;

  /** How many clicks are wanted; null for no limit. */
  @Integer({ hidden: true, null: true })
  clickBudget!: number | null;

  @Moment({ hidden: true })
  createdAt!: string;
}

/**
 * What an ad has been shown and clicked, spread over a few rows that are added up when asked for. One row for each ad would
 * be locked by every page view in turn, and one row for each view would need a job that counts and deletes them.
 */
@Entity({ tableName: 'ad_tally' })
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

/** That somebody clicked an ad, when last, and how often that counted. No address of origin is kept. */
@Entity({ tableName: 'ad_click' })
@Index<AdClick>('ad_click_by_ad', ['adId'])
export class AdClick {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Ad, { onDelete: 'cascade', key: true })
  adId!: number;

  @Integer({ hidden: true, default: 1 })
  counted!: number;

  @Moment({ hidden: true })
  firstAt!: string;

  /** The last click that counted: one in the ten minutes after it does not. */
  @Moment({ hidden: true })
  lastAt!: string;
}

@ObjectType({ description: 'A click that was taken, and where it leads.', simpleResolvers: true })
export class AdClicked {
  @Computed(() => String, 'What was done, in a sentence for people.')
  detail!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the ad.')
  ad!: number;

  @Computed(() => String, 'Where the click leads.')
  targetUrl!: string;
}

@ObjectType({ description: 'An ad that the caller clicked.', simpleResolvers: true })
export class AdClickRecord {
  @Computed(() => GraphQLSafeInt, 'Number of the ad.')
  ad!: number;

  @Computed(() => String, 'Its title.')
  title!: string;

  @Computed(() => GraphQLSafeInt, 'Clicks that counted.')
  counted!: number;

  @Computed(() => Instant, 'When it was first clicked.')
  firstAt!: string;

  @Computed(() => Instant, 'When a click last counted.')
  lastAt!: string;
}
