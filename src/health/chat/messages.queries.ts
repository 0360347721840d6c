import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ChatMessage } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { blockedBetween, notBlockedBetween } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { orderBy } from '../lists/ordering.ts';
import { fullName, miniUser } from '../people/mini-user.ts';
import {
  type Conversation,
  conversationColumn,
  markRead,
  type ReadableConversation,
  readableBy,
} from './conversations.ts';

/** A message as one viewer sees it. */
export type MessageRow = Omit<ChatMessage, 'chatId' | 'groupId' | 'authorId' | 'clientId' | 'sentAt' | 'deletedAt'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read' | 'sql'>;

interface Viewer {
  userId: number;
  origin: string;
}

export const messageOrdering = { names: { timestamp: 'm.sent_at', id: 'm.id' }, key: 'm.id', byDefault: '-timestamp' };

/**
 * Joins messages `m` from `rows` with their authors `u`, and `h.hidden`: a block exists between author and viewer.
 * `offset 0` prevents PostgreSQL from inlining the subquery and repeating the lookup for each column.
 */
const messageSource = (
  viewer: number,
  rows: RawBuilder<unknown> = sql`chat_message`,
): RawBuilder<unknown> => sql`${rows} m left join users u on u.id = m.author_id
  cross join lateral (select ${blockedBetween(viewer, 'm.author_id')} as hidden offset 0) h`;

/** All columns: they are small, and a block or deletion changes several of them. */
const messageSelectList = columnsOf(ChatMessage, 'm', {
  always: ['id'],
  computed: {
    senderId: 'case when h.hidden then 0 else coalesce(m.author_id, 0) end',
    senderName: () => sql`case when h.hidden then 'Blocked user' else ${fullName('u')} end`,
    sender: ({ origin }: Viewer) => sql`case when h.hidden
      then json_build_object('id', 0, 'fullName', 'Blocked user', 'profilePicture', null) else ${miniUser('u', origin)} end`,
    content: "case when h.hidden or m.deleted_at is not null then '' else m.content end",
    timestamp: 'm.sent_at',
    isDeleted: 'm.deleted_at is not null',
    isMine: ({ userId }: Viewer) => sql`coalesce(m.author_id = ${userId}, false)`,
  },
});

const messageColumns = (userId: number, origin: string): RawBuilder<unknown> =>
  messageSelectList('all', { userId, origin });

/**
 * Messages of a conversation, the newest first. Reading a page marks its messages as read. A search covers only
 * readable text: no deleted messages and none of blocked authors.
 */
export function messagePage(
  context: Dependencies,
  conversation: ReadableConversation,
  filter: ListFilter,
): ListSource<MessageRow> {
  const { userId } = requirePerson(context.actor);
  const searchConditions = containsTerms(sql`m.content`, filter.search);
  const conditions = [sql`${conversationColumn(conversation)} = ${conversation.id}`];
  if (searchConditions.length > 0) {
    conditions.push(sql`m.deleted_at is null and ${notBlockedBetween(userId, 'm.author_id')}`, ...searchConditions);
  }
  const where = sql.join(conditions, sql` and `);
  return {
    async rows({ limit, offset }) {
      // Page first, authors second: with the join before the offset, page 500 took thirty times as long.
      const order = orderBy(filter.ordering, messageOrdering);
      const page = sql`(select * from chat_message m where ${where} order by ${order} limit ${limit} offset ${offset})`;
      const rows = await context.read(sql<MessageRow>`select ${messageColumns(userId, context.origin)}
        from ${messageSource(userId, page)} order by ${order}`);
      // Timestamps in PostgreSQL's text format sort chronologically.
      const newest =
        rows
          .map(row => row.timestamp)
          .toSorted()
          .at(-1) ?? '';
      if (newest > conversation.readAt) await markRead(context.sql, userId, conversation, newest);
      return rows;
    },
    async total() {
      // A counter column, incremented by every message: counting a million rows takes a tenth of a second.
      if (searchConditions.length === 0) return conversation.messageCount;
      const [found] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from chat_message m where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}

/** Empty page for a connection without a private chat. */
export const emptyMessagePage: ListSource<MessageRow> = { rows: async () => [], total: async () => 0 };

/** One message as one viewer sees it, read in the transaction that changed it. */
export async function getMessage(
  db: Kysely<unknown>,
  { actor, origin }: Pick<Context, 'actor' | 'origin'>,
  id: string,
): Promise<MessageRow> {
  const { userId } = requirePerson(actor);
  const found =
    await sql<MessageRow>`select ${messageColumns(userId, origin)} from ${messageSource(userId)} where m.id = ${id}`.execute(
      db,
    );
  const row = found.rows[0];
  if (!row) throw new Error('The message was not inserted.');
  return row;
}

/** Messages per read; the next read returns the rest. */
const batchSize = 100;

/**
 * Messages after `after`, the oldest first, or null when the viewer may no longer read the conversation or the session
 * has ended. Timestamps within a conversation only grow, so no message can appear before one that was read.
 */
export async function messagesAfter(
  { actor, origin, read, now }: Dependencies & Pick<Context, 'now'>,
  conversation: Conversation,
  after: string,
): Promise<MessageRow[] | null> {
  const { userId, sessionId } = requirePerson(actor);
  const [access] = await read(sql`
    select 1 from session s join users me on me.id = s.user_id
    where s.id = ${sessionId} and s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${now().toISOString()}
      and me.is_active and me.deleted_at is null and exists (select 1 from ${readableBy(conversation, userId)})`);
  if (!access) return null;
  return read(sql<MessageRow>`select ${messageColumns(userId, origin)} from ${messageSource(userId)}
    where ${conversationColumn(conversation)} = ${conversation.id} and m.sent_at > ${after} order by m.sent_at, m.id limit ${batchSize}`);
}
