import { type Kysely, sql } from 'kysely';
import type { RuleSuiteResultValue } from '../../../schema/hosting/rule-suite.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import { bucketOf } from '../insights/insight-tallies.ts';
import type { PreparedPush, RefChange, TargetRepository, Violation } from '../pushes/prepared-push.ts';
import { type BypassPrincipal, bypassModeOf } from './bypass.ts';
import { matchRefConditions } from './conditions.ts';
import { evaluateRules } from './evaluate-rules.ts';
import {
  type EnforcedRuleset,
  loadBypassPrincipal,
  loadRulesetsFor,
  type PushedRepository,
  patternMatcherFor,
  type RuleSource,
} from './load-rulesets.ts';
import { MatchTimeBudget } from './pattern-matcher.ts';
import { loadProtectedBranches, type ProtectedBranch, rulesOfProtectedBranch } from './protected-branches.ts';
import { conditionsTimeoutViolation, type RuleResult } from './rule.ts';
import { RuleInputLoader } from './rule-input-loader.ts';
import { ruleSuiteChannel } from './rule-suite-channel.ts';

/** Result of one rule of a ruleset or of a protected branch. */
interface EvaluatedRule extends RuleResult {
  source: RuleSource;
  mayBypass: boolean;
}

interface EvaluatedSuite {
  change: RefChange;
  rules: readonly EvaluatedRule[];
  result: RuleSuiteResultValue;
  evaluationResult: RuleSuiteResultValue | null;
}

/**
 * Evaluates the rules that apply to the refs of a push, and records one rule suite per ref that has any. Returns the
 * violations of active rules that the pusher cannot bypass.
 */
export async function evaluatePushRules(push: PreparedPush): Promise<Violation[]> {
  if (!push.target.hasRules) return [];
  const found = await loadRulesetsOnce(push);
  if (!found) return [];
  const { repository, rulesets } = found;
  const refs = repository.hasProtectedBranches ? push.changes.map(({ ref }) => ref) : [];
  const protectedBranches = await loadProtectedBranches(push.repository.read, repository.id, refs);
  if (rulesets.length === 0 && protectedBranches.size === 0) return [];
  const principal = await loadPrincipal(push, rulesets, protectedBranches);
  const matcher = patternMatcherFor(repository, matchTimeFor(push.target));
  const input = new RuleInputLoader(push, repository, matcher);
  const suites: EvaluatedSuite[] = [];
  const { workBudget } = push.repository;
  const stepsPerRef = countConditions(rulesets);
  for (const change of push.changes) {
    workBudget.spendSteps(stepsPerRef);
    if (workBudget.isTurnDue) await workBudget.turn();
    const applies = await matchRefConditions(rulesets, change.ref, repository, matcher);
    const protectedBranch = protectedBranches.get(change.ref);
    const ofBranch = protectedBranch ? rulesOfProtectedBranch(protectedBranch, change.old === undefined) : [];
    const sources: RuleSource[] = [...rulesets.filter((_, at) => applies[at] !== false), ...ofBranch];
    const candidates = sources.flatMap(source => rulesFor(source, principal));
    if (candidates.length === 0) continue;
    const timedOut = new Set<RuleSource>(rulesets.filter((_, at) => applies[at] === undefined));
    const known = candidates.filter(({ source }) => !timedOut.has(source));
    const results = await evaluateRules(
      input.forRef(change),
      known.map(({ rule }) => rule),
    );
    const violations = new Map(known.map((one, at) => [one, results[at]?.violation]));
    const rules = candidates.map(
      (one): EvaluatedRule => ({
        ...one,
        violation: timedOut.has(one.source) ? conditionsTimeoutViolation(one.source.name) : violations.get(one),
      }),
    );
    suites.push({
      change,
      rules,
      result: suiteResult(rules.filter(isActive)),
      evaluationResult: resultIfAllActive(rules),
    });
  }
  push.deferredInserts.add(
    insertSuites,
    suites.map(suite => buildSuiteRow(push, repository, suite)),
  );
  return suites
    .filter(({ result }) => result === 'fail')
    .flatMap(({ change, rules }) =>
      rules
        .filter(one => isActive(one) && !one.mayBypass)
        .flatMap(({ violation }) => (violation ? [{ ref: change.ref, message: violation.message }] : [])),
    );
}

/** Patterns and rules that each ref of a push is compared with. */
function countConditions(rulesets: readonly EnforcedRuleset[]): number {
  let count = 1;
  for (const { conditions, rules } of rulesets) {
    const { include = [], exclude = [] } = conditions?.ref_name ?? {};
    count += include.length + exclude.length + rules.length;
  }
  return count;
}

const matchTimes = new WeakMap<TargetRepository, MatchTimeBudget>();

/** All pushes of a transaction share one time budget, because others wait for the transaction. */
function matchTimeFor(to: TargetRepository): MatchTimeBudget {
  let budget = matchTimes.get(to);
  if (!budget) {
    budget = new MatchTimeBudget();
    matchTimes.set(to, budget);
  }
  return budget;
}

const rulesetCache = new WeakMap<TargetRepository, ReturnType<typeof loadRulesetsFor>>();

/** Rulesets are read once per transaction. */
function loadRulesetsOnce({ repository, target }: PreparedPush): ReturnType<typeof loadRulesetsFor> {
  let rulesets = rulesetCache.get(target);
  if (!rulesets) {
    rulesets = loadRulesetsFor(repository.read, repository.id);
    rulesetCache.set(target, rulesets);
  }
  return rulesets;
}

