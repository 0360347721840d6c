import { type RawBuilder, sql } from 'kysely';

/**
 * The row of `peer_connection`, under the name `b`, of two people: one look into its unique index of pairs. `column` is an
 * SQL name of ours, such as `comment.author_id`; the other is a value.
 */
function pairCondition(viewer: number, column: string): RawBuilder<boolean> {
  const other = sql.raw(column);
  return sql`least(b.asker_id, b.asked_id) = least(${viewer}::bigint, ${other})
    and greatest(b.asker_id, b.asked_id) = greatest(${viewer}::bigint, ${other})`;
}

/** True where one of the two has blocked the other, whoever did. NULL in `column` is blocked by nobody. */
export function blockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`exists (select 1 from peer_connection b where b.status = 'blocked' and ${pairCondition(viewer, column)})`;
}

/**
 * The predicate of everything that a block hides, both ways: `where ${notBlockedBetween(me, 'c.author_id')}`. Both ways,
 * because somebody who sees half of a conversation knows that they were blocked, and by whom.
 */
export function notBlockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`not ${blockedBetween(viewer, column)}`;
}

/** True where the two have an accepted connection. */
export function connectedWith(viewer: number, column: string): RawBuilder<boolean> {
  return sql`exists (select 1 from peer_connection b where b.status = 'accepted' and ${pairCondition(viewer, column)})`;
}
