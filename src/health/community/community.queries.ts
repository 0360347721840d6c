import { type RawBuilder, sql } from 'kysely';
import { CommunityGroup } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type MiniUserRow, miniUser, miniUserFor } from '../people/mini-user.ts';
import { notBlockedBetween } from './blocks.ts';

/** A group as a query brings it: its id, and of the rest what was selected. */
export type CommunityGroupRow = Omit<CommunityGroup, 'creatorId'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

interface Viewer {
  userId: number;
  origin: string;
}

/** The most groups one list holds; a search finds the others. */
const maxGroups = 500;
/** Members that are shown to members. */
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

/** Groups that can be joined, by name. */
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

/** What is wanted of one group, or null. One that cannot be joined is seen by its members alone. */
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
 * Members of groups, for members of these: the caller, and up to 20 in all of those who want to be found in the community,
 * by when they joined. Nobody learns a name by looking at a group from outside.
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
