import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PeerLink } from '../../../schema/health/peer-link.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { anchorOfTime, readWindow, storedUntil } from '../lists/list-window.ts';
import { orderBy, requestedOrdering } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { blockedCard, nameWhere, personCard } from '../people/person-card.ts';
import { conditionsShownToPeers } from '../profiles/shown-conditions.ts';
import { differInAge } from './blocks.ts';

/** Selected columns of a link for one of its two users; `id` is always present. */
export type PeerLinkRow = Pick<
  PeerLink,
  | 'id'
  | 'requester'
  | 'receiver'
  | 'peer'
  | 'status'
  | 'matchReason'
  | 'sharedConditions'
  | 'chatUuid'
  | 'createdAt'
  | 'respondedAt'
>;

export interface PeerFilter extends ListFilter {
  status?: string | null | undefined;
  direction?: string | null | undefined;
  /** Anchor of an earlier page. */
  asOf?: string | null | undefined;
}

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

/** SQL: when a link came into the list of its status. */
const enteredAt = 'coalesce(c.responded_at, c.created_at)';

type Viewer = Pick<Context, 'actor' | 'origin'>;

/** Name of the other user `u` of a link `c`: the whole one while the two are connected. */
const peerName = nameWhere(sql`c.status = 'accepted'`, 'u');

/**
 * The other user `u` of a link `c`. Nobody is named whom the age hides. Nor is anybody by a block alone, or by what is left of it: anybody can
 * set one by a number. So the two have been connected, or can meet in the community or in a group. A picture can have words, and worse, that
 * nobody has asked for: connected people see it.
 */
function peerCard({ actor, origin }: Viewer): RawBuilder<unknown> {
  const { userId } = requirePerson(actor);
  return sql`case when ${differInAge(userId, 'u.id')} or (c.status in ('blocked', 'declined') and not u.is_visible_in_community
      and not exists (select from private_chat p
        where p.low_id = least(c.asker_id, c.asked_id) and p.high_id = greatest(c.asker_id, c.asked_id))
      and not exists (select from chat_membership own join chat_membership theirs on theirs.group_id = own.group_id
        where own.user_id = ${userId} and theirs.user_id = u.id))
    then ${blockedCard} when c.status = 'accepted' then ${personCard('u', origin, peerName)}
    else json_build_object('databaseId', u.id, 'fullName', ${peerName}, 'profilePicture', null) end`;
}

/** The person in one column of a link. The other person of the link is the row `u`; the caller is read apart. */
const personIn =
  (column: 'asker_id' | 'asked_id') =>
  (viewer: Viewer): RawBuilder<unknown> =>
    sql`case when ${sql.ref(`c.${column}`)} = u.id then ${peerCard(viewer)}
      else (select ${personCard('own', viewer.origin)} from users own where own.id = ${requirePerson(viewer.actor).userId}) end`;

/** Over `peer_connection c join users u`, where `u` is the other user. */
const linkSelectList = columnsOf(PeerLink, 'c', {
  always: ['id', 'chatUuid'],
  computed: {
    requester: personIn('asker_id'),
    receiver: personIn('asked_id'),
    peer: peerCard,
    chatUuid: `(select p.id from private_chat p
      where p.low_id = least(c.asker_id, c.asked_id) and p.high_id = greatest(c.asker_id, c.asked_id))`,
    // First contact is a request without words: they are read once it is accepted.
    matchReason: ({ actor }: Viewer) =>
      sql`case when c.status = 'accepted' or c.asker_id = ${requirePerson(actor).userId} then c.match_reason else '' end`,
    sharedConditions: () => sql`case when c.status = 'accepted' then ${conditionsShownToPeers('u')} else '{}' end`,
    // The sender of a declined request sees it disappear, and neither who ended it nor when.
    respondedAt: ({ actor }: Viewer) =>
      sql`case when c.status <> 'declined' or c.declined_by_id = ${requirePerson(actor).userId} then c.responded_at end`,
  },
});

