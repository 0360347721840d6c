import {
  type GraphQLFieldMap,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { shieldFields } from './shield.ts';

/** Decides from arguments, context and, below the root, the object of the field. Returns true or the error to respond with. */
export type Guard<C> = (
  args: Record<string, unknown>,
  context: C,
  parent?: { type: string; row: unknown },
) => true | Error;
export type GuardTable<C> = Record<string, { about: string; rule: Guard<C> }>;
export interface GuardedField {
  type: string;
  field: string;
  scope: string;
}

/** The schema has an unprotected field; the message names it and the correction. */
export class GuardError extends Error {}

/**
 * Wraps, in place, every field that has an access scope with the rule of that scope. Fields with a scope in `open` stay unwrapped.
 * @throws GuardError for a root field without a scope, a scope without a rule, or a field that was not wrapped
 */
export function guard<C>(
  schema: GraphQLSchema,
  table: GuardTable<C>,
  publicScopes: ReadonlySet<string>,
): GraphQLSchema {
  const decisions: Record<string, Record<string, Guard<C>>> = {};
  for (const { type, field, scope } of guardedFields(schema)) {
    const entry = Object.hasOwn(table, scope) ? table[scope] : undefined;
    if (!entry)
      throw new GuardError(
        `${type}.${field} has the access word «${scope}», which src/auth/access-rules.ts has no rule for.`,
      );
    if (publicScopes.has(scope)) continue;
    decisions[type] ??= {};
    decisions[type][field] = entry.rule;
  }
  const before = resolversOf(schema, decisions);
  const subscription = schema.getSubscriptionType();
  const { [String(subscription)]: starts = {}, ...rest } = decisions;
  shieldFields(schema, rest);
  guardSubscriptions(subscription, starts);
  const after = resolversOf(schema, decisions);
  for (const [name, resolve] of before) {
    const wrapped = after.get(name);
    if (wrapped === undefined || wrapped === resolve)
      throw new GuardError(`${name} has a rule but was not wrapped by it.`);
  }
  return schema;
}

/**
 * Wraps `subscribe` of subscriptions. graphql-middleware wraps `resolve` of a field that has one and would leave `subscribe`
 * unprotected. The rule runs once at the start; the subscription itself filters events by rows.
 */
function guardSubscriptions<C>(type: GraphQLObjectType | null | undefined, decisions: Record<string, Guard<C>>): void {
  for (const [name, decide] of Object.entries(decisions)) {
    const field = type?.getFields()[name];
    const start = field?.subscribe;
    if (!field || !start) continue;
    field.subscribe = (root, args, context, info) => {
      const verdict = decide(args, context);
      if (verdict !== true) throw verdict;
      return start(root, args, context, info);
    };
  }
}

/** Every field with an access scope, root fields first. @throws GuardError for a root field without one */
export function guardedFields(schema: GraphQLSchema): GuardedField[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const found: GuardedField[] = [];
  for (const root of roots) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const scope = scopeOf(field.extensions);
      if (scope === undefined)
        throw new GuardError(`${root}.${field.name} has no @Access word. Give it one beside its declaration.`);
      found.push({ type: String(root), field: field.name, scope });
    }
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || roots.includes(type) || type.name.startsWith('__')) continue;
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

function resolversOf(schema: GraphQLSchema, decisions: Record<string, Record<string, unknown>>): Map<string, unknown> {
  const resolvers = new Map<string, unknown>();
  for (const [typeName, fields] of Object.entries(decisions)) {
    const type = schema.getType(typeName);
    const all: GraphQLFieldMap<unknown, unknown> = isObjectType(type) ? type.getFields() : {};
    // A subscription starts with `subscribe`.
    const step = type === schema.getSubscriptionType() ? 'subscribe' : 'resolve';
    for (const field of Object.keys(fields)) resolvers.set(`${typeName}.${field}`, all[field]?.[step]);
  }
  return resolvers;
}
