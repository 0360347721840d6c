import { type RawBuilder, sql } from 'kysely';
import {
  type RuleEvaluation,
  RuleSourceKind,
  RuleSuite,
  type RuleSuiteEvaluateStatusValue,
  type RuleSuitePeriodValue,
  type RuleSuiteResultFilterValue,
} from '../../../schema/hosting/rule-suite.ts';
import { isCredentialLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationAccessDecision } from '../organizations/organization-access.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { accessDecision } from '../repositories/repository-access.ts';
import { type RulesetSource, repositorySource } from '../rulesets/ruleset-source.ts';

/** A rule suite in a list. */
export type RuleSuiteRow = Omit<
  RuleSuite,
  'id' | 'ownerId' | 'appId' | 'actorId' | 'repositoryId' | 'beforeOid' | 'afterOid' | 'isActive' | 'evaluations'
> & { beforeOid: string | null; afterOid: string | null };

export interface RuleSuiteFilters {
  /** Full ref name, or the short name of a branch or tag. */
  ref?: string | null;
  repositoryName?: string | null;
  period?: RuleSuitePeriodValue | null;
  actorLogin?: string | null;
  result?: RuleSuiteResultFilterValue | null;
  evaluateStatus?: RuleSuiteEvaluateStatusValue | null;
}

/** @throws 404, as published, when the caller cannot read the suites of the repository, even if it is visible. */
export async function requireSuiteRepository(context: Context, address: RepositoryAddress): Promise<RulesetSource> {
  const found = await repositoryFor(context, address, 'rule-suites:read');
  if (!found) throw notFound();
  return repositorySource(found);
}

const periodHours: Record<RuleSuitePeriodValue, number> = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 };
const actorLogin = `coalesce(a.login, p.slug || '[bot]')`;

const suiteColumns = columnsOf(RuleSuite, 's', {
  always: ['databaseId', 'actorDatabaseId', 'repositoryDatabaseId'],
  computed: {
    databaseId: 's.id',
    actorDatabaseId: 'coalesce(s.actor_id, p.bot_id)',
    actorLogin,
    beforeOid: "encode(s.before_oid, 'hex')",
    afterOid: "encode(s.after_oid, 'hex')",
    repositoryDatabaseId: 's.repository_id',
    repositoryName: 'r.name',
  },
})('all');

const suiteJoins = sql.raw(`rule_suite s join repository r on r.id = s.repository_id
  left join account a on a.id = s.actor_id left join app p on p.id = s.app_id`);

/** FROM clause of counts: the joins do not change the number of rows, and only the login of the actor needs one. */
const countedFrom = ({ actorLogin: actor }: RuleSuiteFilters): RawBuilder<unknown> =>
  actor ? suiteJoins : sql.raw('rule_suite s');

const newestFirst = sql`s.pushed_at desc, s.id desc`;

/**
 * SQL condition over `s` (rule_suite). An organization has the suites of all its repositories. Those of a repository by name are found by
 * its id, which an index serves.
 */
function sourceCondition(
  kind: RulesetSource['kind'],
  id: unknown,
  repositoryName?: string | null,
): RawBuilder<unknown> {
  const source = kind === 'organization' ? sql`s.owner_id = ${id}` : sql`s.repository_id = ${id}`;
  if (repositoryName == null || repositoryName === '') return source;
  const owner = kind === 'organization' ? sql`${id}` : sql`(select owner_id from repository where id = ${id})`;
  return sql`${source} and s.repository_id = (select named.id from repository named
    where named.owner_id = ${owner} and lower(named.name) = lower(${repositoryName}))`;
}

/** Suites of repositories or organizations, by their ids, that were pushed within the period, newest first. */
export function ruleSuiteLists(
  { read, now }: Pick<Context, 'read' | 'now'>,
  kind: RulesetSource['kind'],
  filters: RuleSuiteFilters,
): BatchedSource<number, RuleSuiteRow> {
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => suiteColumns,
    from: countedFrom(filters),
    readFrom: suiteJoins,
    where: key => [sourceCondition(kind, key, filters.repositoryName), ...suiteConditions(filters, now())],
    order: newestFirst,
  });
}

/** Begin of a period. */
export const periodStart = (period: RuleSuitePeriodValue | null | undefined, now: Date): Date =>
  new Date(now.getTime() - periodHours[period ?? 'day'] * 3_600_000);

function suiteConditions(filters: RuleSuiteFilters, now: Date): RawBuilder<unknown>[] {
  const { ref, period, actorLogin: actor, result, evaluateStatus } = filters;
  const conditions: RawBuilder<unknown>[] = [sql`s.pushed_at >= ${periodStart(period, now)}`];
  if (ref != null && ref !== '') {
    const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
    conditions.push(sql`s.ref = any(${names})`);
  }
  if (actor != null && actor !== '') conditions.push(sql`lower(${sql.raw(actorLogin)}) = lower(${actor})`);
  if (result != null && result !== 'all') conditions.push(sql`s.result = ${result}`);
  if (evaluateStatus === 'active') conditions.push(sql`s.is_active`);
  if (evaluateStatus === 'evaluate') conditions.push(sql`s.evaluation_result is not null`);
  return conditions;
}

