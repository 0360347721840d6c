import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import { compileWildcard } from '../../git/wildcard-pattern.ts';
import type { Conditions } from '../rules/conditions.ts';
import { maxPatternLength } from '../rules/text-pattern.ts';
import type { DocumentPath, DocumentValidator } from './document-validator.ts';
import { quoteList } from './parse-rules.ts';

/** Maximum patterns per list, and characters per pattern. */
const patternLimits = { maxItems: 200, maxLength: maxPatternLength };

/** Parses the known conditions to their stored form. Errors are added to the validator. */
export function parseConditions(input: unknown, validator: DocumentValidator): Conditions | null {
  if (input === null) return null;
  const object = validator.object(input, ['conditions']);
  if (!object) return null;
  const parsed: Conditions = {};
  const { ref_name: refs, repository_name: names, repository_id: ids } = object;
  if (refs != null) parsed.ref_name = parseIncludeExclude(refs, ['conditions', 'ref_name'], validator);
  if (names != null) {
    const path = ['conditions', 'repository_name'];
    const isProtected = (names as Record<string, unknown>).protected;
    if (isProtected != null && validator.boolean(isProtected, [...path, 'protected'])) {
      validator.addError(
        "Invalid conditions: 'protected' is not supported here, for no ruleset keeps repositories from being renamed.",
      );
    }
    parsed.repository_name = parseIncludeExclude(names, path, validator);
  }
  if (ids != null) {
    const path = ['conditions', 'repository_id'];
    const numbers = validator.object(ids, path)?.repository_ids;
    if (numbers === undefined) validator.addMissing('repository_ids');
    const list = validator.array(numbers ?? [], [...path, 'repository_ids'], patternLimits.maxItems) ?? [];
    const numbersOrErrors = list.map((item, index) =>
      validator.integer(item, [...path, 'repository_ids', index], [1, Number.MAX_SAFE_INTEGER]),
    );
    parsed.repository_id = { repository_ids: numbersOrErrors.flatMap(id => id ?? []) };
  }
  if (object.repository_property != null) {
    validator.addError(
      "Invalid conditions: 'repository_property' is not supported here, for repositories have no properties.",
    );
  }
  return parsed;
}

function parseIncludeExclude(
  input: unknown,
  path: DocumentPath,
  validator: DocumentValidator,
): { include: string[]; exclude: string[] } {
  const { include, exclude } = validator.object(input, path) ?? {};
  return {
    include: include == null ? [] : (validator.strings(include, [...path, 'include'], patternLimits) ?? []),
    exclude: exclude == null ? [] : (validator.strings(exclude, [...path, 'exclude'], patternLimits) ?? []),
  };
}

/** Adds errors for invalid patterns, and for conditions that this target or source cannot have. */
export function checkConditions(
  conditions: Conditions | null,
  { target, isOfOrganization }: { target: RulesetTargetValue; isOfOrganization: boolean },
  validator: DocumentValidator,
): void {
  const { ref_name: refs, repository_name: names, repository_id: ids } = conditions ?? {};
  const keywords = target === 'branch' ? ['~ALL', '~DEFAULT_BRANCH'] : ['~ALL'];
  const isRefPattern = (one: string): boolean =>
    keywords.includes(one) || (one.startsWith('refs/') && compileWildcard(one) !== undefined);
  const invalidPatterns = [...(refs?.include ?? []), ...(refs?.exclude ?? [])].filter(one => !isRefPattern(one));
  if (invalidPatterns.length > 0) validator.addError(`Invalid target patterns: ${quoteList(invalidPatterns)}`);
  if (refs && target === 'push')
    validator.addError("Invalid conditions: rulesets of the target push have no 'ref_name'.");
  if (!isOfOrganization) {
    if (names || ids) validator.addError('Invalid conditions: rulesets of a repository name no repositories.');
    return;
  }
  if (Boolean(names) === Boolean(ids)) {
    validator.addError(
      "Invalid conditions: rulesets of an organization have one of 'repository_name' and 'repository_id'.",
    );
  }
  const named = [...(names?.include ?? []), ...(names?.exclude ?? [])];
  const badNames = named.filter(one => one !== '~ALL' && (one === '' || one.startsWith('~') || !compileWildcard(one)));
  if (badNames.length > 0) validator.addError(`Invalid target patterns: ${quoteList(badNames)}`);
}
