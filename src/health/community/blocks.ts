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

/** True when either user has blocked the other. False for NULL in `column`. */
export function blockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`exists (select 1 from peer_connection b where b.status = 'blocked' and ${pairCondition(viewer, column)})`;
}

/**
 * Condition for everything that a block hides: `where ${notBlockedBetween(viewer, 'c.author_id')}`. Symmetric, because
 * half of a conversation would reveal the block and who set it.
 */
export function notBlockedBetween(viewer: number, column: string): RawBuilder<boolean> {
  return sql`not ${blockedBetween(viewer, column)}`;
}

/** True when the two users have an accepted connection. */
export function connectedWith(viewer: number | RawBuilder<number>, column: string): RawBuilder<boolean> {
  return sql`exists (select 1 from peer_connection b where b.status = 'accepted' and ${pairCondition(viewer, column)})`;
}
