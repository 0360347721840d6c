import { type RawBuilder, sql } from 'kysely';
import type { Conversation } from './notify-conversation.ts';

/** Messages of one row of `chat_message_segment`, as its migration says. */
const segmentSize = 16;

/** A search finds the newest matches up to this number, and counts no more. */
export const maxFoundMessages = 1_000;

/**
 * Segments whose messages are compared with the terms, the newest first. Each of a search for one word has a match. Other searches
 * may compare 16,000 messages, at some 3 µs each.
 */
const maxSegments = 1_000;

/** The column of `chat_message` and `chat_message_segment` that refers to a conversation. */
const reference = ({ kind }: Pick<Conversation, 'kind'>): RawBuilder<unknown> =>
  sql.raw(kind === 'chat' ? 'chat_id' : 'group_id');

/** The number of the first message of a conversation that is in no segment. */
const firstUnsealed = (column: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce((select sealed.first_ordinal + ${segmentSize}::int from chat_message_segment sealed
    where sealed.${column} = ${id} order by sealed.first_ordinal desc limit 1), 1)`;

/**
 * Statement: indexes the segments that have become complete. It runs in the transaction of new messages, with their conversation
 * locked.
 */
export function sealSegments({ kind, id }: Conversation): RawBuilder<unknown> {
  const [table, chat, room] =
    kind === 'chat' ? [sql`private_chat`, sql`c.id`, sql`null::uuid`] : [sql`chat_group`, sql`null::uuid`, sql`c.id`];
  // From the last segment on, and not from the number of new messages: gateways of an earlier version index nothing.
  return sql`insert into chat_message_segment (${reference({ kind })}, first_ordinal, words)
    select c.id, first, segment_words(${chat}, ${room}, first)
    from ${table} c cross join generate_series(${firstUnsealed(reference({ kind }), sql`${id}::uuid`)},
      c.message_count - ${segmentSize}::int + 1, ${segmentSize}::int) first
    where c.id = ${id}`;
}

/**
 * Statement: writes the words of the segment of a changed message anew, if it is one of the author, or of anybody with null. Its
 * conversation must be locked.
 */
export function resealSegment(messageId: string, authorId: number | null): RawBuilder<unknown> {
  return sql`update chat_message_segment s set words = segment_words(s.chat_id, s.group_id, s.first_ordinal)
    from chat_message m
    where m.id = ${messageId} and (${authorId}::bigint is null or m.author_id = ${authorId}) and s.first_ordinal = (m.ordinal - 1) / ${segmentSize}::int * ${segmentSize}::int + 1
      and case when m.chat_id is null then s.group_id = m.group_id else s.chat_id = m.chat_id end`;
}

/** A search in one conversation. */
export interface MessageSearch {
  kind: Conversation['kind'];
  id: RawBuilder<unknown>;
  messageCount: RawBuilder<unknown>;
  terms: readonly string[];
  /** On messages `m`: the terms themselves, and what else a message must be. */
  conditions: readonly RawBuilder<unknown>[];
}

/**
 * Subquery for the newest `limit` messages of a conversation that match, the newest first. The index finds the segments with all
 * words, 65,536 messages at a time, and their messages are compared until there are enough, so that neither a frequent nor a rare
 * word reads a long conversation as a whole. The messages after the last segment are compared as well.
 */
export function newestMatches(
  { kind, id, messageCount, terms, conditions }: MessageSearch,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const column = reference({ kind });
  const unsealed = sql`select ${firstUnsealed(column, id)} as first, ${messageCount} as last`;
  // The loops preserve the order of what they read; a sort of the whole would read all of it.
  return sql`(
    select m.* from (
      select * from (
        ${unsealed}
        union all
        (select segment.first_ordinal, segment.first_ordinal + ${segmentSize}::int - 1
        from generate_series(greatest(${messageCount} - 1, 0) >> 16, 0, -1) epoch (number)
        cross join lateral (
          select s.first_ordinal from chat_message_segment s
          where s.${column} = ${id} and s.first_ordinal <= ${messageCount}
            and segment_endings(coalesce(s.chat_id, s.group_id), s.first_ordinal, s.words)
              @@ segment_query(${id}, epoch.number, ${[...terms]}::text[])
          order by s.first_ordinal desc) segment
        limit ${maxSegments})
      ) every_candidate order by first desc) candidate
    cross join lateral (
      select * from chat_message m
      where m.${column} = ${id} and m.ordinal between candidate.first and candidate.last
        and ${sql.join([...conditions], sql` and `)}
      order by m.ordinal desc) m
    limit least(${limit}, ${maxFoundMessages}::int))`;
}
