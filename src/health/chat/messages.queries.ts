import { type RawBuilder, sql } from 'kysely';
import { ChatMessage } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, forEachKey } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { type ListSource, refuse } from '../../db/connection.ts';
import type { KeysetSlice } from '../../db/keyset-connection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms, limitTerms, splitTerms } from '../articles/search-terms.ts';
import { notKeptApart } from '../community/blocks.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { orderBy, parseOrdering, requestedOrdering } from '../lists/ordering.ts';
import { readEffect } from '../reads/read-effect.ts';
import {
  conversationColumn,
  firstReadable,
  markRead,
  mayStillRead,
  type ReadableConversation,
  readableBy,
} from './conversations.ts';
import { type MessageViewer, messageColumns, messageSource, type Viewer } from './message-columns.ts';
import { type MessageSearch, maxFoundMessages, newestMatches } from './message-search.ts';
import type { Conversation } from './notify-conversation.ts';

/** A message as one viewer sees it. */
export type MessageRow = Omit<ChatMessage, 'chatId' | 'groupId' | 'authorId' | 'clientId' | 'content' | 'deletedAt'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read' | 'sql'>;

const messageOrdering = { names: { timestamp: 'm.sent_at', id: 'm.id' }, key: 'm.id', byDefault: '-timestamp' };

type Direction = 'ascending' | 'descending';

/** The direction of an ordering that begins with the time of sending, which is unique within a conversation. */
function directionInTime(ordering: string | null | undefined): Direction | undefined {
  const [first = messageOrdering.byDefault] = parseOrdering(ordering ?? '', messageOrdering);
  if (!/^-?timestamp$/.test(first)) return undefined;
  return first.startsWith('-') ? 'descending' : 'ascending';
}

/** The messages of a conversation that a reader may see, by their numbers. */
interface Span {
  first: RawBuilder<unknown>;
  last: RawBuilder<unknown>;
}

const isWithin = ({ first, last }: Span): RawBuilder<unknown> => sql`m.ordinal >= ${first} and m.ordinal <= ${last}`;

/** Condition: a page of the messages `m` of a span in order of time, by their numbers, so that it costs the same at any depth. */
function ordinalRange(
  { first, last }: Span,
  direction: Direction,
  limit: number,
  offset: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return direction === 'ascending'
    ? sql`m.ordinal >= ${first} + ${offset} and m.ordinal < least(${first} + ${offset} + ${limit}::int, ${last} + 1)`
    : sql`m.ordinal <= ${last} - ${offset} and m.ordinal > greatest(${last} - ${offset} - ${limit}::int, ${first} - 1)`;
}

/** All columns: they are small, and a block or deletion changes several of them. */
const messageSelectList = columnsOf<ChatMessage, MessageViewer>(ChatMessage, 'm', {
  always: ['id', 'ordinal'],
  computed: messageColumns,
});

const selectMessage = (viewer: Viewer): RawBuilder<unknown> => messageSelectList('all', viewer);

/** The select list for messages `m` as their authors `u` see them; needs `h`. */
export const selectOwnMessage = (origin: string): RawBuilder<unknown> =>
  messageSelectList('all', { userId: sql.ref('m.author_id'), origin });

/** Conditions of a search: only readable text, no deleted messages and none of blocked authors. */
function searchConditions(userId: number, search: string): RawBuilder<unknown>[] {
  return [sql`m.deleted_at is null`, notKeptApart(userId, 'm.author_id'), ...containsTerms(sql`m.content`, search)];
}

/** The terms of a search, and the conditions on messages `m`; null for a blank one. @throws as `containsTerms` does */
function parseSearch(
  userId: number,
  search: string | null | undefined,
): Pick<MessageSearch, 'terms' | 'conditions'> | null {
  const terms = limitTerms(splitTerms(search));
  return search && terms.length > 0 ? { terms, conditions: searchConditions(userId, search) } : null;
}

/** The number in the anchor of a page: the messages of its list have numbers up to it. @throws GraphQLError BAD_USER_INPUT */
function lastOf({ messageCount }: ReadableConversation, asOf: string | null | undefined): number {
  if (!asOf) return messageCount;
  if (!/^\d{1,9}$/.test(asOf)) refuse('asOf', 'as_of is no anchor of this list. Take it from the links of a page.');
  return Math.min(Number(asOf), messageCount);
}

/**
 * Messages of a conversation, the newest first. Reading a page marks its messages as read: for the REST contract only. A search marks
 * none: what is read is known by the newest message alone, and a search leaves out those before it.
 */
