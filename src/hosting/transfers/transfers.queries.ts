import { type RawBuilder, sql } from 'kysely';
import { RepositoryTransfer } from '../../../schema/hosting/repository-transfer.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { reachesNewRepositories } from '../repositories/create-repository.ts';
import { accessDecision, roleOfUser } from '../repositories/repository-access.ts';

/** An offer as selected: its ids, and the requested fields. */
export type TransferRow = Partial<RepositoryTransfer> &
  Pick<RepositoryTransfer, 'databaseId' | 'repositoryId' | 'newOwnerId' | 'requesterId'>;

type ReadContext = Pick<Context, 'actor' | 'read' | 'now'>;

const transferColumns = columnsOf(RepositoryTransfer, 't', {
  always: ['databaseId', 'repositoryId', 'newOwnerId', 'requesterId'],
  computed: { databaseId: 't.id', nameWithOwner: "o.login || '/' || r.name" },
});

const source = sql.raw(
  'repository_transfer t join repository r on r.id = t.repository_id join account o on o.id = r.owner_id',
);

/**
 * SQL condition over `t` (repository_transfer), `r` and `o`: the offer has not expired, and who made it still administers the
 * repository.
 */
export const isOpenOffer = ({ now }: Pick<Context, 'now'>): RawBuilder<unknown> =>
  sql`(t.expires_at > ${now()} and (t.requester_id is null or ${roleOfUser(sql.raw('t.requester_id'))} = 5))`;

/** SQL condition: the caller got the offer, and the credential may know of it. */
function isReceivedBy({ actor }: Pick<Context, 'actor'>): RawBuilder<unknown> {
  if (actor.kind !== 'user') return sql`false`;
  const { accountId } = actor;
  const reached = reachesNewRepositories(actor, accountId, true) ? sql`true` : sql`not r.is_private`;
  return sql`(t.new_owner_id = ${accountId} and ${reached})`;
}

/** Offers to users, oldest first; the key is the caller. */
export function transfersTo(context: ReadContext): BatchedSource<number, TransferRow> {
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: transferColumns,
    from: source,
    where: key => [sql`t.new_owner_id = ${key}`, isReceivedBy(context), isOpenOffer(context)],
    order: sql`t.id`,
  });
}

/** DataLoader batch function: open offers by number, for their receiver and the administrators of the repository. */
export async function transfersByIds(
  context: ReadContext,
  ids: readonly number[],
  wanted: Selection,
): Promise<(TransferRow | null)[]> {
  const found = await visibleTransfers(context, sql`t.id = any(${[...ids]}::bigint[])`, wanted);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** DataLoader batch function: the open offers of repositories, by the number of the repository. */
export async function transfersByRepositories(
  context: ReadContext,
  ids: readonly number[],
  wanted: Selection,
): Promise<(TransferRow | null)[]> {
  const found = await visibleTransfers(context, sql`t.repository_id = any(${[...ids]}::bigint[])`, wanted);
  const byRepository = new Map(found.map(row => [row.repositoryId, row]));
  return ids.map(id => byRepository.get(id) ?? null);
}

function visibleTransfers(
  context: ReadContext,
  condition: RawBuilder<unknown>,
  wanted: Selection,
): Promise<TransferRow[]> {
  const { actor } = context;
  return context.read(sql<TransferRow>`select ${transferColumns(wanted)} from ${source}
    where ${condition} and ${isOpenOffer(context)}
      and (${isReceivedBy(context)} or ${accessDecision(actor, 'administration:read')} = 'allowed')`);
}
