import { type RawBuilder, sql } from 'kysely';
import { Hook, HookConnection } from '../../../schema/hosting/hook.ts';
import type { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedList, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { Connection } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { organizationAccessDecision } from '../organizations/organization-access.ts';
import { belongsTo, type OwningSource } from '../owning-source.ts';
import { accessDecision } from '../repositories/repository-access.ts';
import { secretMask } from '../webhooks/webhook-secret.ts';

/** A hook as selected: its ids, and the requested fields. */
export type HookRow = Partial<Hook> & Pick<Hook, 'databaseId' | 'organizationId' | 'repositoryId'>;

/** SQL: path of the hook `h` below the REST API. */
const hookPath = `(case when h.repository_id is null then '/orgs/' || (select o.login from account o where o.id = h.organization_id)
  else (select '/repos/' || o.login || '/' || r.name from repository r join account o on o.id = r.owner_id
    where r.id = h.repository_id) end) || '/hooks/' || h.id`;
export const hookPathSql = sql.raw(hookPath);

const hookColumns = columnsOf(Hook, 'h', {
  always: ['databaseId', 'organizationId', 'repositoryId'],
  computed: {
    databaseId: 'h.id',
    url: 'h.url',
    hasSecret: 'h.secret_sealed is not null',
    isTlsVerified: 'not h.insecure_ssl',
    config: `json_build_object('url', h.url, 'contentType', h.content_type, 'insecureSsl', h.insecure_ssl,
      'secretMask', case when h.secret_sealed is not null then '${secretMask}' end)`,
    apiPath: hookPath,
    lastResponse: `coalesce((select json_build_object('code', d.status_code, 'message', d.status,
        'status', case when d.status_code between 200 and 299 then 'active' else 'misconfigured' end)
      from webhook_delivery d where d.hook_id = h.id and d.delivered_at is not null order by d.id desc limit 1),
      '{"code": null, "status": "unused", "message": null}')`,
  },
});

/** SQL: the caller may read the hooks of the source of `h`. */
const isVisible = ({ actor }: Pick<Context, 'actor'>): RawBuilder<unknown> => sql`(
  exists (select 1 from repository r join account o on o.id = r.owner_id
    where r.id = h.repository_id and ${accessDecision(actor, 'hooks:read')} = 'allowed')
  or exists (select 1 from account a
    where a.id = h.organization_id and ${organizationAccessDecision(actor, 'org-hooks:read')} = 'allowed'))`;

/** DataLoader batch function: hooks by id; null for those that the caller may not read. */
export async function hooksByIds(
  context: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
  wanted: Selection,
): Promise<(HookRow | null)[]> {
  const found = await context.read(sql<HookRow>`select ${hookColumns(wanted)} from hook h
    where h.id = any(${[...ids]}::bigint[]) and ${isVisible(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Those of these hooks that the caller may read. */
export async function visibleHookIds(
  context: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
): Promise<Set<number>> {
  const found = await context.read(
    sql<{ id: number }>`select h.id from hook h where h.id = any(${[...ids]}::bigint[]) and ${isVisible(context)}`,
  );
  return new Set(found.map(({ id }) => id));
}

/** A hook of a source that the caller may read; null when the source has none with this id. */
export async function hookOf(
  { read }: Pick<Context, 'read'>,
  source: OwningSource,
  id: number,
  wanted: Selection,
): Promise<HookRow | null> {
  const [found] = await read(
    sql<HookRow>`select ${hookColumns(wanted)} from hook h where h.id = ${id} and ${belongsTo(source, 'h')}`,
  );
  return found ?? null;
}

/** Hooks of a source, oldest first, in one statement for those of many. Access is checked by the caller. */
export function hooksOf(context: Context, { kind, id }: OwningSource, args: ConnectionArgs): Connection<HookRow> {
  return new Connection(HookConnection, batchedList(context, `${kind} hooks`, {}, id, hookLists(context, kind)), args);
}

function hookLists({ read }: Pick<Context, 'read'>, kind: OwningSource['kind']): BatchedSource<number, HookRow> {
  const column = sql.ref(kind === 'repository' ? 'h.repository_id' : 'h.organization_id');
  return batchedTable(read, {
    keyType: 'bigint',
    select: hookColumns,
    from: sql`hook h`,
    where: key => [sql`${column} = ${key}`],
    order: sql`h.id`,
  });
}
