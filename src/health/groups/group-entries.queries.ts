import { type Kysely, type RawBuilder, sql } from 'kysely';
import { GroupEntry, type GroupEntryKind, type GroupEntryTurn } from '../../../schema/health/group-entry.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { KeysetSlice, KeysetSource } from '../../db/keyset-connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { notKeptApart } from '../community/blocks.ts';
import { isReachable, personCardFor } from '../people/person-card.ts';

/** Selected columns of a request or invitation. */
export type GroupEntryRow = Pick<
  GroupEntry,
  'id' | 'kind' | 'person' | 'createdAt' | 'chatGroupId' | 'communityGroupId'
> & { databaseId: number };

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;
type Viewer = Pick<Context, 'actor' | 'origin'>;

/** Of `group_entry e join users u`, the person who would join. */
const entrySelectList = columnsOf(GroupEntry, 'e', {
  always: ['id', 'databaseId', 'chatGroupId', 'communityGroupId'],
  computed: {
    kind: "case when e.inviter_id is null then 'request' else 'invitation' end",
    person: ({ actor, origin }: Viewer) => personCardFor(requirePerson(actor).userId, 'u', origin),
  },
});

const kindIs = (kind: GroupEntryKind): RawBuilder<unknown> =>
  kind === 'request' ? sql`e.inviter_id is null` : sql`e.inviter_id is not null`;

const entrySource = sql`group_entry e join users u on u.id = e.person_id`;

/** Entries of one kind that are about the viewer; UNION ALL with the others, each by its own index. */
const aboutViewer = (viewer: number, kind: GroupEntryKind): RawBuilder<unknown> =>
  sql`select e.id from group_entry e where e.person_id = ${viewer} and ${kindIs(kind)}`;

/** Entries of one kind to groups that the viewer owns. */
const ofOwnGroups = (viewer: number, kind: GroupEntryKind): RawBuilder<unknown> => sql`
  select e.id from chat_membership m join group_entry e on e.chat_group_id = m.group_id
  where m.user_id = ${viewer} and m.is_admin and ${kindIs(kind)}
  union all
  select e.id from community_group g join group_entry e on e.community_group_id = g.id
  where g.owner_id = ${viewer} and ${kindIs(kind)}`;

/** What waits for an answer: not declined, and by someone whom no block hides. */
const isWaiting = (viewer: number): RawBuilder<unknown> =>
  sql`e.declined_at is null and ${isReachable('u')} and ${notKeptApart(viewer, 'e.person_id')}`;

/** Requests and invitations that wait for the caller, or for others, the newest first. */
export function groupEntries(
  { actor, origin, read }: Dependencies,
  turn: GroupEntryTurn,
  { after, before, isBackward }: KeysetSlice,
): KeysetSource<GroupEntryRow> {
  const { userId } = requirePerson(actor);
  const ids =
    turn === 'yours'
      ? sql`${aboutViewer(userId, 'invitation')} union all ${ofOwnGroups(userId, 'request')}`
      : sql`${aboutViewer(userId, 'request')} union all ${ofOwnGroups(userId, 'invitation')}`;
  const all = sql`e.id in (${ids}) and ${isWaiting(userId)}`;
  return {
    rows: ({ limit, wanted }) =>
      read(sql<GroupEntryRow>`select ${entrySelectList(wanted, { actor, origin })} from ${entrySource}
        where ${all} and (${after}::bigint is null or e.id < ${after}) and (${before}::bigint is null or e.id > ${before})
        order by e.id ${sql.raw(isBackward ? 'asc' : 'desc')} limit ${limit + 1}`),
    async total() {
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from ${entrySource} where ${all}`,
      );
      return found?.total ?? 0;
    },
  };
}

/** Those with these numbers that wait for the caller or were sent by the caller, in their order; null for the others. */
export async function findGroupEntries(
  { actor, origin, read }: Dependencies,
  ids: readonly number[],
  wanted: Selection,
): Promise<(GroupEntryRow | null)[]> {
  const { userId } = requirePerson(actor);
  const found = await read(sql<GroupEntryRow>`select ${entrySelectList(wanted, { actor, origin })} from ${entrySource}
    where e.id = any(${[...ids]}::bigint[]) and ${isWaiting(userId)} and (e.person_id = ${userId} or e.id in (
      ${ofOwnGroups(userId, 'request')} union all ${ofOwnGroups(userId, 'invitation')}))`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** A request or invitation that was just written. */
export async function readGroupEntry(db: Kysely<unknown>, viewer: Viewer, id: number): Promise<GroupEntryRow | null> {
  const found = await sql<GroupEntryRow>`select ${entrySelectList('all', viewer)} from ${entrySource}
    where e.id = ${id}`.execute(db);
  return found.rows[0] ?? null;
}
