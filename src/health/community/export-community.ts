import { type Kysely, sql } from 'kysely';
import type { ChatMessageRecord, CommunityRecord, PeerLinkRecord } from '../../../schema/health/data-export.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';

/** Community data of a user for the data export; of other users, nothing but group names. */
export async function exportCommunity(db: Kysely<unknown>, userId: number): Promise<CommunityRecord> {
  const rows = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> => (await query.execute(db)).rows;
  const [communityGroups, chatGroups, groupEntries, peers, messages, terms] = await Promise.all([
    rows(sql<CommunityRecord['communityGroups'][number]>`
      select g.name, m.joined_at as "joinedAt" from community_membership m join community_group g on g.id = m.group_id
      where m.user_id = ${userId} order by m.joined_at desc, g.id desc`),
    rows(sql<CommunityRecord['chatGroups'][number]>`
      select g.name, m.is_admin as "isAdmin", m.joined_at as "joinedAt"
      from chat_membership m join chat_group g on g.id = m.group_id
      where m.user_id = ${userId} order by m.joined_at desc, g.id desc`),
    // An owner's refusal is the owner's decision and is not exported.
    rows(sql<CommunityRecord['groupEntries'][number]>`
      select coalesce(c.name, g.name) as name, case when e.inviter_id is null then 'request' else 'invitation' end as kind,
        coalesce(e.inviter_id, e.person_id) = ${userId} as "isSentByYou", e.created_at as "createdAt"
      from group_entry e left join chat_group c on c.id = e.chat_group_id left join community_group g on g.id = e.community_group_id
      where ${userId} in (e.person_id, e.inviter_id) order by e.id desc`),
    // Blocks and refusals by others are their decisions and are not exported.
    rows(sql<PeerLinkRecord>`
      select case when asker_id = ${userId} then 'outgoing' else 'incoming' end as direction, status,
        case when asker_id = ${userId} then match_reason else '' end as "matchReason", created_at as "createdAt",
        responded_at as "respondedAt"
      from peer_connection where ${userId} in (asker_id, asked_id)
        and (status in ('pending', 'accepted') or blocked_by_id = ${userId} or (status = 'declined' and declined_by_id = ${userId}))
      order by created_at desc, id desc`),
    rows(sql<Omit<ChatMessageRecord, 'chatId'>>`
      select chat_id as "privateChatUuid", group_id as "chatGroupUuid", content as text, sent_at as "sentAt",
        deleted_at as "deletedAt"
      from chat_message where author_id = ${userId} order by sent_at desc, id desc`),
    rows(sql<{ terms: string[] }>`select terms from health_profile where user_id = ${userId}`),
  ]);
  return {
    communityGroups,
    chatGroups,
    groupEntries,
    peers,
    messages: messages.map(row => ({ ...row, chatId: chatIdOf(row) })),
    matchingTerms: terms[0]?.terms ?? [],
  };
}

/** A message belongs to exactly one of the two. */
function chatIdOf({
  privateChatUuid,
  chatGroupUuid,
}: Pick<ChatMessageRecord, 'privateChatUuid' | 'chatGroupUuid'>): string {
  return privateChatUuid === null
    ? encodeGlobalId('ChatGroup', chatGroupUuid ?? '')
    : encodeGlobalId('PrivateChat', privateChatUuid);
}
