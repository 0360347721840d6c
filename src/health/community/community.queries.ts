import { type RawBuilder, sql } from 'kysely';
import { CommunityGroup } from '../../../schema/health/community-group.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { admitsToCommunity } from '../groups/admission.ts';
import { tablePage } from '../lists/table-page.ts';
import { type PersonCardRow, personCardColumns, personCardFor } from '../people/person-card.ts';
import { notKeptApart } from './blocks.ts';

/** Selected columns of a group; `id` is always present. */
export type CommunityGroupRow = Omit<CommunityGroup, 'creatorId' | 'ownerId'>;

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

interface Viewer {
  userId: number;
  origin: string;
}

/** Condition: the viewer is a member of the group `g`. */
const isMember = (viewer: number): RawBuilder<boolean> =>
  sql`exists (select 1 from community_membership m where m.group_id = g.id and m.user_id = ${viewer})`;

const groupSelectList = columnsOf(CommunityGroup, 'g', {
  always: ['id'],
  computed: {
    isMember: ({ userId }: Viewer) => isMember(userId),
    isOwner: ({ userId }: Viewer) => sql`coalesce(g.owner_id = ${userId}, false)`,
    createdBy: ({ userId, origin }: Viewer) => sql`(select ${personCardFor(userId, 'u', origin)}
      from (select g.creator_id) c left join users u on u.id = c.creator_id)`,
    chatGroupUuid: '(select c.id from chat_group c where c.community_id = g.id)',
  },
});

export interface CommunityGroupFilter {
  search?: string | null | undefined;
  condition?: string | null | undefined;
}

/** Active groups, by name; of secret ones those that the caller is a member of. */
export function communityGroups(
  { actor, origin, read }: Dependencies,
  filter: CommunityGroupFilter,
): ListSource<CommunityGroupRow> {
  const { userId } = requirePerson(actor);
  const conditions: RawBuilder<unknown>[] = [sql`g.is_active`, sql`(g.visibility <> 'secret' or ${isMember(userId)})`];
  const condition = filter.condition?.trim().toLowerCase();
  if (condition) conditions.push(sql`${condition} = any(g.condition_tags)`);
  const text = sql`g.name || ' ' || g.description || ' ' || array_to_string(g.condition_tags, ' ')`;
  for (const condition of containsTerms(text, filter.search)) conditions.push(condition);
  return tablePage(read, {
    select: wanted => groupSelectList(wanted, { userId, origin }),
    from: sql`community_group g`,
    where: conditions,
    order: sql`lower(g.name), g.id`,
  });
}

/**
 * The selected fields of the groups with these numbers, in their order; null for the others. Inactive groups are visible to members
 * only, secret ones to members and the invited. Also a DataLoader batch.
 */
export async function findCommunityGroups(
  { actor, origin, read }: Dependencies,
  ids: readonly number[],
  wanted: Selection,
): Promise<(CommunityGroupRow | null)[]> {
  const { userId } = requirePerson(actor);
  const found = await read(sql<CommunityGroupRow>`select ${groupSelectList(wanted, { userId, origin })}
    from community_group g where g.id = any(${[...ids]}::bigint[]) and (${isMember(userId)}
      or (g.is_active and (g.visibility <> 'secret' or ${admitsToCommunity(userId, 'g')})))`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Members of groups of the caller, by date of joining: the caller and those who opted in to the community; none of other groups. */
export function communityMembers({ actor, origin, read }: Dependencies): BatchedSource<number, PersonCardRow> {
  const { userId } = requirePerson(actor);
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => personCardColumns(userId, 'u', origin),
    from: sql`community_membership m join users u on u.id = m.user_id`,
    where: group => [
      sql`m.group_id = ${group} and u.deleted_at is null and (u.is_visible_in_community or u.id = ${userId})`,
      notKeptApart(userId, 'm.user_id'),
      sql`exists (select 1 from community_membership own where own.group_id = m.group_id and own.user_id = ${userId})`,
    ],
    order: sql`m.joined_at, m.user_id`,
  });
}