/**
 * Links of users. `own_id` is the user, of whom `isVisible` selects the links. UNION instead of OR: each branch uses its own index. The
 * condition stands outside of the branches, because PostgreSQL merges two ordered index scans only if they have none of their own.
 */
const links = sql`(
  select *, asker_id as own_id, asked_id as other_id, 'outgoing'::text as direction from peer_connection
  union all
  select *, asked_id as own_id, asker_id as other_id, 'incoming'::text as direction from peer_connection) c`;

/** The same with the other user. */
const linksWithUsers = sql`${links} join users u on u.id = c.other_id`;

function isVisible(viewer: number): RawBuilder<unknown> {
  return sql`c.own_id = ${viewer} and (c.status <> 'blocked' or c.blocked_by_id = ${viewer})
    and (c.status <> 'declined' or c.declined_by_id = ${viewer})
    and (c.status in ('blocked', 'declined') or not ${differInAge(viewer, 'c.other_id')})`;
}

const linkOrdering = {
  names: { created_at: 'c.created_at', responded_at: 'c.responded_at', id: 'c.id' },
  key: 'c.id',
  byDefault: '-created_at',
};

/** Pages of `peerLinks`; accepted ones by default. */
export function peerLinks(
  { actor, origin, read, now }: Dependencies & Pick<Context, 'now'>,
  filter: PeerFilter,
): ListSource<PeerLinkRow> {
  const window = readWindow(now, filter.asOf);
  const { userId } = requirePerson(actor);
  const conditions = [
    isVisible(userId),
    ...storedUntil(window, enteredAt),
    sql`c.status = ${filter.status ?? 'accepted'}`,
  ];
  if (filter.direction) conditions.push(sql`c.direction = ${filter.direction}`);
  for (const condition of containsTerms(peerName, filter.search)) conditions.push(condition);
  const order = orderBy(requestedOrdering(filter), linkOrdering);
  const list = tablePage<PeerLinkRow>(read, {
    select: wanted => linkSelectList(wanted, { actor, origin }),
    // Every link has both users: only a search needs the other one to count.
    from: filter.search ? linksWithUsers : links,
    readFrom: () => linksWithUsers,
    where: conditions,
    order,
    deep: { key: sql.ref('c.id'), within: [isVisible(userId)], order },
  });
  return { ...list, asOf: () => anchorOfTime(now, window) };
}

/** Pending requests to the caller, the newest first, without those of inactive or deleted accounts. */
export function peerRequests({ actor, origin, read }: Dependencies): ListSource<PeerLinkRow> {
  const { userId } = requirePerson(actor);
  return tablePage(read, {
    select: wanted => linkSelectList(wanted, { actor, origin }),
    from: sql`peer_connection c join users u on u.id = c.asker_id`,
    where: [
      sql`c.asked_id = ${userId} and c.status = 'pending' and u.is_active and u.deleted_at is null`,
      sql`not ${differInAge(userId, 'c.asker_id')}`,
    ],
    order: sql`c.created_at desc, c.id desc`,
  });
}

/** The caller's links with these numbers, in their order; null for the others. Also a DataLoader batch. */
export async function findPeerLinks(
  { actor, origin, read }: Dependencies,
  ids: readonly number[],
  wanted: Selection,
): Promise<(PeerLinkRow | null)[]> {
  const { userId } = requirePerson(actor);
  const found = await read(sql<PeerLinkRow>`select ${linkSelectList(wanted, { actor, origin })}
    from ${linksWithUsers} where c.id = any(${[...ids]}::bigint[]) and ${isVisible(userId)}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** One link as one of its two users sees it, read in the transaction that changed it; null for any other user. */
export async function findOwnLink(db: Kysely<unknown>, viewer: Viewer, id: number): Promise<PeerLinkRow | null> {
  const { userId } = requirePerson(viewer.actor);
  const found = await sql<PeerLinkRow>`select ${linkSelectList('all', viewer)}
    from ${linksWithUsers} where c.id = ${id} and c.own_id = ${userId}`.execute(db);
  return found.rows[0] ?? null;
}
