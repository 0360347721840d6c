import { type RawBuilder, sql } from 'kysely';
import { ChatGroup, PrivateChat } from '../../../schema/health/chat.ts';
import type { ChatUser } from '../../../schema/health/chat-user.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { blockedBetween, notBlockedBetween } from '../community/blocks.ts';
import { fullName, isReachable, maskedEmail, participant, profilePicture } from '../people/mini-user.ts';
import { otherParticipant } from './conversations.ts';

/** A private chat as a query brings it: its id, and of the rest what was selected. */
export type PrivateChatRow = Omit<PrivateChat, 'lowId' | 'highId' | 'messageCount' | 'lastMessageAt'>;

/** A group as a query brings it: its id, and of the rest what was selected. */
export type ChatGroupRow = Omit<ChatGroup, 'communityId' | 'creatorId' | 'messageCount' | 'lastMessageAt'>;

/** A person whom the caller can write to. */
export type ChatUserRow = ChatUser;

interface Viewer {
  userId: number;
  origin: string;
}

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

/** Maximum rows of a list. */
const maxListed = 500;
/** Unread messages are counted up to this number. */
const maxUnreadCount = 1000;
/** Maximum members returned with a group. */
const maxParticipantsShown = 50;

/**
 * The newest message of a conversation as JSON, as the viewer may see it. Timestamps in JSON have a `T` separator,
 * those of columns do not.
 */
function lastMessage(viewer: number, column: string): RawBuilder<unknown> {
  return sql`(select json_build_object('content', case when m.deleted_at is not null or h.hidden then '' else m.content end,
      'senderName', case when h.hidden then 'Blocked user' else ${fullName('w')} end, 'timestamp', m.sent_at)
    from chat_message m left join users w on w.id = m.author_id
      cross join lateral (select ${blockedBetween(viewer, 'm.author_id')} as hidden offset 0) h
    where ${sql.raw(`m.${column}`)} = c.id order by m.sent_at desc, m.id desc limit 1)`;
}

/** Of `private_chat c` with the caller's `reader` and the other participant as `u`. */
const privateSelectList = columnsOf(PrivateChat, 'c', {
  always: ['id'],
  computed: {
    participants: ({ userId, origin }: Viewer) =>
      sql`json_build_array((select ${participant('own', origin)} from users own where own.id = ${userId}),
        ${participant('u', origin)})`,
    peer: ({ origin }: Viewer) => participant('u', origin),
    lastMessage: ({ userId }: Viewer) => lastMessage(userId, 'chat_id'),
    unreadCount: ({ userId }: Viewer) => sql`(select count(*)::int from (select 1 from chat_message m
      where m.chat_id = c.id and m.sent_at > reader.read_at and m.author_id is distinct from ${userId}
        and m.deleted_at is null limit ${maxUnreadCount}) unread)`,
  },
});

/**
 * The caller's private chats, most recent message first, without blocked ones in either direction; `only` restricts it
 * to one.
 */
export function privateChats(context: Dependencies, wanted: Selection, only?: string): Promise<PrivateChatRow[]> {
  const { userId } = requirePerson(context.actor);
  return context.read(sql<PrivateChatRow>`select ${privateSelectList(wanted, { userId, origin: context.origin })}
    from private_chat_reader reader join private_chat c on c.id = reader.chat_id join users u on u.id = ${otherParticipant(userId)}
    where reader.user_id = ${userId} and ${notBlockedBetween(userId, 'u.id')}
      ${only === undefined ? sql`` : sql`and c.id = ${only}`}
    order by coalesce(c.last_message_at, c.created_at) desc, c.id desc limit ${maxListed}`);
}

/** Of `chat_group c` with the caller's membership `own`, if any. Only members see participants and messages. */
const groupSelectList = columnsOf(ChatGroup, 'c', {
  always: ['id'],
  computed: {
    participants: ({ userId, origin }: Viewer) =>
      sql`coalesce((select json_agg(one.person order by one.joined_at, one.user_id) from (
        select m.joined_at, m.user_id, ${participant('u', origin)} as person
        from chat_membership m join users u on u.id = m.user_id
        where own.user_id is not null and m.group_id = c.id and ${notBlockedBetween(userId, 'm.user_id')}
        order by m.joined_at, m.user_id limit ${maxParticipantsShown}) one), '[]')`,
    lastMessage: ({ userId }: Viewer) =>
      sql`case when own.user_id is not null then ${lastMessage(userId, 'group_id')} end`,
    isMember: 'own.user_id is not null',
    isAdmin: 'coalesce(own.is_admin, false)',
    communityGroupId: 'c.community_id',
  },
});

const groupSource = (viewer: number): RawBuilder<unknown> =>
  sql`chat_group c left join chat_membership own on own.group_id = c.id and own.user_id = ${viewer}`;

/** The caller's groups, most recent message first; `only` restricts it to one. */
export function ownChatGroups(context: Dependencies, wanted: Selection, only?: string): Promise<ChatGroupRow[]> {
  const { userId } = requirePerson(context.actor);
  return context.read(sql<ChatGroupRow>`select ${groupSelectList(wanted, { userId, origin: context.origin })}
    from chat_group c join chat_membership own on own.group_id = c.id and own.user_id = ${userId}
    ${only === undefined ? sql`` : sql`where c.id = ${only}`}
    order by coalesce(c.last_message_at, c.created_at) desc, c.id desc limit ${maxListed}`);
}

/** Active groups, the newest first, without those the caller is banned from. */
export function openChatGroups(context: Dependencies, wanted: Selection): Promise<ChatGroupRow[]> {
  const { userId } = requirePerson(context.actor);
  return context.read(sql<ChatGroupRow>`select ${groupSelectList(wanted, { userId, origin: context.origin })}
    from ${groupSource(userId)} where c.is_active
      and not exists (select 1 from chat_ban b where b.group_id = c.id and b.user_id = ${userId})
    order by c.created_at desc, c.id desc limit ${maxListed}`);
}

/** Accounts with an accepted connection to the caller, by name. */
export function chatUsers(
  { actor, origin, read }: Dependencies,
  search: string | null | undefined,
): Promise<ChatUserRow[]> {
  const { userId } = requirePerson(actor);
  const conditions = [isReachable('u'), ...containsTerms(fullName('u'), search)];
  return read(sql<ChatUserRow>`
    select u.id, ${fullName('u')} as "fullName", ${maskedEmail('u')} as email,
      ${profilePicture('u', origin)} as "profilePicture", p.id as "connectionId",
      (select c.id from private_chat c where c.low_id = least(u.id, ${userId}::bigint)
        and c.high_id = greatest(u.id, ${userId}::bigint)) as "chatId"
    from (
      select id, asked_id as other_id from peer_connection where asker_id = ${userId} and status = 'accepted'
      union all
      select id, asker_id from peer_connection where asked_id = ${userId} and status = 'accepted') p
    join users u on u.id = p.other_id
    where ${sql.join(conditions, sql` and `)}
    order by lower(${fullName('u')}), u.id limit ${maxListed}`);
}
