import { parametersField, type RepositoryRuleInput } from '../../../schema/hosting/rule.ts';
import { type ParameterTypes, parameterTypes } from '../../../schema/hosting/rule-parameters.ts';
import type { RepositoryRulesetBypassActorInput } from '../../../schema/hosting/ruleset-bypass-actor.ts';
import type {
  RepositoryRuleConditions,
  RepositoryRuleConditionsInput,
} from '../../../schema/hosting/ruleset-conditions.ts';
import { decodeGlobalId, encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { badInput } from '../../errors/errors.ts';
import type { Conditions } from '../rules/conditions.ts';
import type { Rule } from '../rules/rule.ts';
import { knownParameters } from './parse-rules.ts';

/**
 * Stored documents have the keys of the REST contract in snake case, values of the graph those of its types in camel case. Enums
 * convert their values themselves. So one function serves all types.
 */
type Json = Readonly<Record<string, unknown>>;

function mapKeys(value: object, rename: (key: string) => string): Json {
  // Inputs have absent fields as undefined; documents lack them.
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [rename(key), mapKeysBelow(one, rename)]));
}

function mapKeysBelow(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map(one => mapKeysBelow(one, rename));
  return typeof value === 'object' && value !== null ? mapKeys(value, rename) : value;
}

const toDocument = (value: object): Json =>
  mapKeys(value, key => (key === 'databaseId' ? 'id' : key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)));

const typesByRule: Readonly<Record<string, ParameterTypes | undefined>> = parameterTypes;

/** Parameters of a rule as a value of the union `RuleParameters`; null for a type without. */
export function parametersOfRule({ type, parameters }: Pick<Rule, 'type' | 'parameters'>): object | null {
  const types = typesByRule[type];
  if (!types) return null;
  const field = parametersField(type);
  const typeName = `${field.charAt(0).toUpperCase()}${field.slice(1)}Parameters`;
  const stored = mapKeys(knownParameters(type, parameters ?? {}), key =>
    key === 'id' ? 'databaseId' : parametersField(key),
  );
  const copies = Object.entries(types.copies).map(([copy, of]) => [copy, stored[of] ?? null]);
  return { __typename: typeName, ...types.fallbacks, ...stored, ...Object.fromEntries(copies) };
}

/**
 * The document of a rule.
 * @throws GraphQLError BAD_USER_INPUT for parameters of another rule type
 */
export function ruleDocument({ type, parameters }: RepositoryRuleInput, index: number): Json {
  const given = Object.entries(parameters ?? {}).filter(([, value]) => value != null);
  const own = parametersField(type);
  const [other] = given.find(([name]) => name !== own || !typesByRule[type]) ?? [];
  if (other !== undefined) {
    const field = `rules.${index}.parameters.${other}`;
    throw badInput(`${field} are no parameters of the rule type ${type.toUpperCase()}.`, field);
  }
  const [, value] = given[0] ?? [];
  return value === undefined ? { type } : { type, parameters: toDocument(value as object) };
}

/** Conditions as the graph has them. */
export function conditionsOf(stored: Conditions | null): RepositoryRuleConditions {
  const { ref_name: refName = null, repository_name: repositoryName = null } = stored ?? {};
  const ids = stored?.repository_id?.repository_ids;
  return {
    refName,
    repositoryName: repositoryName && { ...repositoryName, protected: false },
    repositoryId: ids
      ? { repositoryIds: ids.map(id => encodeGlobalId('Repository', id)), repositoryDatabaseIds: ids }
      : null,
  };
}

/** @throws GraphQLError BAD_USER_INPUT for ids of other types, and for repositories in two ways */
export function conditionsDocument({ repositoryId, ...others }: RepositoryRuleConditionsInput): Json {
  const { repositoryIds, repositoryDatabaseIds } = repositoryId ?? {};
  if (repositoryIds != null && repositoryDatabaseIds != null) {
    const field = 'conditions.repositoryId';
    throw badInput(`${field} must have ids or numbers, and not both.`, field);
  }
  const ids = repositoryIds?.map(id => numberOfId('Repository', id, 'conditions.repositoryId.repositoryIds'));
  return {
    ...toDocument(others),
    ...(repositoryId == null ? {} : { repository_id: { repository_ids: ids ?? repositoryDatabaseIds ?? undefined } }),
  };
}

/** @throws GraphQLError BAD_USER_INPUT unless exactly one actor is named */
export function bypassActorDocument(
  { bypassMode, actorType, actorDatabaseId, ...actor }: RepositoryRulesetBypassActorInput,
  index: number,
): Json {
  const field = `bypassActors.${index}`;
  const named = Object.entries(actor).filter(([, value]) => value != null && value !== false);
  const [[name, value] = []] = named;
  if (actorType != null && name === undefined)
    return { actor_type: actorType, actor_id: actorDatabaseId, bypass_mode: bypassMode };
  if (name === undefined || named.length > 1 || actorType != null || actorDatabaseId != null)
    throw badInput(`${field} must have exactly one field beside the mode, or the type of the actor.`, field);
  return { ...actorDocument(name, value, field), bypass_mode: bypassMode };
}

function actorDocument(name: string, value: unknown, field: string): Json {
  switch (name) {
    case 'actorId': {
      const actor_id = numberOfId(['App', 'User'], String(value), `${field}.actorId`);
      return { actor_id, actor_type: decodeGlobalId(String(value))?.type === 'App' ? 'Integration' : 'User' };
    }
    case 'organizationAdmin':
      return { actor_type: 'OrganizationAdmin' };
    case 'repositoryRoleDatabaseId':
      return { actor_id: value, actor_type: 'RepositoryRole' };
    case 'deployKey':
      return { actor_type: 'DeployKey' };
    default:
      throw badInput(`${field}.${name} is not supported here, for there are no enterprises.`, `${field}.${name}`);
  }
}

/** Keys of the items of a document, such as `7:update:0`: they hold while items of other labels come and go. */
export function itemKeys(rulesetId: number, labels: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return labels.map(label => {
    const position = seen.get(label) ?? 0;
    seen.set(label, position + 1);
    return `${rulesetId}:${label}:${position}`;
  });
}

/** Number of the ruleset in a key of `itemKeys`; undefined if the text is no such key. */
export function rulesetOfItem(key: string): number | undefined {
  const [, digits] = /^([1-9]\d{0,14}):[\w-]+:\d{1,4}$/.exec(key) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Checks the id of a rule to write: a client that names a rule of another ruleset or of another type has mixed something up.
 * @throws GraphQLError BAD_USER_INPUT
 */
export function assertRuleId({ id, type }: RepositoryRuleInput, index: number, rulesetId: number | undefined): void {
  if (id == null) return;
  const decoded = decodeGlobalId(id);
  const isOwn =
    decoded?.type === 'RepositoryRule' &&
    rulesetOfItem(decoded.key) === rulesetId &&
    decoded.key.split(':')[1] === type;
  if (isOwn && rulesetId !== undefined) return;
  const field = `rules.${index}.id`;
  throw badInput(`${field} is no rule of this ruleset and type.`, field);
}
