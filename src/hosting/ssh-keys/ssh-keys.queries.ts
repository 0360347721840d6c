import { type RawBuilder, sql } from 'kysely';
import { SshKey } from '../../../schema/hosting/ssh-key.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { accessDecision } from '../repositories/repository-access.ts';
import type { SshKeyOwner } from './write-ssh-key.ts';

/** A key as selected: its ids, and the requested fields. */
export type SshKeyRow = Partial<SshKey> & Pick<SshKey, 'databaseId' | 'accountId' | 'repositoryId'>;

const keyColumns = columnsOf(SshKey, 'k', {
  always: ['databaseId', 'accountId', 'repositoryId'],
  computed: {
    databaseId: 'k.id',
    addedBy: '(select a.login from account a where a.id = k.added_by_id)',
    path: `case when k.repository_id is null then '/user/keys/' || k.id
      else (select '/repos/' || o.login || '/' || r.name from repository r join account o on o.id = r.owner_id
        where r.id = k.repository_id) || '/keys/' || k.id end`,
  },
});

/** Keys of users or of repositories by their ids, oldest first. Access is checked by the caller. */
export function sshKeyLists(
  { read }: Pick<Context, 'read'>,
  kind: 'account' | 'repository',
): BatchedSource<number, SshKeyRow> {
  const column = sql.ref(kind === 'account' ? 'k.account_id' : 'k.repository_id');
  return batchedTable(read, {
    keyType: 'bigint',
    select: keyColumns,
    from: sql`ssh_key k`,
    where: key => [sql`${column} = ${key}`],
    order: sql`k.id`,
  });
}

/** A key of an owner; null when it has none with this number. */
export async function sshKeyOf(
  { read }: Pick<Context, 'read'>,
  owner: SshKeyOwner,
  id: number,
  wanted: Selection,
): Promise<SshKeyRow | null> {
  const own =
    'accountId' in owner ? sql`k.account_id = ${owner.accountId}` : sql`k.repository_id = ${owner.repositoryId}`;
  const [found] = await read(sql<SshKeyRow>`select ${keyColumns(wanted)} from ssh_key k where k.id = ${id} and ${own}`);
  return found ?? null;
}

/** DataLoader batch function: keys by number; null for those that the caller may not read. */
export async function sshKeysByIds(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(SshKeyRow | null)[]> {
  const isOwn: RawBuilder<unknown> =
    actor.kind === 'user' && checkHostingScope('ssh-keys:read', actor) === true
      ? sql`k.account_id = ${actor.accountId}`
      : sql`false`;
  const found = await read(sql<SshKeyRow>`select ${keyColumns(wanted)} from ssh_key k
    where k.id = any(${[...ids]}::bigint[]) and (${isOwn} or exists (
      select 1 from repository r join account o on o.id = r.owner_id
      where r.id = k.repository_id and ${accessDecision(actor, 'administration:read')} = 'allowed'))`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}
