import type { PatternParameters } from './text-pattern.ts';

type RuleWithoutParameters<Type extends string> = { type: Type; parameters?: undefined };
type RuleWithParameters<Type extends string, Parameters> = { type: Type; parameters: Parameters };

/** Rules that look at how a ref changes, and at nothing else. */
export type RefRule =
  | RuleWithoutParameters<'creation'>
  | RuleWithoutParameters<'deletion'>
  | RuleWithParameters<'update', { update_allows_fetch_and_merge: boolean }>
  | RuleWithoutParameters<'non_fast_forward'>
  | RuleWithParameters<'pull_request', Readonly<Record<string, unknown>>>
  | RuleWithParameters<'merge_queue', Readonly<Record<string, unknown>>>;

/** Rules that look at the name of a ref that is made. */
export type NameRule = RuleWithParameters<'branch_name_pattern' | 'tag_name_pattern', PatternParameters>;

/** Rules that look at every new commit. */
export type CommitRule =
  | RuleWithoutParameters<'required_linear_history'>
  | RuleWithoutParameters<'required_signatures'>
  | RuleWithParameters<
      'commit_message_pattern' | 'commit_author_email_pattern' | 'committer_email_pattern',
      PatternParameters
    >;

/** Rules that look at the files that every new commit changes. */
export type FileRule =
  | RuleWithParameters<'file_path_restriction', { restricted_file_paths: readonly string[] }>
  | RuleWithParameters<'max_file_path_length', { max_file_path_length: number }>
  | RuleWithParameters<'file_extension_restriction', { restricted_file_extensions: readonly string[] }>
  | RuleWithParameters<'max_file_size', { max_file_size: number }>;

/** A rule as it was checked when it was written, and as it is stored. */
export type Rule = RefRule | NameRule | CommitRule | FileRule;

/** What breaks a rule. */
export interface RuleViolation {
  /** For who pushes: one line. */
  message: string;
  /** For who looks at it later: the same, and what exactly. */
  details: string;
}

/** What one rule says about one ref of a push. */
export interface RuleResult<Judged extends Rule = Rule> {
  rule: Judged;
  broken: RuleViolation | undefined;
}

/** The rule is broken by some things, of which a few are named. */
export function buildViolation(message: string, offenders: readonly string[], all = offenders.length): RuleViolation {
  const named = offenders.slice(0, maxNamedOffenders);
  const unnamed = all - named.length;
  return { message, details: `${message} Found: ${named.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}` };
}

/** Seconds in which all patterns of a push have to be evaluated. */
export const maxMatchSeconds = 2;

/** The rule is broken because nothing can be said: what takes too long to evaluate lets nothing through. */
export function timeoutViolation({ type, parameters }: Rule): RuleViolation {
  const pattern =
    parameters && 'pattern' in parameters ? `the pattern ${JSON.stringify(parameters.pattern)}` : 'its patterns';
  const message = `Rule ${type} could not be evaluated: ${pattern} took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** The same of a rule of which nobody could find out in time whether it is about the ref. */
export function conditionsTimeoutViolation(ruleset: string): RuleViolation {
  const message = `Ruleset ${JSON.stringify(ruleset)} could not be evaluated: its conditions took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** Commits or files that details name. */
export const maxNamedOffenders = 5;
