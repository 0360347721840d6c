import { type RawBuilder, sql } from 'kysely';
import { RepositoryRuleset } from '../../../schema/hosting/ruleset.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, forEachKey } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { organizationAccessDecision } from '../organizations/organization-access.ts';
import { belongsTo, type OwningSource } from '../owning-source.ts';
import { accessDecision } from '../repositories/repository-access.ts';
import type { BypassActor } from '../rules/bypass.ts';
import type { Conditions } from '../rules/conditions.ts';
import type { Rule } from '../rules/rule.ts';
import type { RulesetSource } from './ruleset-source.ts';

/** A ruleset as selected. */
export type RulesetRow = Omit<RepositoryRuleset, 'id' | 'conditions' | 'rules' | 'bypassActors'> & {
  conditions: Conditions | null;
  rules: Rule[];
  bypassActors: BypassActor[];
  /** The organization, or the account that owns the repository. */
  ownerId: number;
  /** The repository by which it was come to; null where it was by the organization, which only those can who may write it. */
  through: number | null;
};

/**
 * `documents`: the columns of conditions and rules, or empty values when a list does not select them. They can have up
 * to one megabyte each.
 */
const rulesetColumns = (documents: Readonly<Record<string, string>> = {}): RawBuilder<unknown> =>
  columnsOf(RepositoryRuleset, 's', {
    always: [
      ...['databaseId', 'organizationId', 'repositoryId', 'ownerId'],
      ...['bypassActors', 'conditions', 'rules', 'sourceKind', 'sourceName'],
    ],
    computed: {
      databaseId: 's.id',
      ownerId: 'coalesce(s.organization_id, r.owner_id)',
      sourceKind: "case when s.organization_id is null then 'repository' else 'organization' end",
      sourceName: "coalesce(o.login, ro.login || '/' || r.name)",
      ...documents,
    },
  })('all');

const columns = rulesetColumns();
const columnsWithoutDocuments = rulesetColumns({ conditions: 'null', rules: "'[]'::jsonb" });
const fieldsOfDocuments = ['rules', 'conditions', 'givenConditions'];
const documentBytes = sql`octet_length(s.rules::text) + coalesce(octet_length(s.conditions::text), 0)`;

const rulesetJoins = sql.raw(`ruleset s left join account o on o.id = s.organization_id
  left join repository r on r.id = s.repository_id left join account ro on ro.id = r.owner_id`);

export interface RulesetFilters {
  /** Whether to include rulesets of the organization that owns the repository. */
  includeParents?: boolean | null;
  /** All targets when null. */
  targets?: readonly string[] | null;
}

const selectsDocuments = (wanted: Selection): boolean => fieldsOfDocuments.some(name => wanted.has(name));

/** Rulesets of repositories or organizations, by their ids, oldest first. */
export function rulesetLists(
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  kind: RulesetSource['kind'],
  { includeParents, targets }: RulesetFilters,
): BatchedSource<number, RulesetRow> {
  const condition = (key: RawBuilder<unknown>): RawBuilder<unknown> => {
    const parents = sql`s.organization_id = (select owner_id from repository where id = ${key})`;
    const own = kind === 'organization' ? sql`s.organization_id = ${key}` : sql`s.repository_id = ${key}`;
    const source = kind === 'repository' && includeParents !== false ? sql`(${own} or ${parents})` : own;
    return targets == null ? source : sql`${source} and s.target = any(${[...targets]})`;
  };
  return {
    async rows(keys, { limit, offsets, wanted }) {
      const page = (key: RawBuilder<unknown>, offset: RawBuilder<unknown>): RawBuilder<unknown> =>
        sql`${condition(key)} order by s.id limit ${limit} offset ${offset}`;
      const hasDocuments = selectsDocuments(wanted);
      if (hasDocuments) {
        const sizes = await forEachKey<{ bytes: number }>(
          read,
          keys,
          'bigint',
          (key, offset) => sql`select ${documentBytes} as bytes from ruleset s where ${page(key, offset)}`,
          offsets,
        );
        largeValues.take(sizes.flat().reduce((sum, { bytes }) => sum + bytes, 0));
      }
      const list = hasDocuments ? columns : columnsWithoutDocuments;
      const found = await forEachKey<Omit<RulesetRow, 'through'>>(
        read,
        keys,
        'bigint',
        (key, offset) => sql`select ${list} from ${rulesetJoins} where ${page(key, offset)}`,
        offsets,
      );
      return found.map((rows, at) =>
        rows.map(row => ({ ...row, through: kind === 'repository' ? (keys[at] ?? null) : null })),
      );
    },
    async totals(keys) {
      const counts = await forEachKey<{ total: number }>(
        read,
        keys,
        'bigint',
        key => sql`select count(*)::int as total from ruleset s where ${condition(key)}`,
      );
      return counts.map(([count]) => count?.total ?? 0);
    },
  };
}

