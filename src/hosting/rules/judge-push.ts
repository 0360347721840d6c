import { type Kysely, sql } from 'kysely';
import type { RuleSuiteResultValue } from '../../../schema/hosting/rule-suite.ts';
import { fixedStatement } from '../../db/fixed-statement.ts';
import type { Oid } from '../../git/object.ts';
import type { Push, PushedTo, RefChange, Violation } from '../pushes/push-work.ts';
import { type BypassClaim, bypassOf } from './bypass.ts';
import { areAboutRef } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import { MatchTime } from './pattern-matcher.ts';
import { ReadPushFacts } from './read-push-facts.ts';
import { type RuleEvaluation, unevaluatedConditions } from './rule.ts';
import {
  bypassClaim,
  type JudgedRuleset,
  matcherFor,
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
  if (!push.to.hasRulesets) return [];
  const found = await rulesetsFor(push);
  if (!found) return [];
  const { repository, rulesets } = found;
  const claim = await claimOn(push, rulesets);
  const matcher = matcherFor(repository, timeOf(push.to));
  const facts = new ReadPushFacts(push, repository, matcher);
  const suites: Suite[] = [];
  for (const change of push.changes) {
    const about = await areAboutRef(rulesets, change.ref, repository, matcher);
    const asked = rulesets.flatMap((one, at) => (about[at] === false ? [] : rulesOf(one, claim)));
    if (asked.length === 0) continue;
    const unknown = new Set(rulesets.filter((_, at) => about[at] === undefined));
    const known = asked.filter(({ ruleset }) => !unknown.has(ruleset));
    const evaluations = await evaluate(
      facts.of(change),
      known.map(({ rule }) => rule),
    );
    const broken = new Map(known.map((one, at) => [one, evaluations[at]?.broken]));
    const judged = asked.map(
      (one): Judged => ({
        ...one,
        broken: unknown.has(one.ruleset) ? unevaluatedConditions(one.ruleset.name) : broken.get(one),
      }),
    );
    suites.push({
      change,
      judged,
      result: outcome(judged.filter(isActive)),
      evaluationResult: ifAllWereActive(judged),
    });
  }
  push.later.add(
    insertSuites,
    suites.map(suite => rowOf(push, repository, suite)),
  );
  return suites
    .filter(({ result }) => result === 'fail')
    .flatMap(({ change, judged }) =>
      judged
        .filter(one => isActive(one) && !one.mayBypass)
        .flatMap(({ broken }) => (broken ? [{ ref: change.ref, message: broken.message }] : [])),
    );
}

const times = new WeakMap<PushedTo, MatchTime>();

/** All pushes of a transaction, which others wait for, share the time for patterns. */
function timeOf(to: PushedTo): MatchTime {
  let time = times.get(to);
  if (!time) {
    time = new MatchTime();
    times.set(to, time);
  }
  return time;
}

const read = new WeakMap<PushedTo, ReturnType<typeof rulesetsOfRepository>>();

/** Read once for all pushes of a transaction. */
function rulesetsFor({ repository, to }: Push): ReturnType<typeof rulesetsOfRepository> {
  let rulesets = read.get(to);
  if (!rulesets) {
    rulesets = rulesetsOfRepository(repository.read, repository.id);
    read.set(to, rulesets);
  }
  return rulesets;
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

/** A suite as it is stored. */
interface SuiteRow {
  owner_id: number;
  repository_id: number;
  actor_id: number | null;
  app_id: number | null;
  pushed_at: string;
  ref: string;
  before: Oid | null;
  after: Oid | null;
  result: RuleSuiteResultValue;
  evaluation_result: RuleSuiteResultValue | null;
  is_active: boolean;
  evaluations: readonly object[];
}

function rowOf({ pusherId, pusherAppId, at }: Push, repository: PushedRepository, suite: Suite): SuiteRow {
  const { change, judged, result, evaluationResult } = suite;
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
  };
}

const insertion = fixedStatement<{ rows: string }, unknown>(
  ['rows'],
  ({ rows }) => sql`
    insert into rule_suite (owner_id, repository_id, actor_id, app_id, ref, before_oid, after_oid, pushed_at, result,
      evaluation_result, is_active, evaluations)
    select s.owner_id, s.repository_id, s.actor_id, s.app_id, s.ref, decode(s.before, 'hex'), decode(s.after, 'hex'),
      s.pushed_at, s.result, s.evaluation_result, s.is_active, s.evaluations
    from rows from (jsonb_to_recordset(${rows}::jsonb) as (owner_id bigint, repository_id bigint, actor_id bigint, app_id bigint,
      ref text, before text, after text, pushed_at timestamptz, result text, evaluation_result text, is_active boolean,
      evaluations jsonb)) with ordinality as s (owner_id, repository_id, actor_id, app_id, ref, before, after, pushed_at, result,
      evaluation_result, is_active, evaluations, turn) order by s.turn`,
);

async function insertSuites(db: Kysely<unknown>, rows: readonly SuiteRow[]): Promise<void> {
  await insertion({ rows: JSON.stringify(rows) }).execute(db);
}
