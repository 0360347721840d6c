import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import { fnmatch } from '../rules/fnmatch.ts';
import type { Rule } from '../rules/rule.ts';
import { longestPattern } from '../rules/text-pattern.ts';
import { ruleTypes, unsupportedTypes } from './rule-parameters.ts';
import { type Path, type Shape, shown } from './shape.ts';

/** Rules of one ruleset at most. */
const mostRules = 50;
/** Letters of what a parameter that is only stored comes to at most. */
const largestObject = 10_000;

const typeNames = Object.keys(ruleTypes) as Rule['type'][];

/** What is wrong with expressions; undefined for a good one. */
export type ExpressionProblems = ReadonlyMap<string, string | undefined>;

/** The expressions among the rules, to be checked beforehand. What is no rule has none. */
export function expressionsIn(given: readonly unknown[]): string[] {
  return given.slice(0, mostRules).flatMap(one => {
    const { operator, pattern } = ((one as { parameters?: unknown } | null)?.parameters ?? {}) as Record<
      string,
      unknown
    >;
    return operator === 'regex' && typeof pattern === 'string' && pattern.length <= longestPattern ? pattern : [];
  });
}

/** The rules as they are stored: what is known of each type, and nothing else. What is wrong goes into `shape`. */
export function readRules(given: readonly unknown[], problems: ExpressionProblems, shape: Shape): Rule[] {
  const rules: Rule[] = [];
  shape.list(given, ['rules'], mostRules)?.forEach((one, at) => {
    const rule = readRule(one, problems, ['rules', at], shape);
    if (rule) rules.push(rule);
  });
  return rules;
}

function readRule(given: unknown, problems: ExpressionProblems, path: Path, shape: Shape): Rule | undefined {
  const object = shape.object(given, path);
  if (!object) return undefined;
  if (object.type === undefined) return shape.missing('type');
  if (typeof object.type === 'string' && Object.hasOwn(unsupportedTypes, object.type)) {
    shape.say(`Invalid rule '${object.type}': it is not supported here, for ${unsupportedTypes[object.type]}.`);
    return undefined;
  }
  const type = shape.choice(object.type, [...path, 'type'], typeNames);
  if (type === undefined) return undefined;
  const { parameters: known, fallback } = ruleTypes[type];
  if (Object.keys(known).length === 0) return { type } as Rule;
  const document = object.parameters ?? fallback;
  if (document === undefined) return shape.missing('parameters');
  const parameters = readParameters(type, document, [...path, 'parameters'], shape);
  if (!parameters) return undefined;
  const rule = { type, parameters } as unknown as Rule;
  assertPatterns(rule, problems, shape);
  return rule;
}

function readParameters(
  type: Rule['type'],
  given: unknown,
  path: Path,
  shape: Shape,
): Record<string, unknown> | undefined {
  const object = shape.object(given, path);
  if (!object) return undefined;
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(ruleTypes[type].parameters)) {
    const value = object[name];
    if (value === undefined || (value === null && !parameter.isRequired)) {
      if (parameter.isRequired) shape.missing(name);
      continue;
    }
    read[name] = readParameter(value, parameter, [...path, name], shape);
  }
  return read;
}

function readParameter(
  value: unknown,
  parameter: (typeof ruleTypes)[Rule['type']]['parameters'][string],
  path: Path,
  shape: Shape,
): unknown {
  switch (parameter.is) {
    case 'boolean':
      return shape.boolean(value, path);
    case 'whole':
      return shape.whole(value, path, parameter.range);
    case 'text':
      return shape.text(value, path, parameter.longest);
    case 'texts':
      return shape.texts(value, path, parameter);
    case 'choice':
      return shape.choice(value, path, parameter.of);
    case 'choices':
      return shape
        .list(value, path, parameter.of.length)
        ?.map((one, at) => shape.choice(one, [...path, at], parameter.of));
    case 'object':
      return bounded(shape.object(value, path), path, shape);
    case 'objects':
      return bounded(
        shape.list(value, path, mostRules)?.map((one, at) => shape.object(one, [...path, at])),
        path,
        shape,
      );
  }
}

function bounded(value: unknown, path: Path, shape: Shape): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  // Escaped here; and no column takes it.
  return shape.text(text.includes('\\u0000') ? '\0' : text, path, largestObject) === undefined ? undefined : value;
}

/** Expressions and patterns that nothing can be matched against are refused when they are written. */
function assertPatterns(rule: Rule, problems: ExpressionProblems, shape: Shape): void {
  if (rule.type === 'file_path_restriction') {
    const wrong = (rule.parameters.restricted_file_paths ?? []).filter(one => one === '' || !fnmatch(one));
    if (wrong.length > 0) shape.say(`Invalid rule '${rule.type}': invalid paths: ${quoted(wrong)}`);
  }
  if (rule.type === 'file_extension_restriction') {
    const wrong = (rule.parameters.restricted_file_extensions ?? []).filter(
      one => !/^(\*?\.)?[^*?/.]+(\.[^*?/.]+)*$/.test(one),
    );
    if (wrong.length > 0) shape.say(`Invalid rule '${rule.type}': invalid extensions: ${quoted(wrong)}`);
  }
  if (!rule.type.endsWith('_pattern')) return;
  const { operator, pattern } = rule.parameters as { operator?: string; pattern?: string };
  if (pattern === '') shape.say(`Invalid rule '${rule.type}': the pattern is empty.`);
  if (operator !== 'regex' || pattern === undefined) return;
  const problem = problems.get(pattern);
  if (problem !== undefined) shape.say(`Invalid rule '${rule.type}': invalid regular expression: ${shown(problem)}`);
}

/** `'a', 'b'`, the first few of them. */
export function quoted(texts: readonly string[]): string {
  return texts
    .slice(0, 5)
    .map(one => `'${shown(one)}'`)
    .join(', ');
}

/** Refuses rules that cannot be part of a ruleset of this target, or of this kind of source. */
export function assertFitting(
  rules: readonly Rule[],
  { target, isOfOrganization }: { target: RulesetTargetValue; isOfOrganization: boolean },
  shape: Shape,
): void {
  if (target === 'repository') {
    shape.say("Invalid target 'repository': what happens to repositories themselves is not judged here.");
    return;
  }
  for (const { type } of rules) {
    const { targets, inRepositoriesOnly } = ruleTypes[type];
    if (!targets.includes(target)) shape.say(`Invalid rule '${type}': it is for the target ${targets.join(' or ')}.`);
    else if (inRepositoriesOnly && isOfOrganization) {
      shape.say(`Invalid rule '${type}': only rulesets of a repository can have it.`);
    }
  }
}
