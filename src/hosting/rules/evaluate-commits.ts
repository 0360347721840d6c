import type { Oid } from '../../git/object.ts';
import { commitMessage } from '../commits/git-commit.ts';
import type { Matches, MatchGroup } from './match-group.ts';
import { buildViolation, type CommitRule, maxNamedOffenders, type RuleViolation, timeoutViolation } from './rule.ts';
import type { NewCommit, RuleInput } from './rule-input.ts';
import { describePattern } from './text-pattern.ts';

/** Evaluates one rule over all new commits, in batches. */
export interface CommitRuleEvaluator {
  /** Texts and pattern to match for a batch; undefined for a rule without a pattern. */
  matchGroupFor(batch: readonly NewCommit[]): MatchGroup | undefined;
  /** `matches` is the match result of the group that was returned for this batch. */
  addBatch(batch: readonly NewCommit[], input: RuleInput, matches: Matches | undefined): Promise<void>;
  violation(): RuleViolation | undefined;
}

/** Creates an evaluator for one push. */
export function commitRuleEvaluator(rule: CommitRule): CommitRuleEvaluator {
  const offenders: string[] = [];
  let total = 0;
  let isTimedOut = false;
  return {
    matchGroupFor: batch => {
      const text = matchedText(rule);
      return text && rule.parameters ? { patterns: [rule.parameters], texts: batch.map(text) } : undefined;
    },
    async addBatch(batch, input, matches) {
      if (matches?.includes(undefined)) isTimedOut = true;
      for (const oid of await findOffenders(batch, rule, input, matches)) {
        total++;
        if (offenders.length < maxNamedOffenders) offenders.push(oid);
      }
    },
    violation: () => {
      if (total > 0) return buildViolation(violationMessage(rule), offenders, total);
      return isTimedOut ? timeoutViolation(rule) : undefined;
    },
  };
}

/** The commit text that a pattern rule matches. */
function matchedText({ type }: CommitRule): ((one: NewCommit) => string) | undefined {
  switch (type) {
    case 'commit_message_pattern':
      return ({ commit }) => commitMessage(commit);
    case 'commit_author_email_pattern':
      return ({ commit }) => commit.author.email;
    case 'committer_email_pattern':
      return ({ commit }) => commit.committer.email;
    default:
      return undefined;
  }
}

async function findOffenders(
  batch: readonly NewCommit[],
  rule: CommitRule,
  input: RuleInput,
  matches: Matches = [],
): Promise<Oid[]> {
  switch (rule.type) {
    case 'required_linear_history':
      return batch.filter(({ commit }) => commit.parents.length > 1).map(({ oid }) => oid);
    case 'required_signatures':
      return [...(await input.findUnverified(batch)).keys()];
    default: {
      const isOffence = rule.parameters.negate === true;
      return batch.filter((_, at) => matches[at] === isOffence).map(({ oid }) => oid);
    }
  }
}

function violationMessage(rule: CommitRule): string {
  switch (rule.type) {
    case 'required_linear_history':
      return 'This branch must not contain merge commits.';
    case 'required_signatures':
      return 'Commits must have verified signatures.';
    case 'commit_message_pattern':
      return `Commit message ${describePattern(rule.parameters)}.`;
    case 'commit_author_email_pattern':
      return `Commit author email ${describePattern(rule.parameters)}.`;
    case 'committer_email_pattern':
      return `Committer email ${describePattern(rule.parameters)}.`;
  }
}
