import { type RawBuilder, sql } from 'kysely';

/**
 * Condition: the viewer may enter the `chat_group` row `alias`. Anyone may enter an open one; the chat of a community group that is
 * closed or secret, its members; any other group, whoever is invited.
 */
export function admitsToChat(viewer: number, alias: string): RawBuilder<boolean> {
  const group = sql.raw(alias);
  return sql`(${group}.visibility = 'open'
    or exists (select from community_membership cm where cm.group_id = ${group}.community_id and cm.user_id = ${viewer})
    or exists (select from group_entry e where e.chat_group_id = ${group}.id and e.person_id = ${viewer} and ${isInvitation}))`;
}

/** Condition: the viewer may enter the `community_group` row `alias`. */
export function admitsToCommunity(viewer: number, alias: string): RawBuilder<boolean> {
  const group = sql.raw(alias);
  return sql`(${group}.visibility = 'open' or exists (
    select from group_entry e where e.community_group_id = ${group}.id and e.person_id = ${viewer} and ${isInvitation}))`;
}

const isInvitation = sql`e.inviter_id is not null and e.declined_at is null`;
