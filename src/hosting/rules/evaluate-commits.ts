import type { Oid } from '../../git/object.ts';
import { messageOf } from '../commits/git-commit.ts';
import type { NewCommit, RefFacts } from './push-facts.ts';
import { type Broken, brokenBy, type CommitRule, mostNamed } from './rule.ts';
import { demandOf, keepsTo } from './text-pattern.ts';

/** Judges new commits, batch by batch. */
export interface CommitJudge {
  look(batch: readonly NewCommit[], facts: RefFacts): Promise<void>;
  verdict(): Broken | undefined;
}

/** A judge who has seen no commit yet. */
export function commitJudge(rule: CommitRule): CommitJudge {
  const offenders: string[] = [];
  let all = 0;
  return {
    async look(batch, facts) {
      for (const oid of await offendersOf(batch, rule, facts)) {
        all++;
        if (offenders.length < mostNamed) offenders.push(oid);
      }
    },
    verdict: () => (all === 0 ? undefined : brokenBy(messageFor(rule), offenders, all)),
  };
}

async function offendersOf(batch: readonly NewCommit[], rule: CommitRule, facts: RefFacts): Promise<Oid[]> {
  const where = (isGood: (one: NewCommit) => boolean): Oid[] => batch.filter(one => !isGood(one)).map(({ oid }) => oid);
  switch (rule.type) {
    case 'required_linear_history':
      return where(({ commit }) => commit.parents.length < 2);
    case 'required_signatures':
      return [...(await facts.unverified(batch)).keys()];
    case 'commit_message_pattern':
      return where(({ commit }) => keepsTo(messageOf(commit), rule.parameters));
    case 'commit_author_email_pattern':
      return where(({ commit }) => keepsTo(commit.author.email, rule.parameters));
    case 'committer_email_pattern':
      return where(({ commit }) => keepsTo(commit.committer.email, rule.parameters));
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
