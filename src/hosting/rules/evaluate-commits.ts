import type { Oid } from '../../git/object.ts';
import { messageOf } from '../commits/git-commit.ts';
import type { Matches, MatchGroup } from './match-group.ts';
import type { NewCommit, RefFacts } from './push-facts.ts';
import { type Broken, brokenBy, type CommitRule, mostNamed, unevaluated } from './rule.ts';
import { demandOf } from './text-pattern.ts';

/** Judges new commits, batch by batch. */
export interface CommitJudge {
  /** What is to be matched of a batch; undefined where the rule has no pattern. */
  textsOf(batch: readonly NewCommit[]): MatchGroup | undefined;
  /** `matches`: what came of `textsOf(batch)`. */
  look(batch: readonly NewCommit[], facts: RefFacts, matches: Matches | undefined): Promise<void>;
  verdict(): Broken | undefined;
}

/** A judge who has seen no commit yet. */
export function commitJudge(rule: CommitRule): CommitJudge {
  const offenders: string[] = [];
  let all = 0;
  let isUnevaluated = false;
  return {
    textsOf: batch => {
      const text = textOf(rule);
      return text && rule.parameters ? { patterns: [rule.parameters], texts: batch.map(text) } : undefined;
    },
    async look(batch, facts, matches) {
      if (matches?.includes(undefined)) isUnevaluated = true;
      for (const oid of await offendersOf(batch, rule, facts, matches)) {
        all++;
        if (offenders.length < mostNamed) offenders.push(oid);
      }
    },
    verdict: () => {
      if (all > 0) return brokenBy(messageFor(rule), offenders, all);
      return isUnevaluated ? unevaluated(rule) : undefined;
    },
  };
}

/** What a rule with a pattern looks at. */
function textOf({ type }: CommitRule): ((one: NewCommit) => string) | undefined {
  switch (type) {
    case 'commit_message_pattern':
      return ({ commit }) => messageOf(commit);
    case 'commit_author_email_pattern':
      return ({ commit }) => commit.author.email;
    case 'committer_email_pattern':
      return ({ commit }) => commit.committer.email;
    default:
      return undefined;
  }
}

async function offendersOf(
  batch: readonly NewCommit[],
  rule: CommitRule,
  facts: RefFacts,
  matches: Matches = [],
): Promise<Oid[]> {
  switch (rule.type) {
    case 'required_linear_history':
      return batch.filter(({ commit }) => commit.parents.length > 1).map(({ oid }) => oid);
    case 'required_signatures':
      return [...(await facts.unverified(batch)).keys()];
    default: {
      const bad = rule.parameters.negate === true;
      return batch.filter((_, at) => matches[at] === bad).map(({ oid }) => oid);
    }
  }
}

function messageFor(rule: CommitRule): string {
  switch (rule.type) {
    case 'required_linear_history':
      return 'This branch must not contain merge commits.';
    case 'required_signatures':
      return 'Commits must have verified signatures.';
    case 'commit_message_pattern':
      return `Commit message ${demandOf(rule.parameters)}.`;
    case 'commit_author_email_pattern':
      return `Commit author email ${demandOf(rule.parameters)}.`;
    case 'committer_email_pattern':
      return `Committer email ${demandOf(rule.parameters)}.`;
  }
}
