import { type RawBuilder, sql } from 'kysely';
import { ChatGroup, PrivateChat } from '../../../schema/health/chat.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { knows, notKeptApart } from '../community/blocks.ts';
import { admitsToChat } from '../groups/admission.ts';
import { tablePage } from '../lists/table-page.ts';
import { participantCard } from '../people/person-card.ts';
import { otherParticipant } from './conversations.ts';
import { newestMessage, unreadCount, type Viewer } from './message-columns.ts';

/** A private chat as a query brings it: its id, and of the rest what was selected. */
export type PrivateChatRow = Omit<PrivateChat, 'lowId' | 'highId' | 'messageCount' | 'lastMessageAt'>;

/** A group as a query brings it: id, community group and membership, and of the rest what was selected. */
export type ChatGroupRow = Omit<ChatGroup, 'participantCount' | 'creatorId' | 'messageCount' | 'lastMessageAt'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

/** Maximum members that the REST contract has in a group. */
const maxParticipantsShown = 50;

const viewerOf = ({ actor, origin }: Dependencies): Viewer => ({ userId: requirePerson(actor).userId, origin });

/** Of `private_chat c` with the caller's `reader` and the other participant as `u`. */
const privateSelectList = columnsOf(PrivateChat, 'c', {
  always: ['id'],
  computed: {
    participants: ({ userId, origin }: Viewer) =>
      sql`json_build_array((select ${participantCard('own', origin)} from users own where own.id = ${userId}),
        ${participantCard('u', origin)})`,
    peer: ({ origin }: Viewer) => participantCard('u', origin),
    lastMessage: (viewer: Viewer) => newestMessage(viewer, 'chat_id'),
    unreadCount: ({ userId }: Viewer) => unreadCount(userId, 'chat_id', 'reader.read_at'),
  },
});

export const privateSource = (viewer: number): RawBuilder<unknown> =>
  sql`private_chat_reader reader join private_chat c on c.id = reader.chat_id
    join users u on u.id = ${otherParticipant(viewer)}`;

/** Condition: a chat of the viewer, and neither of the two blocks the other. */
export const isOwnPrivateChat = (viewer: number): RawBuilder<unknown> =>
  sql`reader.user_id = ${viewer} and ${notKeptApart(viewer, 'u.id')}`;

/** The most recently active first. */
const byActivity = sql`coalesce(c.last_message_at, c.created_at) desc, c.id desc`;

/** The caller's private chats, without blocked ones in either direction. */
export function privateChats(context: Dependencies): ListSource<PrivateChatRow> {
  const viewer = viewerOf(context);
  return tablePage(context.read, {
    select: wanted => privateSelectList(wanted, viewer),
    from: privateSource(viewer.userId),
    where: [isOwnPrivateChat(viewer.userId)],
    order: byActivity,
  });
}

/** The caller's private chats with these ids, in their order; null for the other ids. */
export async function findPrivateChats(
  context: Dependencies,
  ids: readonly string[],
  wanted: Selection,
): Promise<(PrivateChatRow | null)[]> {
  const viewer = viewerOf(context);
  const found = await context.read(sql<PrivateChatRow>`select ${privateSelectList(wanted, viewer)}
    from ${privateSource(viewer.userId)}
    where c.id = any(${[...ids]}::uuid[]) and ${isOwnPrivateChat(viewer.userId)}`);
  return inOrder(ids, found);
}

/** Of `chat_group c` with the caller's membership `own`, if any. Only members see participants and messages. */
const groupSelectList = columnsOf(ChatGroup, 'c', {
  always: ['id', 'communityId', 'isMember'],
  computed: {
    participants: ({ userId, origin }: Viewer) =>
      sql`coalesce((select json_agg(one.person order by one.joined_at, one.user_id) from (
        select m.joined_at, m.user_id, ${participantCard('u', origin, knows(userId, 'm.user_id'))} as person
        from chat_membership m join users u on u.id = m.user_id
        where own.user_id is not null and m.group_id = c.id and ${notKeptApart(userId, 'm.user_id')}
        order by m.joined_at, m.user_id limit ${maxParticipantsShown}) one), '[]')`,
    memberCount: 'c.participant_count',
    lastMessage: (viewer: Viewer) =>
      sql`case when own.user_id is not null then ${newestMessage(viewer, 'group_id')} end`,
    unreadCount: ({ userId }: Viewer) => unreadCount(userId, 'group_id', 'own.read_at'),
    isMember: 'own.user_id is not null',
    isAdmin: 'coalesce(own.is_admin, false)',
    communityGroupDatabaseId: 'c.community_id',
  },
});

const groupSource = (viewer: number): RawBuilder<unknown> =>
  sql`chat_group c left join chat_membership own on own.group_id = c.id and own.user_id = ${viewer}`;

export const ownGroupSource = (viewer: number): RawBuilder<unknown> =>
  sql`chat_group c join chat_membership own on own.group_id = c.id and own.user_id = ${viewer}`;

/** Condition: the group is active, and the viewer is not banned from it. */
const isOffered = (viewer: number): RawBuilder<unknown> =>
  sql`c.is_active and not exists (select 1 from chat_ban b where b.group_id = c.id and b.user_id = ${viewer})`;

/** Condition: not a member, the viewer may know of the group. */
const canBeFound = (viewer: number): RawBuilder<unknown> =>
  sql`${isOffered(viewer)} and (c.visibility <> 'secret' or ${admitsToChat(viewer, 'c')})`;

/** The caller's groups. */
export function ownChatGroups(context: Dependencies): ListSource<ChatGroupRow> {
  const viewer = viewerOf(context);
  return tablePage(context.read, {
    select: wanted => groupSelectList(wanted, viewer),
    from: ownGroupSource(viewer.userId),
    where: [sql`true`],
    order: byActivity,
  });
}

/** Active groups that are not secret, the newest first, without those the caller is banned from. */
export function listedChatGroups(context: Dependencies): ListSource<ChatGroupRow> {
  const viewer = viewerOf(context);
  return tablePage(context.read, {
    select: wanted => groupSelectList(wanted, viewer),
    from: groupSource(viewer.userId),
    where: [isOffered(viewer.userId), sql`c.visibility <> 'secret'`],
    order: sql`c.created_at desc, c.id desc`,
  });
}

/** Groups that the caller is a member of or may know of. */
function visibleChatGroups(context: Dependencies, condition: RawBuilder<unknown>, wanted: Selection) {
  const viewer = viewerOf(context);
  return context.read(sql<ChatGroupRow>`select ${groupSelectList(wanted, viewer)} from ${groupSource(viewer.userId)}
    where ${condition} and (own.user_id is not null or ${canBeFound(viewer.userId)})`);
}

/** The groups with these ids that the caller is a member of or may know of, in their order; null for the other ids. */
export async function findChatGroups(
  context: Dependencies,
  ids: readonly string[],
  wanted: Selection,
): Promise<(ChatGroupRow | null)[]> {
  return inOrder(ids, await visibleChatGroups(context, sql`c.id = any(${[...ids]}::uuid[])`, wanted));
}

/** DataLoader batch: the chats of community groups, by the numbers of the groups; null for none and for hidden ones. */
export async function chatGroupsOfCommunities(
  context: Context,
  communityIds: readonly number[],
  wanted: Selection,
): Promise<(ChatGroupRow | null)[]> {
  const found = await visibleChatGroups(context, sql`c.community_id = any(${[...communityIds]}::bigint[])`, wanted);
  const byCommunity = new Map(found.map(row => [row.communityId, row]));
  return communityIds.map(id => byCommunity.get(id) ?? null);
}

function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): (Row | null)[] {
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}