/** One ruleset of a source itself; null when there is none with this id. */
export async function rulesetOf(
  { read }: Pick<Context, 'read'>,
  source: OwningSource,
  id: number,
): Promise<RulesetRow | null> {
  const [found] = await read(sql<Omit<RulesetRow, 'through'>>`select ${columns} from ${rulesetJoins}
    where ${belongsTo(source, 's')} and s.id = ${id}`);
  return found ? { ...found, through: source.kind === 'repository' ? source.id : null } : null;
}

/**
 * DataLoader batch function: rulesets by id; null for those that the caller cannot see. Those of an organization are for its
 * administrators; readers of its repositories see them through a repository.
 */
export async function rulesetsByIds(context: Context, ids: readonly number[]): Promise<(RulesetRow | null)[]> {
  const { actor, read } = context;
  await takeDocuments(context, ids);
  const rows = await read(sql<Omit<RulesetRow, 'through'>>`select ${columns} from ${rulesetJoins}
    where s.id = any(${[...ids]}::bigint[]) and (
      exists (select 1 from repository r join account o on o.id = r.owner_id
        where r.id = s.repository_id and ${accessDecision(actor, 'metadata:read')} = 'allowed')
      or exists (select 1 from account a where a.id = s.organization_id
        and ${organizationAccessDecision(actor, 'org-administration:write')} = 'allowed'))`);
  const byId = new Map(rows.map(row => [row.databaseId, { ...row, through: row.repositoryId }]));
  return ids.map(id => byId.get(id) ?? null);
}

/** A ruleset of a repository or an organization that the caller can see, as a key of a DataLoader. */
export interface RulesetAddress {
  source: Pick<RulesetSource, 'kind' | 'id' | 'ownerId'>;
  includeParents: boolean;
  id: number;
}

export const rulesetKey = ({ source, includeParents, id }: RulesetAddress): string =>
  JSON.stringify([source.kind, source.id, source.ownerId, includeParents, id]);

/** DataLoader batch function: rulesets by `rulesetKey`; null where the source has none with this id. */
export async function rulesetsByKeys(context: Context, keys: readonly string[]): Promise<(RulesetRow | null)[]> {
  const parsed = keys.map(key => JSON.parse(key) as [RulesetSource['kind'], number, number, boolean, number]);
  const ids = [...new Set(parsed.map(([, , , , id]) => id))];
  await takeDocuments(context, ids);
  const rows = await context.read(
    sql<Omit<RulesetRow, 'through'>>`select ${columns} from ${rulesetJoins} where s.id = any(${ids}::bigint[])`,
  );
  const byId = new Map(rows.map(row => [row.databaseId, row]));
  return parsed.map(([kind, sourceId, ownerId, includeParents, id]) => {
    const row = byId.get(id);
    if (!row) return null;
    if (kind === 'organization') return row.organizationId === sourceId ? { ...row, through: null } : null;
    const isFound = row.repositoryId === sourceId || (includeParents && row.organizationId === ownerId);
    return isFound ? { ...row, through: sourceId } : null;
  });
}

/** The documents of one ruleset are bounded; those of many count as large values before they are read. */
async function takeDocuments(
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  ids: readonly number[],
): Promise<void> {
  if (ids.length < 2) return;
  const [sized] = await read(sql<{ bytes: number }>`select coalesce(sum(${documentBytes}), 0)::bigint as bytes
    from ruleset s where s.id = any(${[...ids]}::bigint[])`);
  largeValues.take(sized?.bytes ?? 0);
}
