import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import {
  type ChatGroupRow,
  findChatGroups,
  findPrivateChats,
  isOwnPrivateChat,
  ownGroupSource,
  type PrivateChatRow,
  privateSource,
} from './chats.queries.ts';
import { hasUnread } from './message-columns.ts';
import type { Conversation } from './notify-conversation.ts';

/** A chat of either kind. The type name tells which for the executors. */
export type ChatRow = { __typename: 'PrivateChat' | 'ChatGroup' } & (PrivateChatRow | ChatGroupRow);

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

/** The caller's chats of both kinds, the most recently active first. One statement finds the page, one reads each kind. */
export function allChats(context: Dependencies, unreadOnly: boolean): ListSource<ChatRow> {
  const { userId } = requirePerson(context.actor);
  const unreadIn = (column: 'chat_id' | 'group_id', readAt: string) =>
    unreadOnly ? hasUnread(userId, column, readAt) : sql`true`;
  const chats = sql`(
    select c.id, 'chat' as kind, coalesce(c.last_message_at, c.created_at) as active_at from ${privateSource(userId)}
    where ${isOwnPrivateChat(userId)} and ${unreadIn('chat_id', 'reader.read_at')}
    union all
    select c.id, 'group', coalesce(c.last_message_at, c.created_at) from ${ownGroupSource(userId)}
    where ${unreadIn('group_id', 'own.read_at')}) chat`;
  return {
    async rows({ limit, offset, wanted }) {
      const page = await context.read(sql<Conversation>`select id, kind from ${chats}
        order by active_at desc, id desc limit ${limit} offset ${offset}`);
      const rows = await findChats(context, page, wanted);
      // A chat may have become invisible between the two statements.
      return rows.filter(row => row !== null);
    },
    async total() {
      const [found] = await context.read(sql<{ total: number }>`select count(*)::int as total from ${chats}`);
      return found?.total ?? 0;
    },
  };
}

/** The chats that the caller can see, in the order of the conversations; null for the others. A statement for each kind. */
export async function findChats(
  context: Dependencies,
  conversations: readonly Conversation[],
  wanted: Selection,
): Promise<(ChatRow | null)[]> {
  const idsOf = (kind: Conversation['kind']) => conversations.filter(one => one.kind === kind).map(one => one.id);
  const [chatIds, groupIds] = [idsOf('chat'), idsOf('group')];
  const [privateRows, groupRows] = await Promise.all([
    chatIds.length === 0 ? [] : findPrivateChats(context, chatIds, wanted),
    groupIds.length === 0 ? [] : findChatGroups(context, groupIds, wanted),
  ]);
  const byId = new Map<string, ChatRow>();
  for (const row of privateRows) if (row) byId.set(row.id, { ...row, __typename: 'PrivateChat' });
  for (const row of groupRows) if (row) byId.set(row.id, { ...row, __typename: 'ChatGroup' });
  return conversations.map(({ id }) => byId.get(id) ?? null);
}
