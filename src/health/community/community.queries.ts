import { type RawBuilder, sql } from 'kysely';
import { CommunityGroup } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type MiniUserRow, miniUser, miniUserFor } from '../people/mini-user.ts';
import { notBlockedBetween } from './blocks.ts';

/** Selected columns of a group; `id` is always present. */
export type CommunityGroupRow = Omit<CommunityGroup, 'creatorId'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

interface Viewer {
  userId: number;
  origin: string;
}

/** Maximum groups in a list; a search finds others. */
const maxGroups = 500;
/** Maximum members returned with a group. */
const maxMembersShown = 20;

const groupSelectList = columnsOf(CommunityGroup, 'g', {
  always: ['id'],
  computed: {
    isMember: ({ userId }: Viewer) =>
      sql`exists (select 1 from community_membership m where m.group_id = g.id and m.user_id = ${userId})`,
    createdBy: ({ userId, origin }: Viewer) => sql`(select ${miniUserFor(userId, 'u', origin)}
      from (select g.creator_id) c left join users u on u.id = c.creator_id)`,
    chatGroupId: '(select c.id from chat_group c where c.community_id = g.id)',
  },
});

export interface CommunityGroupFilter {
  search?: string | null | undefined;
  condition?: string | null | undefined;
}

/** Active groups, by name. */
export function communityGroups(
  { actor, origin, read }: Dependencies,
  filter: CommunityGroupFilter,
  wanted: Selection,
): Promise<CommunityGroupRow[]> {
  const conditions: RawBuilder<unknown>[] = [sql`g.is_active`];
  const condition = filter.condition?.trim().toLowerCase();
  if (condition) conditions.push(sql`${condition} = any(g.condition_tags)`);
  const text = sql`g.name || ' ' || g.description || ' ' || array_to_string(g.condition_tags, ' ')`;
  conditions.push(...containsTerms(text, filter.search));
  return read(sql<CommunityGroupRow>`select ${groupSelectList(wanted, { userId: requirePerson(actor).userId, origin })}
    from community_group g where ${sql.join(conditions, sql` and `)} order by lower(g.name), g.id limit ${maxGroups}`);
}

/** The selected fields of a group, or null. Inactive groups are visible to members only. */
export async function communityGroupById(
  { actor, origin, read }: Dependencies,
  id: number,
  wanted: Selection,
): Promise<CommunityGroupRow | null> {
  const { userId } = requirePerson(actor);
  const [found] = await read(sql<CommunityGroupRow>`select ${groupSelectList(wanted, { userId, origin })}
    from community_group g where g.id = ${id} and (g.is_active
      or exists (select 1 from community_membership m where m.group_id = g.id and m.user_id = ${userId}))`);
  return found ?? null;
}

/**
 * DataLoader batch: members of groups the caller belongs to: the caller and users who opted in to the community, by
 * date of joining, up to `maxMembersShown`. Empty for other groups.
 */
export async function communityMembers(context: Context, ids: readonly number[]): Promise<MiniUserRow[][]> {
  const { userId } = requirePerson(context.actor);
  const found = await context.read(sql<{ groupId: number; members: MiniUserRow[] }>`
    select own.group_id as "groupId", (
      select json_agg(one.mini order by one.joined_at, one.user_id) from (
        select m.joined_at, m.user_id, ${miniUser('u', context.origin)} as mini
        from community_membership m join users u on u.id = m.user_id
        where m.group_id = own.group_id and u.deleted_at is null and ${notBlockedBetween(userId, 'm.user_id')}
          and (u.is_visible_in_community or u.id = ${userId})
        order by m.joined_at, m.user_id limit ${maxMembersShown}) one) as members
    from community_membership own where own.user_id = ${userId} and own.group_id = any(${ids}::bigint[])`);
  const byGroup = new Map(found.map(one => [one.groupId, one.members]));
  return ids.map(id => byGroup.get(id) ?? []);
}
