import { type RawBuilder, sql } from 'kysely';
import { SshKey, SshKeyConnection } from '../../../schema/hosting/ssh-key.ts';
import type { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedList, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { Connection } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { accessDecision } from '../repositories/repository-access.ts';

/** Who has a key. */
export interface SshKeyOwner {
  kind: 'account' | 'repository';
  id: number;
}

/** SQL condition over `k` (ssh_key): it belongs to the owner. */
export const belongsToOwner = ({ kind, id }: SshKeyOwner): RawBuilder<unknown> =>
  sql`${sql.ref(`k.${kind}_id`)} = ${id}`;

/** A key as selected: its ids, and the requested fields. */
export type SshKeyRow = Partial<SshKey> & Pick<SshKey, 'databaseId' | 'accountId' | 'repositoryId'>;

const keyColumns = columnsOf(SshKey, 'k', {
  always: ['databaseId', 'accountId', 'repositoryId'],
  computed: {
    databaseId: 'k.id',
    addedByLogin: '(select a.login from account a where a.id = k.added_by_id)',
    apiPath: `case when k.repository_id is null then '/user/keys/' || k.id
      else (select '/repos/' || o.login || '/' || r.name from repository r join account o on o.id = r.owner_id
        where r.id = k.repository_id) || '/keys/' || k.id end`,
  },
});

/** Keys of an owner, oldest first, in one statement for those of many. Access is checked by the caller. */
export function sshKeysOf(
  context: Context,
  { kind, id }: SshKeyOwner,
  args: ConnectionArgs,
  type = SshKeyConnection,
): Connection<SshKeyRow> {
  const list = batchedList(context, `${kind} SSH keys`, {}, id, sshKeyLists(context, kind));
  return new Connection(type, list, args);
}

function sshKeyLists({ read }: Pick<Context, 'read'>, kind: SshKeyOwner['kind']): BatchedSource<number, SshKeyRow> {
  const column = sql.ref(`k.${kind}_id`);
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
  const [found] = await read(
    sql<SshKeyRow>`select ${keyColumns(wanted)} from ssh_key k where k.id = ${id} and ${belongsToOwner(owner)}`,
  );
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