export function messagePage(
  context: Dependencies & Pick<Context, 'appliesReadEffects'>,
  conversation: ReadableConversation,
  { asOf, ...filter }: ListFilter & { asOf?: string | null },
): ListSource<MessageRow> {
  const { userId } = requirePerson(context.actor);
  const found = parseSearch(userId, filter.search);
  const ordering = requestedOrdering(filter);
  const own = sql`${conversationColumn(conversation)} = ${conversation.id}`;
  const last = lastOf(conversation, asOf);
  const span: Span = { first: sql`${conversation.firstOrdinal}::int`, last: sql`${last}::int` };
  const matches = (limit: number): RawBuilder<unknown> | null =>
    found &&
    newestMatches(
      {
        terms: found.terms,
        conditions: [isWithin(span), ...found.conditions],
        kind: conversation.kind,
        id: sql`${conversation.id}::uuid`,
        messageCount: span.last,
      },
      sql`${limit}::int`,
    );
  return {
    // Messages are numbered in the order in which they become visible: the number of the newest one says which list this was.
    asOf: () => String(last),
    async rows({ limit, offset }) {
      const order = orderBy(ordering, messageOrdering);
      const direction = directionInTime(ordering);
      const page = (): RawBuilder<unknown> => {
        const range = direction && ordinalRange(span, direction, limit, sql`${offset}::int`);
        const needed = direction === 'descending' ? offset + limit : maxFoundMessages;
        const from = matches(needed);
        if (range && !from) return sql`(select * from chat_message m where ${own} and ${range})`;
        const all = sql`(select * from chat_message m where ${own} and ${isWithin(span)})`;
        return sql`(select * from ${from ?? all} m order by ${order} limit ${limit} offset ${offset})`;
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
      if (!found && newest > conversation.readAt)
        await readEffect(context, () => markRead(context.sql, userId, conversation, newest));
      return rows;
    },
    async total() {
      const found = matches(maxFoundMessages);
      // From a counter column, incremented by every message: counting a million rows takes a tenth of a second.
      if (!found) return Math.max(0, last - conversation.firstOrdinal + 1);
      const [counted] = await context.read(sql<{ total: number }>`select count(*)::int as total from ${found} m`);
      return counted?.total ?? 0;
    },
  };
}

/** Empty page for a connection without a private chat. */
export const emptyMessagePage: ListSource<MessageRow> = { rows: async () => [], total: async () => 0 };

/**
 * Messages of conversations of one kind, the newest first; none of conversations that the caller cannot read. The key of a page is the
 * number of a message: messages that are sent while a caller reads on move no page.
 */
export function messagesOf(
  { actor, origin, read }: Pick<Context, 'actor' | 'origin' | 'read'>,
  kind: Conversation['kind'],
  search: string | null | undefined,
  { limit, after, before, isBackward }: KeysetSlice,
): BatchedSource<string, MessageRow> {
  const { userId } = requirePerson(actor);
  const found = parseSearch(userId, search);
  const readable = (id: RawBuilder<unknown>) =>
    sql`(select c.id, ${firstReadable({ kind })} as first_ordinal, c.message_count from ${readableBy({ kind, id }, userId)}) c`;
  const whole: Span = { first: sql`c.first_ordinal`, last: sql`c.message_count` };
  const span: Span = {
    first: before === null ? whole.first : sql`greatest(${whole.first}, ${before}::int + 1)`,
    last: after === null ? whole.last : sql`least(${whole.last}, ${after}::int - 1)`,
  };
  const matches = (within: Span, most: RawBuilder<unknown>): RawBuilder<unknown> | null =>
    found &&
    newestMatches(
      {
        terms: found.terms,
        conditions: [isWithin(within), ...found.conditions],
        kind,
        id: sql`c.id`,
        messageCount: within.last,
      },
      most,
    );
  const wanted = limit + 1;
  const order = isBackward ? sql`m.ordinal` : sql`m.ordinal desc`;
  return {
    rows: ids =>
      forEachKey<MessageRow>(read, ids, 'uuid', id => {
        const from = matches(span, isBackward ? sql`${maxFoundMessages}::int` : sql`${wanted}::int`);
        const range = ordinalRange(span, isBackward ? 'ascending' : 'descending', wanted, sql`0`);
        const page = from
          ? sql`(select m.* from ${readable(id)} cross join lateral ${from} m order by ${order} limit ${wanted})`
          : sql`(select m.* from ${readable(id)} join chat_message m on ${conversationColumn({ kind })} = c.id and ${range})`;
        return sql`select ${selectMessage({ userId, origin })} from ${messageSource(userId, page)} order by ${order}`;
      }),
    async totals(ids) {
      const from = matches(whole, sql`${maxFoundMessages}::int`);
      const counted = await forEachKey<{ total: number }>(read, ids, 'uuid', id =>
        from
          ? sql`select count(*)::int as total from ${readable(id)} cross join lateral ${from} m`
          : sql`select greatest(c.message_count - c.first_ordinal + 1, 0) as total from ${readable(id)}`,
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
    kind => sql`exists (select 1 from ${readableBy({ kind, id: conversationColumn({ kind }) }, userId)}
      and m.ordinal >= ${firstReadable({ kind })})`,
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
    where ${conversationColumn(conversation)} = ${conversation.id} and m.sent_at > ${after}
      and exists (select 1 from ${readableBy(conversation, userId)} and m.ordinal >= ${firstReadable(conversation)})
    order by m.sent_at, m.id limit ${batchSize}`);
}