export const suiteKey = (kind: RulesetSource['kind'], sourceId: number, id: number): string =>
  `${kind}:${sourceId}:${id}`;

/** DataLoader batch function: suites by `suiteKey`; null where the source has none with this id. */
export async function suitesByKeys({ read }: Context, keys: readonly string[]): Promise<(RuleSuiteRow | null)[]> {
  const ids = keys.map(key => Number(key.split(':')[2]));
  const rows = await read(sql<RuleSuiteRow & { ownerId: number }>`select ${suiteColumns}, s.owner_id as "ownerId"
    from ${suiteJoins} where s.id = any(${ids}::bigint[])`);
  const byKey = new Map(
    rows.flatMap(row => [
      [suiteKey('repository', row.repositoryDatabaseId, row.databaseId), row] as const,
      [suiteKey('organization', row.ownerId, row.databaseId), row] as const,
    ]),
  );
  return keys.map(key => byKey.get(key) ?? null);
}

/** Suites by id; null for those whose repository and organization the caller does not administer. */
export async function suitesByIds({ actor, read }: Context, ids: readonly number[]): Promise<(RuleSuiteRow | null)[]> {
  const rows = await read(sql<RuleSuiteRow>`select ${suiteColumns} from ${suiteJoins}
    where s.id = any(${[...ids]}::bigint[]) and (
      exists (select 1 from repository r join account o on o.id = r.owner_id
        where r.id = s.repository_id and ${accessDecision(actor, 'administration:write')} = 'allowed')
      or exists (select 1 from account a where a.id = s.owner_id and a.kind = 'organization'
        and ${organizationAccessDecision(actor, 'org-administration:write')} = 'allowed'))`);
  const byId = new Map(rows.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/**
 * Suites of a repository that were pushed since a time and are not `known`, oldest first, at most 100; null if the caller does
 * not administer the repository, or the credential has ended.
 */
export async function suitesSince(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  repositoryId: number,
  { since, known, now }: { since: Date; known: readonly number[]; now: Date },
): Promise<RuleSuiteRow[] | null> {
  const rows = await read(sql<RuleSuiteRow | { databaseId: null }>`
    select found.* from repository r join account o on o.id = r.owner_id left join lateral (
      select ${suiteColumns} from ${suiteJoins}
      where s.repository_id = ${repositoryId} and s.pushed_at >= ${since} and s.id <> all(${[...known]}::bigint[])
      order by s.id limit 100) found on true
    where r.id = ${repositoryId} and ${accessDecision(actor, 'administration:write')} = 'allowed'
      and ${isCredentialLive(actor, now)}`);
  if (rows.length === 0) return null;
  return rows.filter((row): row is RuleSuiteRow => row.databaseId !== null);
}

/** A result with the ruleset that it came from, which may be deleted; without one for a protected branch. */
export type EvaluationRow = RuleEvaluation & { rulesetId: number | null; isRulesetDeleted: boolean };

/** DataLoader batch function: results of the rules of each suite, in evaluation order. */
export async function loadEvaluations(context: Context, suiteIds: readonly number[]): Promise<EvaluationRow[][]> {
  const rows = await context.read(sql<EvaluationRow & { suiteId: number }>`
    select s.id as "suiteId", e.ruleset_id as "rulesetId",
      e.ruleset_name as "rulesetName", e.ruleset_id is not null and x.id is null as "isRulesetDeleted", e.enforcement, e.result,
      e.rule_type as "ruleType", e.details
    from rule_suite s cross join lateral rows from (jsonb_to_recordset(s.evaluations) as (ruleset_id bigint, ruleset_name text,
      enforcement text, result text, rule_type text, details text)) with ordinality
      as e (ruleset_id, ruleset_name, enforcement, result, rule_type, details, position)
    left join ruleset x on x.id = e.ruleset_id
    where s.id = any(${[...suiteIds]}::bigint[]) order by s.id, e.position`);
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return suiteIds.map(id =>
    (bySuite.get(id) ?? []).map(row => ({
      ...row,
      source:
        row.rulesetId === null
          ? { kind: RuleSourceKind.PROTECTED_BRANCH, databaseId: null, name: null }
          : { kind: RuleSourceKind.RULESET, databaseId: row.rulesetId, name: row.rulesetName },
      enforcementUnlessDeleted: row.isRulesetDeleted ? null : row.enforcement,
    })),
  );
}
