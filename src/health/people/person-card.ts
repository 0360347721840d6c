import { type RawBuilder, sql } from 'kysely';
import type { PersonCard } from '../../../schema/health/person-card.ts';
import { keptApart, knows } from '../community/blocks.ts';

/** Row of a `PersonCard`. */
export type PersonCardRow = PersonCard;

/**
 * Name of the `users` row `alias` for others: the display name, or first and last name. `Deleted user` for a deleted account and for
 * no row.
 */
export function fullName(alias: string): RawBuilder<string> {
  const user = sql.raw(alias);
  return nameOr(user, sql`trim(${user}.first_name || ' ' || ${user}.last_name)`);
}

/** Addresses and telephone numbers: words with `@`, `://`, `www.` or a path, and six digits or more, whatever stands between them. */
const contactData = String.raw`\S*(@|://|www\.|\.\w+/)\S*|\+?\d([\s().-]*\d){5,}`;
/** Characters of a name that strangers see: a name, and no letter. */
const maxNameForStrangers = 40;

/**
 * The same for a person who is not connected: without a display name the first name and the first letter of the last. A request to
 * connect carries no words but this name, so nobody is reached by way of it.
 */
export function nameForStrangers(alias: string): RawBuilder<string> {
  const user = sql.raw(alias);
  const name = nameOr(user, sql`trim(${user}.first_name || ' ' || left(${user}.last_name, 1))`);
  return sql`left(regexp_replace(${name}, ${sql.lit(contactData)}, '…', 'g'), ${sql.lit(maxNameForStrangers)})`;
}

const nameOr = (user: RawBuilder<unknown>, name: RawBuilder<string>): RawBuilder<string> =>
  sql`case when ${user}.id is null or ${user}.deleted_at is not null then 'Deleted user'
    when ${user}.is_guest then 'Guest' else coalesce(nullif(${user}.display_name, ''), ${name}) end`;

/** URL of the profile picture of the row `alias`, or NULL. */
export function profilePicture(alias: string, origin: string): RawBuilder<string | null> {
  const user = sql.raw(alias);
  return sql`case when ${user}.deleted_at is null then ${`${origin}/media/`}::text || ${user}.picture end`;
}

/** `a…@example.org`: recognizable for acquaintances, unusable for mail. */
export function maskedEmail(alias: string): RawBuilder<string> {
  const user = sql.raw(alias);
  return sql`case when ${user}.deleted_at is not null or ${user}.email is null then ''
    else left(${user}.email, 1) || '…' || substring(${user}.email from '@[^@]*$') end`;
}

/** Name of the row `alias`: the whole name where `isKnown` is true, else the one for strangers. */
export const nameWhere = (isKnown: RawBuilder<boolean>, alias: string): RawBuilder<string> =>
  sql`case when ${isKnown} then ${fullName(alias)} else ${nameForStrangers(alias)} end`;

/** The row `alias` as JSON of a `PersonCard` with the whole name, or another one; a deleted user with the number 0 for no row. */
export function personCard(alias: string, origin: string, name = fullName(alias)): RawBuilder<PersonCardRow> {
  const user = sql.raw(alias);
  return sql`json_build_object('databaseId', coalesce(${user}.id, 0), 'fullName', ${name},
    'profilePicture', ${profilePicture(alias, origin)})`;
}

/** The columns of a `PersonCard` of the row `alias` for the viewer. */
export function personCardColumns(viewer: number, alias: string, origin: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.id`)} as "databaseId", ${nameWhere(knows(viewer, `${alias}.id`), alias)} as "fullName",
    ${profilePicture(alias, origin)} as "profilePicture"`;
}

/** The columns of a `PersonCard` of the row `alias` for a person who is not connected. */
export function strangerCardColumns(alias: string, origin: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.id`)} as "databaseId", ${nameForStrangers(alias)} as "fullName",
    ${profilePicture(alias, origin)} as "profilePicture"`;
}

/** The card of a person whom a block or the age hides. One name for both, so that it tells neither. */
export const blockedCard = sql`json_build_object('databaseId', 0, 'fullName', 'Blocked user', 'profilePicture', null)`;

/**
 * The row `alias` as the viewer sees it: with the whole name where the two are connected, and `Blocked user` with the number 0 where a block
 * or the age keeps them apart.
 */
export function personCardFor(viewer: number, alias: string, origin: string): RawBuilder<PersonCardRow> {
  const id = `${alias}.id`;
  return sql`case when ${keptApart(viewer, id)} then ${blockedCard}
    else ${personCard(alias, origin, nameWhere(knows(viewer, id), alias))} end`;
}

/** `personCard` with the masked e-mail address. Both are shown to those who know the person. */
export function participantCard(
  alias: string,
  origin: string,
  isKnown: RawBuilder<boolean> = sql`true`,
): RawBuilder<PersonCardRow> {
  const user = sql.raw(alias);
  return sql`json_build_object('databaseId', ${user}.id, 'fullName', ${nameWhere(isKnown, alias)},
    'maskedEmail', case when ${isKnown} then ${maskedEmail(alias)} else '' end, 'profilePicture', ${profilePicture(alias, origin)})`;
}

/** Condition: the account is active, not deleted and not a guest. */
export function isReachable(alias: string): RawBuilder<boolean> {
  const user = sql.raw(alias);
  return sql`(${user}.is_active and ${user}.deleted_at is null and not ${user}.is_guest)`;
}
