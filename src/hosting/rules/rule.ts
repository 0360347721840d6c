import type { PatternParameters } from './text-pattern.ts';

type Without<Type extends string> = { type: Type; parameters?: undefined };
type With<Type extends string, Parameters> = { type: Type; parameters: Parameters };

/** Rules that look at how a ref changes, and at nothing else. */
export type RefRule =
  | Without<'creation'>
  | Without<'deletion'>
  | With<'update', { update_allows_fetch_and_merge: boolean }>
  | Without<'non_fast_forward'>
  | With<'pull_request', Readonly<Record<string, unknown>>>
  | With<'merge_queue', Readonly<Record<string, unknown>>>;

/** Rules that look at the name of a ref that is made. */
export type NameRule = With<'branch_name_pattern' | 'tag_name_pattern', PatternParameters>;

/** Rules that look at every new commit. */
export type CommitRule =
  | Without<'required_linear_history'>
  | Without<'required_signatures'>
  | With<'commit_message_pattern' | 'commit_author_email_pattern' | 'committer_email_pattern', PatternParameters>;

/** Rules that look at the files that every new commit changes. */
export type FileRule =
  | With<'file_path_restriction', { restricted_file_paths: readonly string[] }>
  | With<'max_file_path_length', { max_file_path_length: number }>
  | With<'file_extension_restriction', { restricted_file_extensions: readonly string[] }>
  | With<'max_file_size', { max_file_size: number }>;

/** A rule as it was checked when it was written, and as it is stored. */
export type Rule = RefRule | NameRule | CommitRule | FileRule;

/** What breaks a rule. */
export interface Broken {
  /** For who pushes: one line. */
  message: string;
  /** For who looks at it later: the same, and what exactly. */
  details: string;
}

/** What one rule says about one ref of a push. */
export interface RuleEvaluation<Judged extends Rule = Rule> {
  rule: Judged;
  broken: Broken | undefined;
}

/** The rule is broken by some things, of which a few are named. */
export function brokenBy(message: string, offenders: readonly string[], all = offenders.length): Broken {
  const named = offenders.slice(0, mostNamed);
  const rest = all - named.length;
  return { message, details: `${message} Found: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}` };
}

/** Seconds in which all patterns of a push have to be evaluated. */
export const maxMatchSeconds = 2;

/** The rule is broken because nothing can be said: what takes too long to evaluate lets nothing through. */
export function unevaluated({ type, parameters }: Rule): Broken {
  const pattern =
    parameters && 'pattern' in parameters ? `the pattern ${JSON.stringify(parameters.pattern)}` : 'its patterns';
  const message = `Rule ${type} could not be evaluated: ${pattern} took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** The same of a rule of which nobody could find out in time whether it is about the ref. */
export function unevaluatedConditions(ruleset: string): Broken {
  const message = `Ruleset ${JSON.stringify(ruleset)} could not be evaluated: its conditions took too long (limit: ${maxMatchSeconds} seconds for a push).`;
  return { message, details: message };
}

/** Commits or files that details name. */
export const mostNamed = 5;
