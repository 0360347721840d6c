import { type Kysely, sql } from 'kysely';
import type { RuleSuiteResultValue } from '../../../schema/hosting/rule-suite.ts';
import type { Push, RefChange, Violation } from '../pushes/push-work.ts';
import { type BypassClaim, bypassOf } from './bypass.ts';
import { isAboutRef } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import { ReadPushFacts } from './read-push-facts.ts';
import type { RuleEvaluation } from './rule.ts';
import {
  bypassClaim,
  type JudgedRuleset,
  type PushedRepository,
  rulesetsOfRepository,
} from './rulesets-of-repository.ts';

/** What one rule of a ruleset said. */
interface Judged extends RuleEvaluation {
  ruleset: JudgedRuleset;
  mayBypass: boolean;
}

interface Suite {
  change: RefChange;
  judged: readonly Judged[];
  result: RuleSuiteResultValue;
  evaluationResult: RuleSuiteResultValue | null;
}

/**
 * Asks all rules that are about what a push changes, and keeps what they said: one suite for each ref that any rule was asked
 * about. Gives what stands in the way, one line for each active rule that is broken and not bypassed.
 */
export async function judgePush(push: Push): Promise<Violation[]> {
  const { repository: inside } = push;
  const found = await rulesetsOfRepository(inside.read, inside.id);
  if (!found) return [];
  const { repository, rulesets } = found;
  const claim = await claimOn(push, rulesets);
  const facts = new ReadPushFacts(push, repository);
  const suites: Suite[] = [];
  for (const change of push.changes) {
    const asked = rulesets.filter(one => isAboutRef(one, change.ref, repository)).flatMap(one => rulesOf(one, claim));
    if (asked.length === 0) continue;
    const evaluations = await evaluate(
      facts.of(change),
      asked.map(({ rule }) => rule),
    );
    const judged = asked.map((one, at): Judged => ({ ...one, broken: evaluations[at]?.broken }));
    suites.push({
      change,
      judged,
      result: outcome(judged.filter(isActive)),
      evaluationResult: ifAllWereActive(judged),
    });
  }
  if (suites.length > 0) await keep(inside.db, push, repository, suites);
  return suites
    .filter(({ result }) => result === 'fail')
    .flatMap(({ change, judged }) =>
      judged
        .filter(one => isActive(one) && !one.mayBypass)
        .flatMap(({ broken }) => (broken ? [{ ref: change.ref, message: broken.message }] : [])),
    );
}

/** Who pushes is looked at only where anybody may bypass anything. */
async function claimOn(push: Push, rulesets: readonly JudgedRuleset[]): Promise<BypassClaim | undefined> {
  if (rulesets.every(({ bypassActors }) => bypassActors.length === 0)) return undefined;
  const { repository, pusherId: accountId, pusherAppId: appId } = push;
  return bypassClaim(repository.read, repository.id, { accountId, appId });
}

/** The rules of a ruleset; none for who is exempt. A push is no pull request: who may bypass by those alone may not now. */
function rulesOf(ruleset: JudgedRuleset, claim: BypassClaim | undefined): Omit<Judged, 'broken'>[] {
  const mode = claim && bypassOf(ruleset.bypassActors, claim);
  if (mode === 'exempt') return [];
  return ruleset.rules.map(rule => ({ rule, ruleset, mayBypass: mode === 'always' }));
}

const isActive = ({ ruleset }: Judged): boolean => ruleset.enforcement === 'active';

function outcome(judged: readonly Judged[]): RuleSuiteResultValue {
  const broken = judged.filter(one => one.broken);
  if (broken.length === 0) return 'pass';
  return broken.every(({ mayBypass }) => mayBypass) ? 'bypass' : 'fail';
}

/** Null where every rule was active anyway. */
function ifAllWereActive(judged: readonly Judged[]): RuleSuiteResultValue | null {
  return judged.every(isActive) ? null : outcome(judged);
}

async function keep(
  db: Kysely<unknown>,
  { pusherId, pusherAppId, at }: Push,
  repository: PushedRepository,
  suites: readonly Suite[],
): Promise<void> {
  const rows = suites.map(({ change, judged, result, evaluationResult }) => ({
    ref: change.ref,
    before: change.old ?? null,
    after: change.new ?? null,
    result,
    evaluation_result: evaluationResult,
    is_active: judged.some(isActive),
    // As it was then: rulesets change and go.
    evaluations: judged.map(({ ruleset, rule, broken }) => ({
      ruleset_id: ruleset.id,
      ruleset_name: ruleset.name,
      enforcement: ruleset.enforcement,
      result: broken ? 'fail' : 'pass',
      rule_type: rule.type,
      details: broken?.details ?? null,
    })),
  }));
  await sql`
    insert into rule_suite (owner_id, repository_id, actor_id, app_id, ref, before_oid, after_oid, pushed_at, result,
      evaluation_result, is_active, evaluations)
    select ${repository.ownerId}, ${repository.id}, ${pusherId ?? null}::bigint, ${pusherAppId ?? null}::bigint, s.ref,
      decode(s.before, 'hex'), decode(s.after, 'hex'), ${at}, s.result, s.evaluation_result, s.is_active, s.evaluations
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (ref text, before text, after text, result text,
      evaluation_result text, is_active boolean, evaluations jsonb)`.execute(db);
}
