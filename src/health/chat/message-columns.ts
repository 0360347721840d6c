import { type RawBuilder, sql } from 'kysely';
import { differInAge, linkStatus } from '../community/blocks.ts';
import { blockedCard, nameWhere, personCard } from '../people/person-card.ts';

export interface Viewer {
  userId: number;
  origin: string;
}

/** The viewer of a message as a value or as SQL: messages of several people are read as their own. */
export type MessageViewer = Omit<Viewer, 'userId'> & { userId: number | RawBuilder<unknown> };

/** The name of the author `u`, by `h.known` of `messageSource`. */
const authorName = nameWhere(sql`h.known`, 'u');

/**
 * Fields of a message `m` with its author `u` and `h` (see `messageSource`) that a block or a deletion changes, or that
 * depend on the viewer.
 */
export const messageColumns = {
  senderDatabaseId: 'case when h.hidden then 0 else coalesce(m.author_id, 0) end',
  senderName: () => sql`case when h.hidden then 'Blocked user' else ${authorName} end`,
  sender: ({ origin }: MessageViewer) =>
    sql`case when h.hidden then ${blockedCard} else ${personCard('u', origin, authorName)} end`,
  text: "case when h.hidden or m.deleted_at is not null then '' else m.content end",
  isDeleted: 'm.deleted_at is not null',
  isMine: ({ userId }: MessageViewer) => sql`coalesce(m.author_id = ${userId}, false)`,
} as const;

/**
 * Joins messages `m` from `rows` with their authors `u`, and `h`. `h.hidden`: a block or the age keeps author and viewer apart. `h.known`: the
 * viewer sees the whole name; the two of a private chat have been connected.
 * `offset 0` prevents PostgreSQL from inlining the subquery and repeating the lookup for each column.
 */
export const messageSource = (
  viewer: number,
  rows: RawBuilder<unknown> = sql`chat_message`,
): RawBuilder<unknown> => sql`${rows} m left join users u on u.id = m.author_id
  cross join lateral (
    select coalesce(link.status = 'blocked', false) or ${differInAge(viewer, 'm.author_id')} as hidden,
      m.chat_id is not null or coalesce(m.author_id = ${viewer} or link.status = 'accepted', false) as known
    from (select ${linkStatus(viewer, 'm.author_id')} as status offset 0) link offset 0) h`;

/**
 * The newest message of the conversation `c` as JSON, as the viewer may see it; of a group for the member `own`. Timestamps in JSON have a `T` separator,
 * those of columns do not.
 */
export function newestMessage(viewer: Viewer, column: 'chat_id' | 'group_id'): RawBuilder<unknown> {
  const newest = sql`(select * from chat_message m where ${sql.ref(`m.${column}`)} = c.id
    order by m.sent_at desc, m.id desc limit 1)`;
  const isReadable = column === 'group_id' ? sql` where m.ordinal >= own.first_ordinal` : sql``;
  return sql`(select json_build_object('id', m.id, 'uuid', m.id, 'sentAt', m.sent_at,
      'text', ${sql.raw(messageColumns.text)}, 'senderDatabaseId', ${sql.raw(messageColumns.senderDatabaseId)},
      'senderName', ${messageColumns.senderName()}, 'sender', ${messageColumns.sender(viewer)},
      'isDeleted', ${sql.raw(messageColumns.isDeleted)}, 'isMine', ${messageColumns.isMine(viewer)})
    from ${messageSource(viewer.userId, newest)}${isReadable})`;
}

/** Unread messages are counted up to this number. */
const maxUnreadCount = 1000;

/** Messages of the conversation `c` that others sent after `readAt`. */
const unread = (viewer: number, column: 'chat_id' | 'group_id', readAt: string): RawBuilder<unknown> =>
  sql`select 1 from chat_message m where ${sql.ref(`m.${column}`)} = c.id and m.sent_at > ${sql.ref(readAt)}
    and m.author_id is distinct from ${viewer} and m.deleted_at is null`;

export const unreadCount: typeof unread = (viewer, column, readAt) =>
  sql`(select count(*)::int from (${unread(viewer, column, readAt)} limit ${maxUnreadCount}) unread)`;

export const hasUnread: typeof unread = (viewer, column, readAt) => sql`exists (${unread(viewer, column, readAt)})`;
