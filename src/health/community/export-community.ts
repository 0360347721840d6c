import { type Kysely, sql } from 'kysely';

/** Community data of a user for the data export; of other users, nothing but group names. */
export interface CommunityExport {
  communityGroups: { name: string; joinedAt: string }[];
  chatGroups: { name: string; isAdmin: boolean; joinedAt: string }[];
  connections: {
    direction: string;
    status: string;
    matchReason: string;
    createdAt: string;
    respondedAt: string | null;
  }[];
  messages: {
    chatId: string | null;
    groupId: string | null;
    content: string;
    sentAt: string;
    deletedAt: string | null;
  }[];
  matchingTerms: string[];
}

export async function exportCommunity(db: Kysely<unknown>, userId: number): Promise<CommunityExport> {
  const rows = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> => (await query.execute(db)).rows;
  const [communityGroups, chatGroups, connections, messages, terms] = await Promise.all([
    rows(sql<CommunityExport['communityGroups'][number]>`
      select g.name, m.joined_at as "joinedAt" from community_membership m join community_group g on g.id = m.group_id
      where m.user_id = ${userId} order by m.joined_at desc, g.id desc`),
    rows(sql<CommunityExport['chatGroups'][number]>`
      select g.name, m.is_admin as "isAdmin", m.joined_at as "joinedAt"
      from chat_membership m join chat_group g on g.id = m.group_id
      where m.user_id = ${userId} order by m.joined_at desc, g.id desc`),
    // Blocks and refusals by others are their decisions and are not exported.
    rows(sql<CommunityExport['connections'][number]>`
      select case when asker_id = ${userId} then 'outgoing' else 'incoming' end as direction, status,
        case when asker_id = ${userId} then match_reason else '' end as "matchReason", created_at as "createdAt",
        responded_at as "respondedAt"
      from peer_connection where ${userId} in (asker_id, asked_id)
        and (status in ('pending', 'accepted') or blocked_by_id = ${userId} or (status = 'declined' and declined_by_id = ${userId}))
      order by created_at desc, id desc`),
    rows(sql<CommunityExport['messages'][number]>`
      select chat_id as "chatId", group_id as "groupId", content, sent_at as "sentAt", deleted_at as "deletedAt"
      from chat_message where author_id = ${userId} order by sent_at desc, id desc`),
    rows(sql<{ terms: string[] }>`select terms from health_profile where user_id = ${userId}`),
  ]);
  return { communityGroups, chatGroups, connections, messages, matchingTerms: terms[0]?.terms ?? [] };
}
