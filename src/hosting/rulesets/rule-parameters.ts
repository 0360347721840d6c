import { parameterRanges } from '../../../schema/hosting/rule-parameters.ts';
import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import type { Rule } from '../rules/rule.ts';
import { maxPatternLength, patternOperators } from '../rules/text-pattern.ts';

/** Constraints of one rule parameter. */
type Parameter = { isRequired?: boolean } & (
  | { kind: 'boolean' }
  | { kind: 'integer'; range: readonly [number, number] }
  | { kind: 'string'; maxLength: number }
  | { kind: 'strings'; maxItems: number; maxLength: number }
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'choices'; choices: readonly string[] }
  | { kind: 'object'; fields: Parameters }
  | { kind: 'objects'; fields: Parameters }
);

/** Parameters by their names in a document. */
export type Parameters = Readonly<Record<string, Parameter>>;

interface RuleType {
  targets: readonly RulesetTargetValue[];
  /** True when organization rulesets cannot contain the rule. */
  inRepositoriesOnly?: boolean;
  parameters: Parameters;
  /** Default when the parameters are omitted altogether. */
  fallback?: Readonly<Record<string, unknown>>;
}

const refTargets = ['branch', 'tag'] as const;
const requiredBoolean = { kind: 'boolean', isRequired: true } as const;
const requiredInteger = (range: readonly [number, number]) => ({ kind: 'integer', range, isRequired: true }) as const;
const maxListItems = 200;

/** Whom a parameter names. The features that would look the number up are not hosted here. */
const actorFields = {
  id: { kind: 'integer', range: [0, Number.MAX_SAFE_INTEGER] },
  type: { kind: 'string', maxLength: 100 },
} as const satisfies Parameters;

const patternParameters = {
  name: { kind: 'string', maxLength: 255 },
  negate: { kind: 'boolean' },
  operator: { kind: 'choice', choices: patternOperators, isRequired: true },
  pattern: { kind: 'string', maxLength: maxPatternLength, isRequired: true },
} as const satisfies Parameters;

/** Supported rule types with the published constraints of their parameters. */
export const ruleTypes: Readonly<Record<Rule['type'], RuleType>> = {
  creation: { targets: refTargets, parameters: {} },
  update: {
    targets: refTargets,
    parameters: { update_allows_fetch_and_merge: requiredBoolean },
    fallback: { update_allows_fetch_and_merge: false },
  },
  deletion: { targets: refTargets, parameters: {} },
  required_linear_history: { targets: refTargets, parameters: {} },
  required_signatures: { targets: refTargets, parameters: {} },
  non_fast_forward: { targets: refTargets, parameters: {} },
  pull_request: {
    targets: ['branch'],
    parameters: {
      allowed_merge_methods: { kind: 'choices', choices: ['merge', 'squash', 'rebase'] },
      dismiss_stale_reviews_on_push: requiredBoolean,
      dismissal_restriction: {
        kind: 'object',
        fields: { allowed_actors: { kind: 'objects', fields: actorFields }, enabled: { kind: 'boolean' } },
      },
      require_code_owner_review: requiredBoolean,
      require_last_push_approval: requiredBoolean,
      required_approving_review_count: requiredInteger(parameterRanges.requiredApprovingReviewCount),
      required_review_thread_resolution: requiredBoolean,
      required_reviewers: {
        kind: 'objects',
        fields: {
          file_patterns: { kind: 'strings', maxItems: maxListItems, maxLength: maxPatternLength },
          minimum_approvals: { kind: 'integer', range: parameterRanges.minimumApprovals },
          reviewer: { kind: 'object', fields: actorFields },
        },
      },
    },
  },
  merge_queue: {
    targets: ['branch'],
    inRepositoriesOnly: true,
    parameters: {
      check_response_timeout_minutes: requiredInteger(parameterRanges.checkResponseTimeoutMinutes),
      grouping_strategy: { kind: 'choice', choices: ['ALLGREEN', 'HEADGREEN'], isRequired: true },
      max_entries_to_build: requiredInteger(parameterRanges.maxEntriesToBuild),
      max_entries_to_merge: requiredInteger(parameterRanges.maxEntriesToMerge),
      merge_method: { kind: 'choice', choices: ['MERGE', 'SQUASH', 'REBASE'], isRequired: true },
      min_entries_to_merge: requiredInteger(parameterRanges.minEntriesToMerge),
      min_entries_to_merge_wait_minutes: requiredInteger(parameterRanges.minEntriesToMergeWaitMinutes),
    },
  },
  commit_message_pattern: { targets: refTargets, parameters: patternParameters },
  commit_author_email_pattern: { targets: refTargets, parameters: patternParameters },
  committer_email_pattern: { targets: refTargets, parameters: patternParameters },
  branch_name_pattern: { targets: ['branch'], parameters: patternParameters },
  tag_name_pattern: { targets: ['tag'], parameters: patternParameters },
  file_path_restriction: {
    targets: ['push'],
    parameters: {
      restricted_file_paths: { kind: 'strings', maxItems: maxListItems, maxLength: maxPatternLength, isRequired: true },
    },
  },
  max_file_path_length: {
    targets: ['push'],
    parameters: { max_file_path_length: requiredInteger(parameterRanges.maxFilePathLength) },
  },
  file_extension_restriction: {
    targets: ['push'],
    parameters: {
      restricted_file_extensions: { kind: 'strings', maxItems: maxListItems, maxLength: 100, isRequired: true },
    },
  },
  max_file_size: { targets: ['push'], parameters: { max_file_size: requiredInteger(parameterRanges.maxFileSize) } },
};

/**
 * Published rule types that are not supported, with the reason. Accepting them as rules that always pass would be
 * misleading.
 */
export const unsupportedTypes: ReadonlyMap<string, string> = new Map([
  ['required_status_checks', 'there are no status checks'],
  ['required_deployments', 'there are no deployments'],
  ['workflows', 'there is no workflow automation'],
  ['code_scanning', 'there is no code scanning'],
  ['code_quality', 'there are no reports on the quality of code'],
  ['license_compliance_scanning', 'there is no scanning of licenses'],
  ['copilot_code_review', 'there are no reviews by an assistant'],
]);
