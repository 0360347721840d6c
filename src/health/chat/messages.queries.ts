import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageSource } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { personOf } from '../accounts/person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { blockedBetween, notBlockedBetween } from '../community/blocks.ts';
import { orderBy } from '../lists/ordering.ts';
import { fullName, type MiniUserRow, miniUser } from '../people/mini-user.ts';
import { markRead, type OpenRoom, placeOf, type Room, readable } from './rooms.ts';

/** A message as one reader sees it. */
export interface MessageRow {
  id: string;
  senderId: number;
  senderName: string;
  sender: MiniUserRow;
  content: string;
  timestamp: string;
  isDeleted: boolean;
  isMine: boolean;
}

export interface MessageFilter {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

type Surroundings = Pick<Context, 'actor' | 'origin' | 'read' | 'sql'>;

const orderings = { names: { timestamp: 'm.sent_at', id: 'm.id' }, key: 'm.id', byDefault: '-timestamp' };

/**
 * Messages `m`, out of `rows`, with their author `u`, and `h.hidden` where a block stands between author and reader. The
 * `offset 0` keeps PostgreSQL from looking the block up again for each column that asks.
 */
const messages = (
  viewer: number,
  rows: RawBuilder<unknown> = sql`chat_message`,
): RawBuilder<unknown> => sql`${rows} m left join users u on u.id = m.author_id
  cross join lateral (select ${blockedBetween(viewer, 'm.author_id')} as hidden offset 0) h`;

/** Everything of a message: all of it is small, and a block or a deletion changes several columns together. */
const columns = (viewer: number, origin: string): RawBuilder<unknown> => sql`m.id,
  case when h.hidden then 0 else coalesce(m.author_id, 0) end as "senderId",
  case when h.hidden then 'Blocked user' else ${fullName('u')} end as "senderName",
  case when h.hidden then json_build_object('id', 0, 'fullName', 'Blocked user', 'profilePicture', null)
    else ${miniUser('u', origin)} end as sender,
  case when h.hidden or m.deleted_at is not null then '' else m.content end as content,
  m.sent_at as timestamp, m.deleted_at is not null as "isDeleted", coalesce(m.author_id = ${viewer}, false) as "isMine"`;

/**
 * The messages of a room, the newest first. What comes on a page counts as read. A search looks at what the reader can read:
 * nothing deleted, and nothing of somebody blocked.
 */
export function messagesOf(context: Surroundings, room: OpenRoom, filter: MessageFilter): PageSource<MessageRow> {
  const { userId } = personOf(context.actor);
  const matching = containsTerms(sql`m.content`, filter.search);
  const conditions = [sql`${placeOf(room)} = ${room.id}`];
  if (matching.length > 0) {
    conditions.push(sql`m.deleted_at is null and ${notBlockedBetween(userId, 'm.author_id')}`, ...matching);
  }
  const where = sql.join(conditions, sql` and `);
  return {
    async rows({ limit, offset }) {
      // The page first and then who wrote it: joined before the offset, page 500 took thirty times as long.
      const order = orderBy(filter.ordering, orderings);
      const page = sql`(select * from chat_message m where ${where} order by ${order} limit ${limit} offset ${offset})`;
      const rows = await context.read(sql<MessageRow>`select ${columns(userId, context.origin)}
        from ${messages(userId, page)} order by ${order}`);
      // The text of PostgreSQL, whose order is that of time.
      const newest =
        rows
          .map(row => row.timestamp)
          .toSorted()
          .at(-1) ?? '';
      if (newest > room.readAt) await markRead(context.sql, userId, room, newest);
      return rows;
    },
    async total() {
      // Kept by every message that is sent: counting a million takes a tenth of a second.
      if (matching.length === 0) return room.messageCount;
      const [found] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from chat_message m where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}

/** No messages: of two who are connected and have not written yet. */
export const noMessages: PageSource<MessageRow> = { rows: async () => [], total: async () => 0 };

/** One message as one reader sees it, in the transaction that changed it. */
export async function messageFor(
  db: Kysely<unknown>,
  { actor, origin }: Pick<Context, 'actor' | 'origin'>,
  id: string,
): Promise<MessageRow> {
  const { userId } = personOf(actor);
  const found =
    await sql<MessageRow>`select ${columns(userId, origin)} from ${messages(userId)} where m.id = ${id}`.execute(db);
  const row = found.rows[0];
  if (!row) throw new Error('The message that was just sent is not there.');
  return row;
}

/** Messages one look for news brings; the next look brings the others. */
const newsAtOnce = 100;

/**
 * Messages that came after `after`, the oldest first, for a reader who still may read the room and whose session is open;
 * null for one who may not any more. Times in a room only grow, so that nothing can come in before what has been read.
 */
export async function newsOf(
  { actor, origin, read, now }: Surroundings & Pick<Context, 'now'>,
  room: Room,
  after: string,
): Promise<MessageRow[] | null> {
  const { userId, sessionId } = personOf(actor);
  const [access] = await read(sql`
    select 1 from session s join users me on me.id = s.user_id
    where s.id = ${sessionId} and s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${now().toISOString()}
      and me.is_active and me.deleted_at is null and exists (select 1 from ${readable(room, userId)})`);
  if (!access) return null;
  return read(sql<MessageRow>`select ${columns(userId, origin)} from ${messages(userId)}
    where ${placeOf(room)} = ${room.id} and m.sent_at > ${after} order by m.sent_at, m.id limit ${newsAtOnce}`);
}
