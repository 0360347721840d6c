import type { GraphQLError } from 'graphql';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Outcome } from '../../db/keyed-batch-queue.ts';
import { conflict, forbidden, notFound } from '../../errors/errors.ts';
import { connectedWith } from '../community/blocks.ts';
import { isAgeKnown } from '../community/refuse-contact.ts';
import { isReachable } from '../people/person-card.ts';
import { notConnectedError, notMemberError, otherParticipant } from './conversations.ts';
import { sealSegments } from './message-search.ts';
import { type MessageRow, selectOwnMessage } from './messages.queries.ts';
import { type Conversation, chatNotifyChannel, conversationTopic, readTopicPrefix } from './notify-conversation.ts';

/** A message to be stored. */
export interface MessageDraft {
  id: string;
  authorId: number;
  content: string;
  /** Idempotency key: a second message of the author with the same one is not stored. */
  clientId: string | null;
}

/** What the statements of one kind of conversation call their tables, and who may write. */
interface ConversationTables {
  /** Aliased `c` in `mayWrite`. */
  conversation: RawBuilder<unknown>;
  /** Column of messages and of read positions. */
  reference: RawBuilder<unknown>;
  readPosition: RawBuilder<unknown>;
  participants: RawBuilder<unknown>;
  /** Condition: only participants may know of it. */
  isSecret: RawBuilder<unknown>;
  /** Condition: `item.author_id` may write to `c`. */
  mayWrite: RawBuilder<unknown>;
}

const author = sql<number>`item.author_id`;

const tables: Record<Conversation['kind'], ConversationTables> = {
  chat: {
    conversation: sql`private_chat`,
    reference: sql`chat_id`,
    readPosition: sql`private_chat_reader`,
    participants: sql`json_build_array(low_id, high_id)`,
    isSecret: sql`false`,
    mayWrite: sql`${author} in (c.low_id, c.high_id) and ${connectedWith(sql<number>`c.low_id`, 'c.high_id')}
      and exists (select from users u where u.id = ${otherParticipant(author)} and ${isReachable('u')})`,
  },
  group: {
    conversation: sql`chat_group`,
    reference: sql`group_id`,
    readPosition: sql`chat_membership`,
    participants: sql`null::json`,
    isSecret: sql`visibility = 'secret'`,
    mayWrite: sql`exists (select from chat_membership own where own.group_id = c.id and own.user_id = ${author})
      and ${isAgeKnown(author)}`,
  },
};

/**
 * Stores messages of one conversation in one transaction and one round trip, in their order. The row of the conversation is locked,
 * so that the timestamps of its messages grow in commit order and a reader who has seen a message has seen all earlier ones. A
 * message with a `clientId` that was used before yields the earlier message, if that is the same.
 * @throws 23505 of `chat_message_once` when another conversation has got a message with the same key meanwhile; a second attempt finds it
 * @returns for each draft its message, or the error of its author: conflict `client_id_used`, notFound, forbidden `not_participant`, `not_member` or
 *   `not_connected`
 */
export async function storeMessages(
  { pipeline, origin, now }: Pick<Context, 'now' | 'origin' | 'pipeline'>,
  { kind, id }: Conversation,
  drafts: readonly MessageDraft[],
): Promise<Outcome<MessageRow>[]> {
  const { conversation, reference, readPosition, participants, isSecret, mayWrite } = tables[kind];
  const items = sql`unnest(${drafts.map(one => one.id)}::uuid[], ${drafts.map(one => one.authorId)}::bigint[],
    ${drafts.map(one => one.clientId)}::uuid[], ${drafts.map(one => one.content)}::text[])
    with ordinality item (id, author_id, client_id, content, place)`;
  const [[found], , stored] = await pipeline([
    sql<{ participants: number[] | null; isSecret: boolean }>`
      select ${participants} as participants, ${isSecret} as "isSecret" from ${conversation} where id = ${id} for no key update`,
    // Checked after the lock: the right to write may have ended while waiting.
    sql`
      with accepted as (
        select distinct on (item.author_id, coalesce(item.client_id, item.id)) item.*
        from ${items} join ${conversation} c on c.id = ${id}
        where ${mayWrite} and not exists (
          select from chat_message earlier where earlier.author_id = item.author_id and earlier.client_id = item.client_id)
        order by item.author_id, coalesce(item.client_id, item.id), item.place),
      numbered as (select *, row_number() over (order by place)::int as number from accepted),
      sent as (
        insert into chat_message (id, ${reference}, author_id, client_id, content, ordinal, sent_at)
        select new.id, c.id, new.author_id, new.client_id, new.content, c.message_count + new.number,
          greatest(${now().toISOString()}::timestamptz, c.last_message_at + interval '1 microsecond')
            + (new.number - 1) * interval '1 microsecond'
        from numbered new join ${conversation} c on c.id = ${id}
        order by new.number returning author_id, sent_at),
      counted as (
        update ${conversation} set message_count = message_count + (select count(*) from sent),
          last_message_at = (select max(sent_at) from sent)
        where id = ${id} and exists (select from sent)),
      seen as (
        update ${readPosition} reader set read_at = own.newest
        from (select author_id, max(sent_at) as newest from sent group by author_id) own
        where reader.${reference} = ${id} and reader.user_id = own.author_id and reader.read_at < own.newest
        returning pg_notify(${chatNotifyChannel}, ${readTopicPrefix({ kind, id })}::text || reader.user_id))
      select pg_notify(${chatNotifyChannel}, ${conversationTopic({ kind, id })}) where exists (select from sent)`,
    sql<MessageRow & { place: number; isSame: boolean }>`
      select item.place::int as place,
        coalesce(m.${reference} = ${id} and (m.deleted_at is not null or m.content = item.content), false) as "isSame",
        ${selectOwnMessage(origin)}
      from ${items} join ${conversation} c on c.id = ${id}
      cross join lateral (
        select * from chat_message where id = item.id
        union all select * from chat_message where author_id = item.author_id and client_id = item.client_id
        limit 1) m
      join users u on u.id = m.author_id cross join (select false as hidden, true as known) h
      where ${mayWrite}`,
    sealSegments({ kind, id }),
  ]);
  const byPlace = new Map(stored.map(({ place, ...message }) => [place, message]));
  const usedKey = (): GraphQLError =>
    conflict(
      { reason: 'client_id_used' },
      'The key belongs to another message: it has another text, or is in another conversation.',
    );
  return drafts.map(({ authorId }, at) => {
    const message = byPlace.get(at + 1);
    if (message) {
      const { isSame, ...row } = message;
      return isSame ? { value: row } : { error: usedKey() };
    }
    if (!found || found.isSecret) return { error: notFound() };
    if (kind === 'group') return { error: notMemberError() };
    return {
      error: found.participants?.includes(authorId)
        ? notConnectedError()
        : forbidden({ reason: 'not_participant' }, 'You are not part of this chat.'),
    };
  });
}
