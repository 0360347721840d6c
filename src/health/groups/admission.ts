import { type RawBuilder, sql } from 'kysely';

/**
 * Condition: the viewer may enter the `chat_group` row `alias`. Every account may enter an open group. A closed or secret
 * chat of a community group admits the members of that group; every other group admits invited people.
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