/** The pusher's role is only loaded when a ruleset has bypass actors, or a branch is protected. */
async function loadPrincipal(
  push: PreparedPush,
  rulesets: readonly EnforcedRuleset[],
  protectedBranches: ReadonlyMap<string, ProtectedBranch>,
): Promise<BypassPrincipal | undefined> {
  if (protectedBranches.size === 0 && rulesets.every(({ bypassActors }) => bypassActors.length === 0)) return undefined;
  const { repository, pusherId: accountId, pusherAppId: appId } = push;
  return loadBypassPrincipal(repository.read, repository.id, { accountId, appId });
}

/**
 * The rules of a source that apply to the pusher: none when it is exempt. A push is not a pull request, so the mode
 * `pull_request` does not bypass.
 */
function rulesFor(source: RuleSource, principal: BypassPrincipal | undefined): Omit<EvaluatedRule, 'violation'>[] {
  const mode = principal && bypassModeOf(source.bypassActors, principal);
  if (mode === 'exempt') return [];
  return source.rules.map(rule => ({ rule, source, mayBypass: mode === 'always' }));
}

const isActive = ({ source }: EvaluatedRule): boolean => source.enforcement === 'active';

function suiteResult(rules: readonly EvaluatedRule[]): RuleSuiteResultValue {
  const violated = rules.filter(one => one.violation);
  if (violated.length === 0) return 'pass';
  return violated.every(({ mayBypass }) => mayBypass) ? 'bypass' : 'fail';
}

/** Null when all rules are active, as then it equals the result. */
function resultIfAllActive(rules: readonly EvaluatedRule[]): RuleSuiteResultValue | null {
  return rules.every(isActive) ? null : suiteResult(rules);
}

/** A rule suite with the keys that `insertSuitesStatement` reads. */
function buildSuiteRow(
  { pusherId, pusherAppId, at }: PreparedPush,
  repository: PushedRepository,
  suite: EvaluatedSuite,
) {
  const { change, rules, result, evaluationResult } = suite;
  return {
    owner_id: repository.ownerId,
    repository_id: repository.id,
    actor_id: pusherId ?? null,
    app_id: pusherAppId ?? null,
    pushed_at: at.toISOString(),
    ref: change.ref,
    before: change.old ?? null,
    after: change.new ?? null,
    result,
    evaluation_result: evaluationResult,
    is_active: rules.some(isActive),
    // A copy, because rulesets are edited and deleted later.
    evaluations: rules.map(({ source, rule, violation }) => ({
      ruleset_id: source.id,
      ruleset_name: source.name,
      enforcement: source.enforcement,
      result: violation ? 'fail' : 'pass',
      rule_type: rule.type,
      details: violation?.details ?? null,
    })),
  };
}

const insertSuitesStatement = compiledStatement<{ rows: string }, unknown>(
  ['rows'],
  // The notifications are sent on commit; a rollback discards them.
  ({ rows }) => sql`
    with added as (insert into rule_suite (owner_id, repository_id, actor_id, app_id, ref, before_oid, after_oid, pushed_at, result,
      evaluation_result, is_active, evaluations)
    select s.owner_id, s.repository_id, s.actor_id, s.app_id, s.ref, decode(s.before, 'hex'), decode(s.after, 'hex'),
      s.pushed_at, s.result, s.evaluation_result, s.is_active, s.evaluations
    from rows from (jsonb_to_recordset(${rows}::jsonb) as (owner_id bigint, repository_id bigint, actor_id bigint, app_id bigint,
      ref text, before text, after text, pushed_at timestamptz, result text, evaluation_result text, is_active boolean,
      evaluations jsonb)) with ordinality as s (owner_id, repository_id, actor_id, app_id, ref, before, after, pushed_at, result,
      evaluation_result, is_active, evaluations, turn) order by s.turn
    returning repository_id, pushed_at, result, evaluations),
    tallied as (insert into insight_tally (metric, bucket, key, outcome, events)
    select 'rule', ${bucketOf('day', sql`s.pushed_at`)}, e.rule_type, case when e.result = 'pass' then 'pass'
      when s.result = 'bypass' and e.enforcement = 'active' then 'bypass' else 'fail' end, count(*)
    from added s cross join lateral jsonb_to_recordset(s.evaluations) as e (enforcement text, result text, rule_type text)
    group by 1, 2, 3, 4)
    select pg_notify(${ruleSuiteChannel}, repository_id::text) from (select distinct repository_id from added) pushed`,
);

/** Evaluated rules of one statement, of at least one suite: their JSON is made in one slice. */
const rulesPerStatement = 2_000;

async function insertSuites(db: Kysely<unknown>, rows: readonly ReturnType<typeof buildSuiteRow>[]): Promise<void> {
  let group: (typeof rows)[number][] = [];
  let rules = 0;
  const insert = async (): Promise<void> => {
    await insertSuitesStatement({ rows: JSON.stringify(group) }).execute(db);
    [group, rules] = [[], 0];
  };
  for (const row of rows) {
    group.push(row);
    rules += row.evaluations.length;
    if (rules >= rulesPerStatement) await insert();
  }
  if (group.length > 0) await insert();
}
