import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import type { Conditions } from '../rules/conditions.ts';
import { fnmatch } from '../rules/fnmatch.ts';
import { quoted } from './read-rules.ts';
import type { Path, Shape } from './shape.ts';

/** Patterns in one list, and letters of one. */
const patterns = { most: 200, longest: 511 };

/** The conditions as they are stored: those that are known. What is wrong with their shape goes into `shape`. */
export function readConditions(given: unknown, shape: Shape): Conditions | null {
  if (given === null) return null;
  const object = shape.object(given, ['conditions']);
  if (!object) return null;
  const read: Conditions = {};
  const { ref_name: refs, repository_name: names, repository_id: ids } = object;
  if (refs != null) read.ref_name = lists(refs, ['conditions', 'ref_name'], shape);
  if (names != null) {
    const path = ['conditions', 'repository_name'];
    const isProtected = (names as Record<string, unknown>).protected;
    if (isProtected != null && shape.boolean(isProtected, [...path, 'protected'])) {
      shape.say(
        "Invalid conditions: 'protected' is not supported here, for no ruleset keeps repositories from being renamed.",
      );
    }
    read.repository_name = lists(names, path, shape);
  }
  if (ids != null) {
    const path = ['conditions', 'repository_id'];
    const numbers = shape.object(ids, path)?.repository_ids;
    if (numbers === undefined) shape.missing('repository_ids');
    const list = shape.list(numbers ?? [], [...path, 'repository_ids'], patterns.most) ?? [];
    const whole = list.map((one, at) =>
      shape.whole(one, [...path, 'repository_ids', at], [1, Number.MAX_SAFE_INTEGER]),
    );
    read.repository_id = { repository_ids: whole.flatMap(one => one ?? []) };
  }
  if (object.repository_property != null) {
    shape.say("Invalid conditions: 'repository_property' is not supported here, for repositories have no properties.");
  }
  return read;
}

function lists(given: unknown, path: Path, shape: Shape): { include: string[]; exclude: string[] } {
  const { include, exclude } = shape.object(given, path) ?? {};
  return {
    include: include == null ? [] : (shape.texts(include, [...path, 'include'], patterns) ?? []),
    exclude: exclude == null ? [] : (shape.texts(exclude, [...path, 'exclude'], patterns) ?? []),
  };
}

/** Refuses patterns that can match nothing, and conditions that a ruleset of this target or source cannot have. */
export function demandConditions(
  conditions: Conditions | null,
  { target, isOfOrganization }: { target: RulesetTargetValue; isOfOrganization: boolean },
  shape: Shape,
): void {
  const { ref_name: refs, repository_name: names, repository_id: ids } = conditions ?? {};
  const special = target === 'branch' ? ['~ALL', '~DEFAULT_BRANCH'] : ['~ALL'];
  const isRefPattern = (one: string): boolean =>
    special.includes(one) || (one.startsWith('refs/') && fnmatch(one) !== undefined);
  const wrong = [...(refs?.include ?? []), ...(refs?.exclude ?? [])].filter(one => !isRefPattern(one));
  if (wrong.length > 0) shape.say(`Invalid target patterns: ${quoted(wrong)}`);
  if (refs && target === 'push') shape.say("Invalid conditions: rulesets of the target push have no 'ref_name'.");
  if (!isOfOrganization) {
    if (names || ids) shape.say('Invalid conditions: rulesets of a repository name no repositories.');
    return;
  }
  if (Boolean(names) === Boolean(ids)) {
    shape.say("Invalid conditions: rulesets of an organization have one of 'repository_name' and 'repository_id'.");
  }
  const named = [...(names?.include ?? []), ...(names?.exclude ?? [])];
  const badNames = named.filter(one => one !== '~ALL' && (one === '' || one.startsWith('~') || !fnmatch(one)));
  if (badNames.length > 0) shape.say(`Invalid target patterns: ${quoted(badNames)}`);
}
