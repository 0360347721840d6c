import { type CommitRuleEvaluator, commitRuleEvaluator } from './evaluate-commits.ts';
import { type FileRuleEvaluator, fileRuleEvaluator } from './evaluate-files.ts';
import { evaluateRef, evaluateRefName } from './evaluate-refs.ts';
import type { MatchGroup } from './match-group.ts';
import type { Rule, RuleResult, RuleViolation } from './rule.ts';
import type { RuleInput } from './rule-input.ts';

/**
 * Evaluates all rules on one ref of a push. Results are in the order of the rules. The result depends only on the input
 * and the rules, not on how the push arrived. Commits are read once for all rules, and not at all when no rule needs
 * them.
 */
export async function evaluateRules(input: RuleInput, rules: readonly Rule[]): Promise<RuleResult[]> {
  const evaluators = rules.map(rule => ruleEvaluator(input, rule));
  const commitEvaluators = evaluators.flatMap(({ commits }) => commits ?? []);
  const fileEvaluators = evaluators.flatMap(({ files }) => files ?? []);
  if (commitEvaluators.length + fileEvaluators.length > 0)
    await evaluateBatches(input, commitEvaluators, fileEvaluators);
  const results: RuleResult[] = [];
  for (const { rule, violation } of evaluators) results.push({ rule, violation: await violation() });
  return results;
}

interface RuleEvaluator {
  rule: Rule;
  commits?: CommitRuleEvaluator;
  files?: FileRuleEvaluator;
  violation(): RuleViolation | undefined | Promise<RuleViolation | undefined>;
}

function ruleEvaluator(input: RuleInput, rule: Rule): RuleEvaluator {
  switch (rule.type) {
    case 'creation':
    case 'deletion':
    case 'update':
    case 'non_fast_forward':
    case 'pull_request':
    case 'merge_queue':
      return { rule, violation: () => evaluateRef(input, rule) };
    case 'branch_name_pattern':
    case 'tag_name_pattern':
      return { rule, violation: () => evaluateRefName(input, rule) };
    case 'required_linear_history':
    case 'required_signatures':
    case 'commit_message_pattern':
    case 'commit_author_email_pattern':
    case 'committer_email_pattern': {
      const commits = commitRuleEvaluator(rule);
      return { rule, commits, violation: () => commits.violation() };
    }
    case 'file_path_restriction':
    case 'max_file_path_length':
    case 'file_extension_restriction':
    case 'max_file_size': {
      const files = fileRuleEvaluator(rule);
      return { rule, files, violation: () => files.violation() };
    }
  }
}

async function evaluateBatches(
  input: RuleInput,
  commitEvaluators: readonly CommitRuleEvaluator[],
  fileEvaluators: readonly FileRuleEvaluator[],
): Promise<void> {
  const withSizes = fileEvaluators.some(({ needsSizes }) => needsSizes);
  for await (const batch of input.newCommits()) {
    const files = fileEvaluators.length > 0 ? await input.changedFiles(batch, { withSizes }) : [];
    // Each rule looks at each file: rulesets may have hundreds of rules, and a push 100,000 files. One match call for the patterns of all rules: at most one hop to a worker thread, which runs cheap patterns
    // first.
    const optionalGroups: (MatchGroup | undefined)[] = [];
    for (const evaluator of commitEvaluators) {
      await input.spend(batch.length);
      optionalGroups.push(evaluator.matchGroupFor(batch));
    }
    for (const evaluator of fileEvaluators) {
      await input.spend(files.length);
      optionalGroups.push(evaluator.matchGroupFor(files));
    }
    const groups = optionalGroups.flatMap(one => one ?? []);
    const found = groups.length > 0 ? await input.match(groups) : [];
    const matches = optionalGroups.map(one => one && found[groups.indexOf(one)]);
    for (const [at, evaluator] of commitEvaluators.entries()) await evaluator.addBatch(batch, input, matches[at]);
    for (const [at, evaluator] of fileEvaluators.entries()) {
      await input.spend(files.length);
      evaluator.addBatch(files, matches[commitEvaluators.length + at]);
    }
  }
}
