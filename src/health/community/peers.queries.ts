import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PeerConnection } from '../../../schema/health/peer-connection.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { fullName, miniUser } from '../people/mini-user.ts';

/** Selected columns of a connection for one of its two users; `id` is always present. */
export type PeerConnectionRow = Pick<
  PeerConnection,
  'id' | 'requester' | 'receiver' | 'peer' | 'status' | 'matchReason' | 'chatId' | 'createdAt' | 'respondedAt'
>;

export interface PeerFilter extends ListFilter {
  status?: string | null | undefined;
  direction?: string | null | undefined;
}

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;

/** Maximum requests in a list. */
const maxRequests = 500;

type Viewer = Pick<Context, 'actor' | 'origin'>;

/** The person in one column of a connection. The other person of the connection is the row `u`; the caller is read apart. */
const personIn =
  (column: 'asker_id' | 'asked_id') =>
  ({ actor, origin }: Viewer): RawBuilder<unknown> =>
    sql`case when ${sql.ref(`c.${column}`)} = u.id then ${miniUser('u', origin)}
      else (select ${miniUser('own', origin)} from users own where own.id = ${requirePerson(actor).userId}) end`;

/** Over `peer_connection c join users u`, where `u` is the other user. */
const connectionSelectList = columnsOf(PeerConnection, 'c', {
  always: ['id'],
  computed: {
    requester: personIn('asker_id'),
    receiver: personIn('asked_id'),
    peer: ({ origin }: Viewer) => miniUser('u', origin),
    chatId: `(select p.id from private_chat p
      where p.low_id = least(c.asker_id, c.asked_id) and p.high_id = greatest(c.asker_id, c.asked_id))`,
    // The sender of a declined request sees it disappear, and neither who ended it nor when.
    respondedAt: ({ actor }: Viewer) =>
      sql`case when c.status <> 'declined' or c.declined_by_id = ${requirePerson(actor).userId} then c.responded_at end`,
  },
});

/** The caller's connections. UNION instead of OR: each branch uses its own index. */
function ownConnections(viewer: number): RawBuilder<unknown> {
  return sql`(
    select *, asked_id as other_id, 'outgoing' as direction from peer_connection where asker_id = ${viewer}
    union all
    select *, asker_id as other_id, 'incoming' as direction from peer_connection where asked_id = ${viewer}) c
    join users u on u.id = c.other_id`;
}

function isVisible(viewer: number): RawBuilder<unknown> {
  return sql`(c.status <> 'blocked' or c.blocked_by_id = ${viewer})
    and (c.status <> 'declined' or c.declined_by_id = ${viewer})`;
}

export const connectionOrdering = {
  names: { created_at: 'c.created_at', responded_at: 'c.responded_at', id: 'c.id' },
  key: 'c.id',
  byDefault: '-created_at',
};

/** Pages of `peerConnections`; accepted ones by default. */
export function peerConnections(
  { actor, origin, read }: Dependencies,
  filter: PeerFilter,
): ListSource<PeerConnectionRow> {
  const { userId } = requirePerson(actor);
  const conditions = [isVisible(userId), sql`c.status = ${filter.status ?? 'accepted'}`];
  if (filter.direction) conditions.push(sql`c.direction = ${filter.direction}`);
  conditions.push(...containsTerms(fullName('u'), filter.search));
  return tablePage(read, {
    select: wanted => connectionSelectList(wanted, { actor, origin }),
    from: ownConnections(userId),
    where: conditions,
    order: orderBy(filter.ordering, connectionOrdering),
  });
}

/** Pending requests to the caller, the newest first, without those of inactive or deleted accounts. */
export function peerRequests({ actor, origin, read }: Dependencies, wanted: Selection): Promise<PeerConnectionRow[]> {
  const { userId } = requirePerson(actor);
  return read(sql<PeerConnectionRow>`select ${connectionSelectList(wanted, { actor, origin })}
    from peer_connection c join users u on u.id = c.asker_id
    where c.asked_id = ${userId} and c.status = 'pending' and u.is_active and u.deleted_at is null
    order by c.created_at desc, c.id desc limit ${maxRequests}`);
}

/** One connection as one of its two users sees it, read in the transaction that changed it; null for any other user. */
export async function findConnection(
  db: Kysely<unknown>,
  viewer: Viewer,
  id: number,
): Promise<PeerConnectionRow | null> {
  const { userId } = requirePerson(viewer.actor);
  const found = await sql<PeerConnectionRow>`select ${connectionSelectList('all', viewer)}
    from ${ownConnections(userId)} where c.id = ${id}`.execute(db);
  return found.rows[0] ?? null;
}
