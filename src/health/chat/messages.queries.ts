import { type RawBuilder, sql } from 'kysely';
import { ChatMessage } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, forEachKey } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms, limitTerms, splitTerms } from '../articles/search-terms.ts';
import { notBlockedBetween } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { orderBy, parseOrdering } from '../lists/ordering.ts';
import { conversationColumn, markRead, mayStillRead, type ReadableConversation, readableBy } from './conversations.ts';
import { type MessageViewer, messageColumns, messageSource, type Viewer } from './message-columns.ts';
import { type MessageSearch, maxFoundMessages, newestMatches } from './message-search.ts';
import type { Conversation } from './notify-conversation.ts';

/** A message as one viewer sees it. */
export type MessageRow = Omit<
  ChatMessage,
  'chatId' | 'groupId' | 'authorId' | 'clientId' | 'content' | 'deletedAt' | 'ordinal'
>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read' | 'sql'>;

export const messageOrdering = { names: { timestamp: 'm.sent_at', id: 'm.id' }, key: 'm.id', byDefault: '-timestamp' };

type Direction = 'ascending' | 'descending';

/** The direction of an ordering that begins with the time of sending, which is unique within a conversation. */
function directionInTime(ordering: string | null | undefined): Direction | undefined {
  const [first = messageOrdering.byDefault] = parseOrdering(ordering ?? '', messageOrdering);
  if (!/^-?timestamp$/.test(first)) return undefined;
  return first.startsWith('-') ? 'descending' : 'ascending';
}

/** Condition: a page of messages `m` in order of time, by their numbers, so that it costs the same at any depth. */
function ordinalRange(
  messageCount: RawBuilder<unknown>,
  direction: Direction,
  limit: number,
  offset: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return direction === 'ascending'
    ? sql`m.ordinal > ${offset} and m.ordinal <= ${offset} + ${limit}::int`
    : sql`m.ordinal <= ${messageCount} - ${offset} and m.ordinal > ${messageCount} - ${offset} - ${limit}::int`;
}

/** All columns: they are small, and a block or deletion changes several of them. */
const messageSelectList = columnsOf<ChatMessage, MessageViewer>(ChatMessage, 'm', {
  always: ['id'],
  computed: messageColumns,
});

const selectMessage = (viewer: Viewer): RawBuilder<unknown> => messageSelectList('all', viewer);

/** The select list for messages `m` as their authors `u` see them; needs `h.hidden`. */
export const selectOwnMessage = (origin: string): RawBuilder<unknown> =>
  messageSelectList('all', { userId: sql.ref('m.author_id'), origin });

/** Conditions of a search: only readable text, no deleted messages and none of blocked authors. */
function searchConditions(userId: number, search: string): RawBuilder<unknown>[] {
  return [
    sql`m.deleted_at is null`,
    notBlockedBetween(userId, 'm.author_id'),
    ...containsTerms(sql`m.content`, search),
  ];
}

/** The terms of a search, and the conditions on messages `m`; null for a blank one. @throws as `containsTerms` does */
function parseSearch(
  userId: number,
  search: string | null | undefined,
): Pick<MessageSearch, 'terms' | 'conditions'> | null {
  const terms = limitTerms(splitTerms(search));
  return search && terms.length > 0 ? { terms, conditions: searchConditions(userId, search) } : null;
}

/** Messages of a conversation, the newest first. Reading a page marks its messages as read: for the REST contract only. */
export function messagePage(
  context: Dependencies,
  conversation: ReadableConversation,
  filter: ListFilter,
): ListSource<MessageRow> {
  const { userId } = requirePerson(context.actor);
  const found = parseSearch(userId, filter.search);
  const own = sql`${conversationColumn(conversation)} = ${conversation.id}`;
  const messageCount = sql`${conversation.messageCount}::int`;
  const matches = (limit: number): RawBuilder<unknown> | null =>
    found &&
    newestMatches(
      { ...found, kind: conversation.kind, id: sql`${conversation.id}::uuid`, messageCount },
      sql`${limit}::int`,
    );
  return {
    async rows({ limit, offset }) {
      const order = orderBy(filter.ordering, messageOrdering);
      const direction = directionInTime(filter.ordering);
      const page = (): RawBuilder<unknown> => {
        const range = direction && ordinalRange(messageCount, direction, limit, sql`${offset}::int`);
        const needed = direction === 'descending' ? offset + limit : maxFoundMessages;
        const from = matches(needed);
        if (range && !from) return sql`(select * from chat_message m where ${own} and ${range})`;
        return sql`(select * from ${from ?? sql`chat_message`} m where ${own} order by ${order} limit ${limit} offset ${offset})`;
      };
      // Page first, authors second: with the join before the offset, page 500 took thirty times as long.
      const rows = await context.read(sql<MessageRow>`select ${selectMessage({ userId, origin: context.origin })}
        from ${messageSource(userId, page())} order by ${order}`);
      // Timestamps in PostgreSQL's text format sort chronologically.
      const newest =
        rows
          .map(row => row.sentAt)
          .toSorted()
          .at(-1) ?? '';
      if (newest > conversation.readAt) await markRead(context.sql, userId, conversation, newest);
      return rows;
    },
    async total() {
      const found = matches(maxFoundMessages);
      // A counter column, incremented by every message: counting a million rows takes a tenth of a second.
      if (!found) return conversation.messageCount;
      const [counted] = await context.read(sql<{ total: number }>`select count(*)::int as total from ${found} m`);
      return counted?.total ?? 0;
    },
  };
}

