import { type NameRule, type RefRule, type RuleViolation, timeoutViolation } from './rule.ts';
import type { RuleInput } from './rule-input.ts';
import { describePattern } from './text-pattern.ts';

/** Evaluates a rule on the update of a ref. */
export async function evaluateRef(input: RuleInput, rule: RefRule): Promise<RuleViolation | undefined> {
  const isCreated = input.old === undefined;
  const isDeleted = input.new === undefined;
  switch (rule.type) {
    case 'creation':
      return isCreated ? plainViolation('Cannot create ref due to creations being restricted.') : undefined;
    case 'update':
      return isCreated || isDeleted ? undefined : plainViolation('Cannot update this protected ref.');
    case 'deletion':
      return isDeleted ? plainViolation(`Cannot delete this ${isTag(input) ? 'tag' : 'branch'}`) : undefined;
    case 'non_fast_forward':
      if (isCreated || isDeleted || (await input.isFastForward())) return undefined;
      return plainViolation(`Cannot force-push to this ${isTag(input) ? 'tag' : 'branch'}`);
    case 'pull_request':
      return (await isDirectChange(input)) ? plainViolation('Changes must be made through a pull request.') : undefined;
    case 'merge_queue':
      return (await isDirectChange(input))
        ? plainViolation('Changes must be made through the merge queue.')
        : undefined;
  }
}

/**
 * True for direct pushes to the branch. A new branch may start at commits of other branches, but may not contain
 * unreviewed ones.
 */
async function isDirectChange(input: RuleInput): Promise<boolean> {
  if (input.new === undefined) return false;
  return input.old !== undefined || input.hasNewCommits();
}

const isTag = ({ ref }: RuleInput): boolean => ref.startsWith('refs/tags/');

function plainViolation(message: string): RuleViolation {
  return { message, details: message };
}

/** Evaluates a rule on the name of a new ref. */
export async function evaluateRefName(input: RuleInput, rule: NameRule): Promise<RuleViolation | undefined> {
  const { type, parameters } = rule;
  const [prefix, what] = type === 'tag_name_pattern' ? ['refs/tags/', 'Tag'] : ['refs/heads/', 'Branch'];
  if (input.old !== undefined || !input.ref.startsWith(prefix)) return undefined;
  const [matches] = await input.match([{ patterns: [parameters], texts: [input.ref.slice(prefix.length)] }]);
  if (matches?.[0] === undefined) return timeoutViolation(rule);
  return matches[0] === (parameters.negate === true)
    ? plainViolation(`${what} name ${describePattern(parameters)}.`)
    : undefined;
}
