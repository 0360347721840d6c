import { type RawBuilder, sql } from 'kysely';

/**
 * Condition: the `peer_connection` row `b` is that of the viewer and the user in `column`; uses its unique index.
 * `column` is a trusted SQL name, such as `comment.author_id`.
 */
function pairCondition(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  const other = sql.raw(column);
  return sql`least(b.asker_id, b.asked_id) = least(${viewer}::bigint, ${other})
    and greatest(b.asker_id, b.asked_id) = greatest(${viewer}::bigint, ${other})`;
}

/** Status of the link of the two users; NULL for none. One lookup for what a block hides and a connection shows. */
export const linkStatus = (viewer: number, column: string): RawBuilder<string | null> =>
  sql`(select b.status from peer_connection b where ${pairCondition(viewer, column)})`;

/** True when either user has blocked the other. False for NULL in `column`. */
function blockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`exists (select 1 from peer_connection b where b.status = 'blocked' and ${pairCondition(viewer, column)})`;
}

/**
 * Condition for everything that a block hides: `where ${notBlockedBetween(viewer, 'c.author_id')}`. Symmetric, because
 * half of a conversation would reveal the block and who set it.
 */
export function notBlockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`not ${blockedBetween(viewer, column)}`;
}

/**
 * True when one of the two users is an adult and the other is not, or the age of one is unknown: of two unknown ages one can be a child's.
 * False for NULL in `column`, and for the viewer.
 */
export function differInAge(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  return sql`exists (select from users o where o.id = ${sql.raw(column)} and o.id <> ${viewer}
    and (o.age_group = (select v.age_group from users v where v.id = ${viewer})) is not true)`;
}

/**
 * Condition: both users gave a date of birth that no moderator has to decide on, and both are adults or both minors. Only they may become
 * connected.
 */
export function mayMeet(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  return sql`exists (select from users v, users o
    where v.id = ${viewer} and o.id = ${sql.raw(column)} and v.age_group = o.age_group
      and not exists (select from held_age h where h.user_id in (v.id, o.id)))`;
}

/** True when a block or the age keeps the two users apart. Symmetric; false for NULL in `column`. */
export function keptApart(viewer: number, column: string): RawBuilder<boolean> {
  return sql`(${blockedBetween(viewer, column)} or ${differInAge(viewer, column)})`;
}

/** Condition for everything that shows one person to the other: chats, groups, requests, lists of people. */
export function notKeptApart(viewer: number, column: string): RawBuilder<boolean> {
  // Two conditions: of a negated OR the planner makes no anti-join, and a list of 30,000 people took 160,000 buffers.
  return sql`(${notBlockedBetween(viewer, column)} and not ${differInAge(viewer, column)})`;
}

/** True for the viewer, and for users whom the viewer is connected with: they see the whole name of each other. */
export function knows(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  return sql`(${sql.raw(column)} = ${viewer} or ${connectedWith(viewer, column)})`;
}

/** True when the two users have an accepted connection, and are of one age group. */
export function connectedWith(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  return sql`(exists (select 1 from peer_connection b where b.status = 'accepted' and ${pairCondition(viewer, column)})
    and not ${differInAge(viewer, column)})`;
}