/** Empty page for a connection without a private chat. */
export const emptyMessagePage: ListSource<MessageRow> = { rows: async () => [], total: async () => 0 };

/** Messages of conversations of one kind, the newest first; none of conversations that the caller cannot read. */
export function messagesOf(
  { actor, origin, read }: Pick<Context, 'actor' | 'origin' | 'read'>,
  kind: Conversation['kind'],
  search: string | null | undefined,
): BatchedSource<string, MessageRow> {
  const { userId } = requirePerson(actor);
  const found = parseSearch(userId, search);
  const readable = (id: RawBuilder<unknown>) =>
    sql`(select c.id, c.message_count from ${readableBy({ kind, id }, userId)}) c`;
  const [conversationId, messageCount] = [sql`c.id`, sql`c.message_count`];
  const matches = (limit: RawBuilder<unknown>): RawBuilder<unknown> | null =>
    found && newestMatches({ ...found, kind, id: conversationId, messageCount }, limit);
  return {
    rows: (ids, { limit, offsets }) =>
      forEachKey<MessageRow>(
        read,
        ids,
        'uuid',
        (id, offset) => {
          const from = matches(sql`${offset}::int + ${limit}::int`);
          const page = from
            ? sql`(select m.* from ${readable(id)} cross join lateral ${from} m
                order by m.ordinal desc limit ${limit} offset ${offset})`
            : sql`(select m.* from ${readable(id)} join chat_message m on ${conversationColumn({ kind })} = c.id
                and ${ordinalRange(messageCount, 'descending', limit, sql`${offset}::int`)})`;
          return sql`select ${selectMessage({ userId, origin })} from ${messageSource(userId, page)}
            order by m.sent_at desc, m.id desc`;
        },
        offsets,
      ),
    async totals(ids) {
      const from = matches(sql`${maxFoundMessages}::int`);
      const counted = await forEachKey<{ total: number }>(read, ids, 'uuid', id =>
        from
          ? sql`select count(*)::int as total from ${readable(id)} cross join lateral ${from} m`
          : sql`select c.message_count as total from ${readable(id)}`,
      );
      return counted.map(([row]) => row?.total ?? 0);
    },
  };
}

/** The messages with these ids that the caller can read, in their order; null for the other ids. */
export async function findMessages(
  { actor, origin, read }: Pick<Context, 'actor' | 'origin' | 'read'>,
  ids: readonly string[],
): Promise<(MessageRow | null)[]> {
  const { userId } = requirePerson(actor);
  const isReadable = (['chat', 'group'] as const).map(
    kind => sql`exists (select 1 from ${readableBy({ kind, id: conversationColumn({ kind }) }, userId)})`,
  );
  const rows = await read(sql<MessageRow>`select ${selectMessage({ userId, origin })} from ${messageSource(userId)}
    where m.id = any(${[...ids]}::uuid[]) and (${sql.join(isReadable, sql` or `)})`);
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Messages per read; the next read returns the rest. */
const batchSize = 100;

/**
 * Messages after `after`, the oldest first, or null when the viewer may no longer read the conversation or the session
 * has ended. Timestamps within a conversation only grow, so no message can appear before one that was read.
 */
export async function messagesAfter(
  context: Dependencies & Pick<Context, 'now'>,
  conversation: Conversation,
  after: string,
): Promise<MessageRow[] | null> {
  const { actor, origin, read } = context;
  const { userId } = requirePerson(actor);
  if (!(await mayStillRead(context, conversation))) return null;
  return read(sql<MessageRow>`select ${selectMessage({ userId, origin })} from ${messageSource(userId)}
    where ${conversationColumn(conversation)} = ${conversation.id} and m.sent_at > ${after} order by m.sent_at, m.id limit ${batchSize}`);
}
