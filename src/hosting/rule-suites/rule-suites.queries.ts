import { type RawBuilder, sql } from 'kysely';
import {
  type RuleEvaluation,
  RuleSuite,
  type RuleSuiteEvaluateStatusValue,
  type RuleSuitePeriodValue,
  type RuleSuiteResultFilterValue,
} from '../../../schema/hosting/rule-suite.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { notFound } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type RulesetSource, repositorySource } from '../rulesets/ruleset-source.ts';

/** A rule suite in a list. */
export type RuleSuiteRow = Omit<
  RuleSuite,
  'id' | 'ownerId' | 'appId' | 'beforeOid' | 'afterOid' | 'isActive' | 'evaluations'
>;

export interface RuleSuiteFilters {
  /** Full ref name, or the short name of a branch or tag. */
  ref?: string | null;
  repositoryName?: string | null;
  timePeriod?: RuleSuitePeriodValue | null;
  actorName?: string | null;
  result?: RuleSuiteResultFilterValue | null;
  evaluateStatus?: RuleSuiteEvaluateStatusValue | null;
}

/** @throws 404, as published, when the caller cannot read the suites of the repository, even if it is visible. */
export async function requireSuiteRepository(context: Context, address: RepositoryAddress): Promise<RulesetSource> {
  const found = await repositoryFor(context, address, 'administration:write').catch((error: unknown) => {
    const { reason } = (error as { extensions?: { reason?: unknown } }).extensions ?? {};
    if (reason === 'role') return null;
    throw error;
  });
  if (!found) throw notFound();
  return repositorySource(found);
}

const periodHours: Record<RuleSuitePeriodValue, number> = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 };
const actorName = `coalesce(a.login, p.slug || '[bot]')`;

const suiteColumns = columnsOf(RuleSuite, 's', {
  computed: {
    databaseId: 's.id',
    actorName,
    beforeSha: "coalesce(encode(s.before_oid, 'hex'), repeat('0', 40))",
    afterSha: "coalesce(encode(s.after_oid, 'hex'), repeat('0', 40))",
    repositoryName: 'r.name',
  },
})('all');

const suiteJoins = sql.raw(`rule_suite s join repository r on r.id = s.repository_id
  left join account a on a.id = s.actor_id left join app p on p.id = s.app_id`);

/** SQL condition over `s` (rule_suite). An organization has the suites of all its repositories. */
function sourceCondition({ kind, id }: RulesetSource): RawBuilder<unknown> {
  return kind === 'organization' ? sql`s.owner_id = ${id}` : sql`s.repository_id = ${id}`;
}

/** Suites pushed within the period, newest first. */
export function ruleSuitesOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  source: RulesetSource,
  filters: RuleSuiteFilters,
): ListSource<RuleSuiteRow> {
  const where = suiteCondition(source, filters, now());
  return {
    rows: ({ limit, offset }) =>
      read(sql<RuleSuiteRow>`select ${suiteColumns} from ${suiteJoins} where ${where}
        order by s.pushed_at desc, s.id desc limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from ${suiteJoins} where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}

function suiteCondition(source: RulesetSource, filters: RuleSuiteFilters, now: Date): RawBuilder<unknown> {
  const { ref, repositoryName, timePeriod, actorName: actor, result, evaluateStatus } = filters;
  const since = new Date(now.getTime() - periodHours[timePeriod ?? 'day'] * 3_600_000);
  const conditions = [sourceCondition(source), sql`s.pushed_at >= ${since}`];
  if (ref != null && ref !== '') {
    const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
    conditions.push(sql`s.ref = any(${names})`);
  }
  if (repositoryName != null && repositoryName !== '') {
    conditions.push(sql`lower(r.name) = lower(${repositoryName})`);
  }
  if (actor != null && actor !== '') conditions.push(sql`lower(${sql.raw(actorName)}) = lower(${actor})`);
  if (result != null && result !== 'all') conditions.push(sql`s.result = ${result}`);
  if (evaluateStatus === 'active') conditions.push(sql`s.is_active`);
  if (evaluateStatus === 'evaluate') conditions.push(sql`s.evaluation_result is not null`);
  return sql.join(conditions, sql` and `);
}

/** One suite; null when there is none with this id. */
export async function ruleSuiteOf(
  { read }: Pick<Context, 'read'>,
  source: RulesetSource,
  id: number,
): Promise<RuleSuiteRow | null> {
  const [found] = await read(
    sql<RuleSuiteRow>`select ${suiteColumns} from ${suiteJoins} where ${sourceCondition(source)} and s.id = ${id}`,
  );
  return found ?? null;
}

type EvaluationRow = Omit<RuleEvaluation, 'ruleSource'> & { suiteId: number; rulesetId: number; rulesetName: string };

/** DataLoader batch function: results of the rules of each suite, in evaluation order. */
export async function loadEvaluations(context: Context, suiteIds: readonly number[]): Promise<RuleEvaluation[][]> {
  const rows = await context.read(sql<EvaluationRow>`
    select s.id as "suiteId", e.ruleset_id as "rulesetId", e.ruleset_name as "rulesetName",
      case when x.id is null then 'deleted ruleset' else e.enforcement end as enforcement, e.result,
      e.rule_type as "ruleType", e.details
    from rule_suite s cross join lateral rows from (jsonb_to_recordset(s.evaluations) as (ruleset_id bigint, ruleset_name text,
      enforcement text, result text, rule_type text, details text)) with ordinality
      as e (ruleset_id, ruleset_name, enforcement, result, rule_type, details, position)
    left join ruleset x on x.id = e.ruleset_id
    where s.id = any(${[...suiteIds]}::bigint[]) order by s.id, e.position`);
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return suiteIds.map(id =>
    (bySuite.get(id) ?? []).map(({ suiteId: _, rulesetId, rulesetName, ...evaluation }) => ({
      ruleSource: { type: 'ruleset', id: rulesetId, name: rulesetName },
      ...evaluation,
    })),
  );
}
