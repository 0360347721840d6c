import { type Kysely, sql } from 'kysely';
import type {
  RepositoryRuleset,
  RulesetEnforcementValue,
  RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { belongsTo, lockSource } from '../owning-source.ts';
import type { BypassActor } from '../rules/bypass.ts';
import { checkExpressions } from '../rules/check-expressions.ts';
import type { Conditions } from '../rules/conditions.ts';
import type { Rule } from '../rules/rule.ts';
import { DocumentValidator, rulesetProblem } from './document-validator.ts';
import { checkBypassActors, parseBypassActors } from './parse-bypass-actors.ts';
import { checkConditions, parseConditions } from './parse-conditions.ts';
import { checkRuleTargets, type ExpressionErrors, findExpressions, parseRules } from './parse-rules.ts';
import { recordRulesetEvent, rulesetInTransaction } from './ruleset-event.ts';
import type { RulesetSource } from './ruleset-source.ts';
import type { RulesetRow } from './rulesets.queries.ts';

/** Properties of a ruleset. Omitted ones keep their value, or get the default. */
export interface RulesetInput {
  name?: string | null;
  target?: RulesetTargetValue | null;
  enforcement?: RulesetEnforcementValue | null;
  bypassActors?: readonly unknown[] | null;
  conditions?: unknown;
  rules?: readonly unknown[] | null;
}

/** A ruleset as stored. */
interface StoredRuleset extends Pick<RepositoryRuleset, 'name' | 'target' | 'enforcement'> {
  conditions: Conditions | null;
  rules: readonly Rule[];
  bypassActors: readonly BypassActor[];
}

/** Maximum rulesets of one repository or organization. */
const maxRulesets = 75;
/**
 * Maximum bytes of all conditions and rules of one repository or organization. All are read for every push: 75 rulesets
 * of 50 rules with 200 paths each would be 380 MB.
 */
const maxBytes = 1_000_000;
const maxNameLength = 100;

const newRulesetDefaults: StoredRuleset = {
  name: '',
  target: 'branch',
  enforcement: 'active',
  conditions: null,
  rules: [],
  bypassActors: [],
};

/**
 * Creates a ruleset and returns its id. It applies to all pushes that begin after the commit.
 *
 * @throws 422 for invalid documents, a duplicate name or exceeded limits.
 */
export async function createRuleset(context: Context, source: RulesetSource, input: RulesetInput): Promise<number> {
  const expressionErrors = await findExpressionErrors(source, input);
  return writeRuleset(context, source, async db => {
    const document = await parseRuleset(db, source, { before: newRulesetDefaults, input, expressionErrors });
    const { name, target, enforcement, conditions, rules, bypassActors } = document;
    const { rows } = await sql<{ id: number }>`
      insert into ruleset (organization_id, repository_id, name, target, enforcement, conditions, rules, bypass_actors,
        created_at, updated_at)
      values (${source.kind === 'organization' ? source.id : null}, ${source.kind === 'repository' ? source.id : null}, ${name},
        ${target}, ${enforcement}, ${conditions && JSON.stringify(conditions)}, ${JSON.stringify(rules)},
        ${JSON.stringify(bypassActors)}, ${context.now()}, ${context.now()}) returning id`.execute(db);
    return { id: rows[0]?.id ?? 0, action: 'created' };
  });
}

/**
 * Updates the given properties of a ruleset.
 *
 * @throws as `createRuleset`; 404 when there is none with this id.
 */
export async function updateRuleset(
  context: Context,
  source: RulesetSource,
  id: number,
  input: RulesetInput,
): Promise<number> {
  const expressionErrors = await findExpressionErrors(source, input);
  return writeRuleset(context, source, async db => {
    const { rows } = await sql<StoredRuleset>`
      select name, target, enforcement, conditions, rules, bypass_actors as "bypassActors" from ruleset s
      where id = ${id} and ${belongsTo(source, 's')} for update`.execute(db);
    if (!rows[0]) throw notFound();
    const before = (await rulesetInTransaction(db, source, id)) ?? undefined;
    const document = await parseRuleset(db, source, { before: rows[0], input, expressionErrors });
    const { name, target, enforcement, conditions, rules, bypassActors } = document;
    await sql`update ruleset set name = ${name}, target = ${target}, enforcement = ${enforcement},
      conditions = ${conditions && JSON.stringify(conditions)}, rules = ${JSON.stringify(rules)},
      bypass_actors = ${JSON.stringify(bypassActors)}, updated_at = ${context.now()} where id = ${id}`.execute(db);
    return { id, action: 'edited', before };
  });
}

/**
 * Deletes a ruleset. Its recorded rule results remain.
 *
 * @throws 404 when there is none with this id.
 */
export function deleteRuleset(context: Context, source: RulesetSource, id: number): Promise<number> {
  return writeRuleset(context, source, async db => {
    const before = (await rulesetInTransaction(db, source, id)) ?? undefined;
    const { rows } =
      await sql`delete from ruleset s where id = ${id} and ${belongsTo(source, 's')} returning id`.execute(db);
    if (rows.length === 0) throw notFound();
    return { id, action: 'deleted', before };
  });
}

/** A change to a ruleset, with the previous version. */
interface RulesetChange {
  id: number;
  action: 'created' | 'edited' | 'deleted';
  before?: RulesetRow | undefined;
}

/** Runs a change in one transaction and records its webhook event. All writes of rulesets use it. */
async function writeRuleset(
  context: Context,
  source: RulesetSource,
  applyChange: (db: Kysely<unknown>) => Promise<RulesetChange>,
): Promise<number> {
  try {
    return await context.transaction(async db => {
      await lockSource(db, source);
      const { id, action, before } = await applyChange(db);
      if (action !== 'deleted') await assertWithinLimits(db, source);
      const ruleset = action === 'deleted' ? before : await rulesetInTransaction(db, source, id);
      if (!ruleset) throw notFound();
      await recordRulesetEvent(db, context, source, action, action === 'edited' ? { ruleset, before } : { ruleset });
      return id;
    });
  } catch (error) {
    const isNameTaken = ['ruleset_name_in_repository', 'ruleset_name_in_organization'].some(one =>
      isUniqueViolation(error, one),
    );
    throw isNameTaken ? validationFailed([rulesetProblem('Name must be unique')]) : error;
  }
}

/** @throws 422 when the source has more or larger rulesets than allowed. */
async function assertWithinLimits(db: Kysely<unknown>, source: RulesetSource): Promise<void> {
  const { rows } = await sql<{ count: number; bytes: number }>`select count(*)::int as count,
    sum(octet_length(rules::text) + coalesce(octet_length(conditions::text), 0))::int as bytes
    from ruleset s where ${belongsTo(source, 's')}`.execute(db);
  const { count = 0, bytes = 0 } = rows[0] ?? {};
  if (count > maxRulesets)
    throw validationFailed([rulesetProblem(`There can be no more than ${maxRulesets} rulesets.`)]);
  if (bytes > maxBytes) {
    throw validationFailed([
      rulesetProblem(`The conditions and rules of all rulesets together can have no more than ${maxBytes} bytes.`),
    ]);
  }
}

function findExpressionErrors({ kind, id }: RulesetSource, { rules }: RulesetInput): Promise<ExpressionErrors> {
  return checkExpressions(`${kind}:${id}`, findExpressions(rules ?? []));
}

async function parseRuleset(
  db: Kysely<unknown>,
  source: RulesetSource,
  {
    before,
    input,
    expressionErrors,
  }: { before: StoredRuleset; input: RulesetInput; expressionErrors: ExpressionErrors },
): Promise<StoredRuleset> {
  const validator = new DocumentValidator();
  const ruleset: StoredRuleset = {
    name: input.name === undefined ? before.name : (validator.string(input.name, ['name'], maxNameLength) ?? '').trim(),
    target: input.target ?? before.target,
    enforcement: input.enforcement ?? before.enforcement,
    conditions: input.conditions === undefined ? before.conditions : parseConditions(input.conditions, validator),
    rules: input.rules == null ? before.rules : parseRules(input.rules, expressionErrors, validator),
    bypassActors: input.bypassActors == null ? before.bypassActors : parseBypassActors(input.bypassActors, validator),
  };
  if (ruleset.name === '') validator.addError("Name can't be blank");
  const about = { ...source, target: ruleset.target, isOfOrganization: source.kind === 'organization' };
  checkRuleTargets(ruleset.rules, about, validator);
  checkConditions(ruleset.conditions, about, validator);
  await checkBypassActors(db, ruleset.bypassActors, about, validator);
  validator.assertValid();
  return ruleset;
}
