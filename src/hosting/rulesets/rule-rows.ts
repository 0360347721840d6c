import type { RepositoryRule } from '../../../schema/hosting/rule.ts';
import type { ListSource } from '../../db/connection.ts';
import type { BypassActor } from '../rules/bypass.ts';
import type { Rule } from '../rules/rule.ts';
import { itemKeys } from './ruleset-documents.ts';
import type { RulesetAddress, RulesetRow } from './rulesets.queries.ts';

/** A rule with the way to its ruleset: the row, or where it can be read. */
export interface RuleRow extends RepositoryRule {
  id: string;
  rule: Rule;
  ruleset: RulesetRow | RulesetAddress;
}

/** A bypass actor with its ruleset. */
export interface BypassActorRow {
  id: string;
  actor: BypassActor;
  ruleset: RulesetRow;
}

/** The rules of a ruleset, in their order. */
export const rulesOf = (row: RulesetRow): RuleRow[] => ruleRows(row.databaseId, row.rules, row, row);

/** The same with the way to the ruleset, and the source that it belongs to. */
export function ruleRows(
  rulesetDatabaseId: number,
  rules: readonly Rule[],
  ruleset: RuleRow['ruleset'],
  { sourceKind, sourceName }: Pick<RulesetRow, 'sourceKind' | 'sourceName'>,
): RuleRow[] {
  const keys = itemKeys(
    rulesetDatabaseId,
    rules.map(({ type }) => type),
  );
  return rules.map((rule, at) => ({
    ...{ id: keys[at] ?? '', type: rule.type, rule, ruleset, rulesetDatabaseId, sourceKind, sourceName },
  }));
}

/** The bypass actors of a ruleset, in their order. */
export function bypassActorRows(ruleset: RulesetRow): BypassActorRow[] {
  const actors = ruleset.bypassActors;
  const keys = itemKeys(
    ruleset.databaseId,
    actors.map(({ actor_type, actor_id }) => `${actor_type}-${actor_id ?? 0}`),
  );
  return actors.map((actor, at) => ({ id: keys[at] ?? '', actor, ruleset }));
}

/** A list that is in memory. */
export function listOf<Row>(rows: () => readonly Row[] | Promise<readonly Row[]>): ListSource<Row> {
  return {
    rows: async ({ limit, offset }) => (await rows()).slice(offset, offset + limit),
    total: async () => (await rows()).length,
  };
}
