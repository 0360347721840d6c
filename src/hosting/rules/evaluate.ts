import { type CommitJudge, commitJudge } from './evaluate-commits.ts';
import { type FileJudge, fileJudge } from './evaluate-files.ts';
import { evaluateName, evaluateRef } from './evaluate-refs.ts';
import type { RefFacts } from './push-facts.ts';
import type { Broken, Rule, RuleEvaluation } from './rule.ts';

/**
 * What every rule says about one ref of a push, in the order of the rules. All are asked, whatever the others say. It hangs
 * on the facts and the rules alone: whoever pushes, by whatever way, gets the same. Commits are gone through once for all
 * rules that look at them, and not at all where there is none.
 */
export async function evaluate(facts: RefFacts, rules: readonly Rule[]): Promise<RuleEvaluation[]> {
  const asked = rules.map(rule => judgeOf(facts, rule));
  const commitJudges = asked.flatMap(({ commits }) => commits ?? []);
  const fileJudges = asked.flatMap(({ files }) => files ?? []);
  if (commitJudges.length + fileJudges.length > 0) await goThrough(facts, commitJudges, fileJudges);
  const evaluations: RuleEvaluation[] = [];
  for (const { rule, verdict } of asked) evaluations.push({ rule, broken: await verdict() });
  return evaluations;
}

interface Asked {
  rule: Rule;
  commits?: CommitJudge;
  files?: FileJudge;
  verdict(): Broken | undefined | Promise<Broken | undefined>;
}

function judgeOf(facts: RefFacts, rule: Rule): Asked {
  switch (rule.type) {
    case 'creation':
    case 'deletion':
    case 'update':
    case 'non_fast_forward':
    case 'pull_request':
    case 'merge_queue':
      return { rule, verdict: () => evaluateRef(facts, rule) };
    case 'branch_name_pattern':
    case 'tag_name_pattern':
      return { rule, verdict: () => evaluateName(facts, rule) };
    case 'required_linear_history':
    case 'required_signatures':
    case 'commit_message_pattern':
    case 'commit_author_email_pattern':
    case 'committer_email_pattern': {
      const commits = commitJudge(rule);
      return { rule, commits, verdict: () => commits.verdict() };
    }
    case 'file_path_restriction':
    case 'max_file_path_length':
    case 'file_extension_restriction':
    case 'max_file_size': {
      const files = fileJudge(rule);
      return { rule, files, verdict: () => files.verdict() };
    }
  }
}

async function goThrough(
  facts: RefFacts,
  commitJudges: readonly CommitJudge[],
  fileJudges: readonly FileJudge[],
): Promise<void> {
  const withSizes = fileJudges.some(({ needsSizes }) => needsSizes);
  for await (const batch of facts.commits()) {
    const files = fileJudges.length > 0 ? await facts.files(batch, { withSizes }) : [];
    // Patterns of all rules together: one hop to a thread at most, on which the cheap ones come first.
    const texts = [...commitJudges.map(one => one.textsOf(batch)), ...fileJudges.map(one => one.textsOf(files))];
    const groups = texts.flatMap(one => one ?? []);
    const found = groups.length > 0 ? await facts.match(groups) : [];
    const matches = texts.map(one => one && found[groups.indexOf(one)]);
    for (const [at, judge] of commitJudges.entries()) await judge.look(batch, facts, matches[at]);
    for (const [at, judge] of fileJudges.entries()) judge.look(files, matches[commitJudges.length + at]);
  }
}
