import { sql } from 'kysely';
import type { RuleOutcome, RuleSuitePeriodValue } from '../../../schema/hosting/rule-suite.ts';
import type { Context } from '../../context/context.ts';
import { forEachKey } from '../../db/batched-list.ts';
import type { RulesetSource } from '../rulesets/ruleset-source.ts';
import { periodStart } from './rule-suites.queries.ts';

/** Results of one rule type of a ruleset, which may be deleted, or of a protected branch. */
export type RuleOutcomeRow = RuleOutcome & { rulesetId: number | null };

/** Maximum rules of one answer, those with most violations first. */
export const maxOutcomes = 1_000;

export const outcomeKey = (kind: RulesetSource['kind'], period: RuleSuitePeriodValue, id: number): string =>
  `${kind}:${period}:${id}`;

/** DataLoader batch function: outcomes by `outcomeKey`. One statement for each kind and period. */
export async function loadOutcomes(context: Context, keys: readonly string[]): Promise<RuleOutcomeRow[][]> {
  const groups = Map.groupBy(keys, key => key.slice(0, key.lastIndexOf(':')));
  const found = new Map<string, RuleOutcomeRow[]>();
  await Promise.all(
    [...groups].map(async ([group, members]) => {
      const [kind, period] = group.split(':') as [RulesetSource['kind'], RuleSuitePeriodValue];
      const ids = members.map(key => Number(key.slice(key.lastIndexOf(':') + 1)));
      const lists = await outcomesOf(context, { kind, period, ids });
      members.forEach((key, at) => {
        found.set(key, lists[at] ?? []);
      });
    }),
  );
  return keys.map(key => found.get(key) ?? []);
}

async function outcomesOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  { kind, period, ids }: { kind: RulesetSource['kind']; period: RuleSuitePeriodValue; ids: readonly number[] },
): Promise<RuleOutcomeRow[][]> {
  const source = sql.raw(kind === 'organization' ? 's.owner_id' : 's.repository_id');
  return forEachKey<RuleOutcomeRow>(
    read,
    ids,
    'bigint',
    key => sql`
      select e.rule_type as "ruleType", e.ruleset_id as "rulesetId",
        (array_agg(e.ruleset_name order by s.id desc))[1] as "rulesetName",
        (count(*) filter (where e.result = 'pass'))::int as "passCount",
        (count(*) filter (where e.result = 'fail' and not bypassed))::int as "failCount",
        (count(*) filter (where e.result = 'fail' and bypassed))::int as "bypassCount"
      from rule_suite s cross join lateral jsonb_to_recordset(s.evaluations)
          as e (ruleset_id bigint, ruleset_name text, enforcement text, result text, rule_type text)
        cross join lateral (select s.result = 'bypass' and e.enforcement = 'active' as bypassed) how
      where ${source} = ${key} and s.pushed_at >= ${periodStart(period, now())}
      group by e.rule_type, e.ruleset_id, case when e.ruleset_id is null then e.ruleset_name end
      order by "failCount" desc, "bypassCount" desc, "passCount" desc, e.ruleset_id, e.rule_type
      limit ${maxOutcomes}`,
  );
}
