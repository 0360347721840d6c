import type { PatternParameters } from './text-pattern.ts';

type RuleWithoutParameters<Type extends string> = { type: Type; parameters?: undefined };
type RuleWithParameters<Type extends string, Parameters> = { type: Type; parameters: Parameters };

/** Rules on the update of a ref alone. */
export type RefRule =
  | RuleWithoutParameters<'creation'>
  | RuleWithoutParameters<'deletion'>
  | RuleWithParameters<'update', { update_allows_fetch_and_merge: boolean }>
  | RuleWithoutParameters<'non_fast_forward'>
  | RuleWithParameters<'pull_request', Readonly<Record<string, unknown>>>
  | RuleWithParameters<'merge_queue', Readonly<Record<string, unknown>>>;

/** Rules on the name of a new ref. */
export type NameRule = RuleWithParameters<'branch_name_pattern' | 'tag_name_pattern', PatternParameters>;

/** Rules on every new commit. */
export type CommitRule =
  | RuleWithoutParameters<'required_linear_history'>
  | RuleWithoutParameters<'required_signatures'>
  | RuleWithParameters<
      'commit_message_pattern' | 'commit_author_email_pattern' | 'committer_email_pattern',
      PatternParameters
    >;

/** Rules on the files that new commits change. */
export type FileRule =
  | RuleWithParameters<'file_path_restriction', { restricted_file_paths: readonly string[] }>
  | RuleWithParameters<'max_file_path_length', { max_file_path_length: number }>
  | RuleWithParameters<'file_extension_restriction', { restricted_file_extensions: readonly string[] }>
  | RuleWithParameters<'max_file_size', { max_file_size: number }>;

/** A rule as validated and stored. */
export type Rule = RefRule | NameRule | CommitRule | FileRule;

/** Why a rule failed. */
export interface RuleViolation {
  /** One line for the pusher. */
  message: string;
  /** For the rule suite: the message and the offending items. */
  details: string;
}

/** Result of one rule on one ref of a push. */
export interface RuleResult<Evaluated extends Rule = Rule> {
  rule: Evaluated;
  violation: RuleViolation | undefined;
}

/** Builds a violation that names the first few offending items. */
export function buildViolation(message: string, offenders: readonly string[], total = offenders.length): RuleViolation {
  const named = offenders.slice(0, maxNamedOffenders);
  const unnamed = total - named.length;
  return { message, details: `${message} Found: ${named.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}` };
}

/** Seconds in which all patterns of a push must be matched. */
export const maxMatchSeconds = 2;

/** Fail closed: a rule that takes too long to evaluate counts as violated. */
export function timeoutViolation({ type, parameters }: Rule): RuleViolation {
  const pattern =
    parameters && 'pattern' in parameters ? `the pattern ${JSON.stringify(parameters.pattern)}` : 'its patterns';
  const message = `Rule ${type} could not be evaluated: ${pattern} took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** The same for a ruleset whose conditions take too long to match. */
export function conditionsTimeoutViolation(ruleset: string): RuleViolation {
  const message = `Ruleset ${JSON.stringify(ruleset)} could not be evaluated: its conditions took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** Maximum commits or files named in details. */
export const maxNamedOffenders = 5;
