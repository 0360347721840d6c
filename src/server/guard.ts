import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { allow, and, type ShieldRule } from '../auth/graphql-shield.ts';
import { type FieldRules, shieldFields } from './shield.ts';

/** What decides about fields. */
export interface GuardOptions {
  /** By access scope. */
  rules: Readonly<Record<string, { about: string; rule: ShieldRule }>>;
  /** Scopes that need no rule below the root. */
  publicScopes: ReadonlySet<string>;
  /** By type, of its fields that have a scope: in addition to the rule of the scope. */
  ownerRules?: ReadonlyMap<string, ShieldRule>;
}

export interface GuardedField {
  type: string;
  field: string;
  scope: string;
}

/** The schema has an unprotected field; the message names it and the correction. */
export class GuardError extends Error {}

/**
 * Wraps, in place, every field of the schema with its rule: see `fieldRules`.
 * @throws GuardError for a field without a rule, a scope without a rule, or a field that was not wrapped
 */
export function guard(schema: GraphQLSchema, options: GuardOptions): GraphQLSchema {
  const rules = fieldRules(schema, options);
  const before = stepsOf(schema, rules);
  shieldFields(schema, rules);
  const after = stepsOf(schema, rules);
  for (const [name, step] of before) {
    const wrapped = after.get(name);
    if (wrapped === undefined || wrapped === step)
      throw new GuardError(`${name} has a rule but was not wrapped by it.`);
  }
  return schema;
}

/**
 * The rule of every field of every object type. A field with an access scope has the rule of its scope. A field below the root without
 * one has `allow`, because the rules of the fields that lead to its object have decided: a type that no field leads to is refused.
 * @throws GuardError for a field without a rule
 */
export function fieldRules(schema: GraphQLSchema, { rules, publicScopes, ownerRules }: GuardOptions): FieldRules {
  const roots = rootsOf(schema);
  const own: FieldRules = {};
  for (const { type, field, scope } of guardedFields(schema)) {
    const entry = Object.hasOwn(rules, scope) ? rules[scope] : undefined;
    if (!entry)
      throw new GuardError(
        `${type}.${field} has the access word «${scope}», which src/auth/access-rules.ts has no rule for.`,
      );
    if (publicScopes.has(scope) && !roots.some(({ name }) => name === type)) continue;
    const owner = ownerRules?.get(type);
    own[type] ??= {};
    own[type][field] = owner ? and(entry.rule, owner) : entry.rule;
  }
  const found: FieldRules = {};
  for (const type of typesBelow(schema, roots)) {
    const fields = Object.keys(type.getFields());
    found[type.name] = Object.fromEntries(fields.map(field => [field, own[type.name]?.[field] ?? allow]));
  }
  for (const type of objectTypes(schema)) {
    if (found[type.name]) continue;
    throw new GuardError(
      `The fields of ${type} have no rule: no field of another type leads to it. Remove the type, or give it such a field.`,
    );
  }
  return found;
}

/** Every field with an access scope, root fields first. @throws GuardError for a root field without one */
export function guardedFields(schema: GraphQLSchema): GuardedField[] {
  const roots = rootsOf(schema);
  const found: GuardedField[] = [];
  for (const root of roots) {
    for (const field of Object.values(root.getFields())) {
      const scope = scopeOf(field.extensions);
      if (scope === undefined)
        throw new GuardError(`${root}.${field.name} has no @Access word. Give it one beside its declaration.`);
      found.push({ type: root.name, field: field.name, scope });
    }
  }
  for (const type of objectTypes(schema)) {
    if (roots.includes(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const scope = scopeOf(field.extensions);
      if (scope !== undefined) found.push({ type: type.name, field: field.name, scope });
    }
  }
  assertInterfaceScopes(schema, found);
  return found;
}

/** Only fields of object types are resolved, so a scope on an interface must be repeated on each of its types. */
function assertInterfaceScopes(schema: GraphQLSchema, guarded: GuardedField[]): void {
  const words = new Map(guarded.map(({ type, field, scope }) => [`${type}.${field}`, scope]));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const word = scopeOf(field.extensions);
      for (const { name } of word === undefined ? [] : schema.getPossibleTypes(type)) {
        if (words.get(`${name}.${field.name}`) === word) continue;
        throw new GuardError(`${type}.${field.name} has the access word «${word}», but ${name}.${field.name} has not.`);
      }
    }
  }
}

function scopeOf(extensions: Readonly<Record<string, unknown>>): string | undefined {
  return typeof extensions.access === 'string' ? extensions.access : undefined;
}

function rootsOf(schema: GraphQLSchema): GraphQLObjectType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.filter(root => root !== undefined && root !== null);
}

function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'));
}

/** Object types that fields of `roots` lead to, over any number of fields; `roots` included. */
function typesBelow(schema: GraphQLSchema, roots: readonly GraphQLObjectType[]): Set<GraphQLObjectType> {
  const found = new Set(roots);
  // A set yields what is added while it is read.
  for (const type of found) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (isAbstractType(next)) for (const one of schema.getPossibleTypes(next)) found.add(one);
      else if (isObjectType(next)) found.add(next);
    }
  }
  return found;
}

/** The functions of the fields that have another rule than `allow`, by `Type.field`. */
function stepsOf(schema: GraphQLSchema, rules: FieldRules): Map<string, unknown> {
  const steps = new Map<string, unknown>();
  for (const [name, ofType] of Object.entries(rules)) {
    const type = schema.getType(name);
    const fields = isObjectType(type) ? type.getFields() : {};
    // A subscription starts with `subscribe`.
    const step = type === schema.getSubscriptionType() ? 'subscribe' : 'resolve';
    for (const [field, rule] of Object.entries(ofType))
      if (rule !== allow) steps.set(`${name}.${field}`, fields[field]?.[step]);
  }
  return steps;
}
