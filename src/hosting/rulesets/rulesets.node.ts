import type { Context } from '../../context/context.ts';
import { numberedNode, textNode } from '../../context/node-kind.ts';
import { type BypassActorRow, bypassActorRows, type RuleRow, rulesOf } from './rule-rows.ts';
import { rulesetOfItem } from './ruleset-documents.ts';
import { isEditable } from './ruleset-fields.graph.ts';
import { type RulesetRow, rulesetsByIds } from './rulesets.queries.ts';

/** Rulesets of visible repositories, and of organizations that the caller administers. */
export const rulesetNode = numberedNode({
  type: 'RepositoryRuleset',
  access: 'metadata:read',
  hasIntegerId: true,
  load: rulesetsByIds,
});

/** The rulesets of the items with these keys, by number. */
async function rulesetsOfItems(context: Context, keys: readonly string[]): Promise<Map<number, RulesetRow>> {
  const ids = [...new Set(keys.flatMap(key => rulesetOfItem(key) ?? []))];
  const rows = ids.length === 0 ? [] : await rulesetsByIds(context, ids);
  return new Map(rows.flatMap(row => (row ? [[row.databaseId, row] as const] : [])));
}

export const ruleNode = textNode<RuleRow>({
  type: 'RepositoryRule',
  access: 'metadata:read',
  keyOf: ({ id }) => id,
  async load(context, keys) {
    const rulesets = await rulesetsOfItems(context, keys);
    return keys.map(key => {
      const ruleset = rulesets.get(rulesetOfItem(key) ?? 0);
      if (!ruleset) return null;
      return rulesOf(ruleset).find(({ id }) => id === key) ?? null;
    });
  },
});

/** Bypass actors are shown to callers who may edit the ruleset. */
export const bypassActorNode = textNode<BypassActorRow>({
  type: 'RepositoryRulesetBypassActor',
  access: 'metadata:read',
  keyOf: ({ id }) => id,
  async load(context, keys) {
    const rulesets = await rulesetsOfItems(context, keys);
    return Promise.all(
      keys.map(async key => {
        const ruleset = rulesets.get(rulesetOfItem(key) ?? 0);
        if (!ruleset || !(await isEditable(context, ruleset))) return null;
        return bypassActorRows(ruleset).find(({ id }) => id === key) ?? null;
      }),
    );
  },
});
