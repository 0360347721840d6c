import { maxParameterObjects } from '../../../schema/hosting/rule-parameters.ts';
import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import { compileWildcard } from '../../git/wildcard-pattern.ts';
import type { Rule } from '../rules/rule.ts';
import { maxPatternLength } from '../rules/text-pattern.ts';
import { type DocumentPath, DocumentValidator, formatValue } from './document-validator.ts';
import { type Parameters, ruleTypes, unsupportedTypes } from './rule-parameters.ts';

/** Maximum rules per ruleset. */
const maxRules = 50;

const typeNames = Object.keys(ruleTypes) as Rule['type'][];

/** Error messages by regular expression; undefined for a valid one. */
export type ExpressionErrors = ReadonlyMap<string, string | undefined>;

/** Finds the regular expressions in unvalidated rules, to check them beforehand. */
export function findExpressions(input: readonly unknown[]): string[] {
  return input.slice(0, maxRules).flatMap(one => {
    const { operator, pattern } = ((one as { parameters?: unknown } | null)?.parameters ?? {}) as Record<
      string,
      unknown
    >;
    return operator === 'regex' && typeof pattern === 'string' && pattern.length <= maxPatternLength ? pattern : [];
  });
}

/** Parses rules to their stored form, with known parameters only. Errors are added to the validator. */
export function parseRules(
  input: readonly unknown[],
  expressionErrors: ExpressionErrors,
  validator: DocumentValidator,
): Rule[] {
  const rules: Rule[] = [];
  validator.array(input, ['rules'], maxRules)?.forEach((item, index) => {
    const rule = parseRule(item, expressionErrors, ['rules', index], validator);
    if (rule) rules.push(rule);
  });
  return rules;
}

function parseRule(
  input: unknown,
  expressionErrors: ExpressionErrors,
  path: DocumentPath,
  validator: DocumentValidator,
): Rule | undefined {
  const object = validator.object(input, path);
  if (!object) return undefined;
  if (object.type === undefined) return validator.addMissing('type');
  if (typeof object.type === 'string' && unsupportedTypes.has(object.type)) {
    validator.addError(
      `Invalid rule '${object.type}': it is not supported here, for ${unsupportedTypes.get(object.type)}.`,
    );
    return undefined;
  }
  const type = validator.choice(object.type, [...path, 'type'], typeNames);
  if (type === undefined) return undefined;
  const { parameters: known, fallback } = ruleTypes[type];
  if (Object.keys(known).length === 0) return { type } as Rule;
  const document = object.parameters ?? fallback;
  if (document === undefined) return validator.addMissing('parameters');
  const parameters = parseParameters(known, document, [...path, 'parameters'], validator);
  if (!parameters) return undefined;
  const rule = { type, parameters } as unknown as Rule;
  checkPatterns(rule, expressionErrors, validator);
  return rule;
}

function parseParameters(
  known: Parameters,
  input: unknown,
  path: DocumentPath,
  validator: DocumentValidator,
): Record<string, unknown> | undefined {
  const object = validator.object(input, path);
  if (!object) return undefined;
  const parsed: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(known)) {
    const value = object[name];
    if (value === undefined || (value === null && !parameter.isRequired)) {
      if (parameter.isRequired) validator.addMissing(name);
      continue;
    }
    parsed[name] = parseParameter(value, parameter, [...path, name], validator);
  }
  return parsed;
}

/**
 * What the graph has types for of the stored parameters of a rule. Before objects in parameters had types, they were stored as they
 * were sent, with any keys and values.
 */
export function knownParameters(type: Rule['type'], stored: object): object {
  const hasObjects = Object.values(ruleTypes[type].parameters).some(
    ({ kind }) => kind === 'object' || kind === 'objects',
  );
  return hasObjects ? (parseParameters(ruleTypes[type].parameters, stored, [], new DocumentValidator()) ?? {}) : stored;
}

function parseParameter(
  value: unknown,
  parameter: Parameters[string],
  path: DocumentPath,
  validator: DocumentValidator,
): unknown {
  switch (parameter.kind) {
    case 'boolean':
      return validator.boolean(value, path);
    case 'integer':
      return validator.integer(value, path, parameter.range);
    case 'string':
      return validator.string(value, path, parameter.maxLength);
    case 'strings':
      return validator.strings(value, path, parameter);
    case 'choice':
      return validator.choice(value, path, parameter.choices);
    case 'choices':
      return validator
        .array(value, path, parameter.choices.length)
        ?.map((item, index) => validator.choice(item, [...path, index], parameter.choices));
    case 'object':
      return parseParameters(parameter.fields, value, path, validator);
    case 'objects':
      return validator
        .array(value, path, maxParameterObjects)
        ?.flatMap((item, index) => parseParameters(parameter.fields, item, [...path, index], validator) ?? []);
  }
}

/** Adds errors for expressions and patterns that can match nothing. */
function checkPatterns(rule: Rule, expressionErrors: ExpressionErrors, validator: DocumentValidator): void {
  if (rule.type === 'file_path_restriction') {
    const wrong = (rule.parameters.restricted_file_paths ?? []).filter(one => one === '' || !compileWildcard(one));
    if (wrong.length > 0) validator.addError(`Invalid rule '${rule.type}': invalid paths: ${quoteList(wrong)}`);
  }
  if (rule.type === 'file_extension_restriction') {
    const wrong = (rule.parameters.restricted_file_extensions ?? []).filter(
      one => !/^(\*?\.)?[^*?/.]+(\.[^*?/.]+)*$/.test(one),
    );
    if (wrong.length > 0) validator.addError(`Invalid rule '${rule.type}': invalid extensions: ${quoteList(wrong)}`);
  }
  if (!rule.type.endsWith('_pattern')) return;
  const { operator, pattern } = rule.parameters as { operator?: string; pattern?: string };
  if (pattern === '') validator.addError(`Invalid rule '${rule.type}': the pattern is empty.`);
  if (operator !== 'regex' || pattern === undefined) return;
  const problem = expressionErrors.get(pattern);
  if (problem !== undefined)
    validator.addError(`Invalid rule '${rule.type}': invalid regular expression: ${formatValue(problem)}`);
}

/** Formats the first five texts as `'a', 'b'`. */
export function quoteList(texts: readonly string[]): string {
  return texts
    .slice(0, 5)
    .map(one => `'${formatValue(one)}'`)
    .join(', ');
}

/** Adds errors for rules that a ruleset of this target or source cannot have. */
export function checkRuleTargets(
  rules: readonly Rule[],
  { target, isOfOrganization }: { target: RulesetTargetValue; isOfOrganization: boolean },
  validator: DocumentValidator,
): void {
  if (target === 'repository') {
    validator.addError("Invalid target 'repository': what happens to repositories themselves is not judged here.");
    return;
  }
  for (const { type } of rules) {
    const { targets, inRepositoriesOnly } = ruleTypes[type];
    if (!targets.includes(target))
      validator.addError(`Invalid rule '${type}': it is for the target ${targets.join(' or ')}.`);
    else if (inRepositoriesOnly && isOfOrganization) {
      validator.addError(`Invalid rule '${type}': only rulesets of a repository can have it.`);
    }
  }
}
