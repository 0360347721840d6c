import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isOutputType,
  Kind,
  parseType,
  typeFromAST,
} from 'graphql';
import { requireDirective } from './directives.ts';
import type { FileProblems } from './operation-problems.ts';
import { pointedFloat } from './pointed-float.ts';
import type { JsonSchema } from './product.ts';
import { enterField, type SelectionLevel, type SelectionWalker } from './selection-walker.ts';

/** Changes to a value of the result before it is sent, in the order of these properties. Fields without changes have no rules. */
export interface FieldRules {
  /** Replaces the value. */
  constant: Constant | undefined;
  /** Replaces a Boolean by its opposite. */
  not: boolean;
  /** Makes a URL of a value that is not null. */
  url: UrlParts | undefined;
  /** Of an object: key of the value that replaces it. */
  pluck: string | undefined;
  /** Of a list of objects: the keys whose values are key and value of the object that replaces it. */
  keyed: readonly [string, string] | undefined;
  /** Replaces null. */
  ifNull: Pick<Constant, 'value'> | undefined;
  header: string | undefined;
  /** Whether links are made of the value, which is not printed: `@page` inside the body. */
  isPage: boolean;
  omitNull: boolean;
  /** API version from which on the key is omitted. */
  removedIn: string | undefined;
  children: readonly ChildRules[];
  /** Of an object with keys of others in it (`@spread`): all keys that are published, in their order; undefined for other objects. */
  keys: readonly PublishedKey[] | undefined;
}

interface PublishedKey {
  key: string;
  /** Key of the object that the key is taken from; undefined for the object itself. */
  from: string | undefined;
}

interface ChildRules {
  key: string;
  rules: FieldRules;
}

/** The arguments of `@const`. */
export interface Constant {
  value: unknown;
  /** Published type, in SDL; undefined if it follows from the value. */
  type?: string | null;
}

interface UrlParts {
  base: keyof UrlBases;
  prefix: string;
  path?: string | null;
  suffix: string;
}

/** What published URLs begin with, by the names of `RestUrlBase`. */
export interface UrlBases {
  API: string;
  ORIGIN: string;
}

interface RulesOptions {
  /** With the facade's directives. */
  schema: GraphQLSchema;
  walker: SelectionWalker;
  problems: FileProblems;
  /** Name of the header of a field with `@header`. */
  headerOf: (field: FieldNode, type: GraphQLOutputType, inList: boolean) => string | undefined;
}

/**
 * Reads the rules of all fields of an object.
 * @param levels selections of the same object in several places
 * @returns undefined if there are no rules
 */
export function readFieldRules(
  options: RulesOptions,
  levels: readonly SelectionLevel[],
  inList: boolean,
): FieldRules | undefined {
  const { schema, walker, problems, headerOf } = options;
  const byKey = new Map<string, { field: FieldNode; type: GraphQLOutputType }[]>();
  for (const level of levels) {
    for (const { field, key, type } of walker.fieldsOf(level)) {
      byKey.set(key, [...(byKey.get(key) ?? []), { field, type }]);
    }
  }
  const children: ChildRules[] = [];
  for (const [key, selections] of byKey) {
    const changes = selections.map(({ field, type }) => ({
      constant: readConstant(field, type, schema, problems),
      ifNull: ifNullOf(field, schema),
      not: readNot(field, type, problems),
      url: readUrl(field, type, schema, problems),
      pluck: readPluck(field, type, walker, problems),
      keyed: readKeyed(field, type, schema, walker, problems),
      header: headerOf(field, type, inList),
      isPage: hasDirective(field, 'page'),
      omitNull: hasDirective(field, 'omitNull'),
      removedIn: removedInOf(field, schema),
    }));
    const [first, ...others] = changes;
    if (!first) continue;
    // One key has one schema in the OpenAPI document, wherever it is selected.
    const report = (reason: string): void => problems.report(reason, selections[1]?.field);
    if (others.some(({ omitNull }) => omitNull !== first.omitNull))
      report(`${key} is selected with @omitNull and without.`);
    if (others.some(({ not }) => not !== first.not)) report(`${key} is selected with @not and without.`);
    if (others.some(({ removedIn }) => removedIn !== first.removedIn))
      report(`${key} is selected with different @removedIn.`);
    if (others.some(({ header }) => header !== first.header)) report(`${key} is selected with different headers.`);
    if (others.some(({ pluck }) => pluck !== first.pluck)) report(`${key} is selected with different @pluck.`);
    if (others.some(({ keyed }) => !isSame(keyed, first.keyed))) report(`${key} is selected with different @keyed.`);
    if (others.some(other => !isSame(other.constant, first.constant) || !isSame(other.url, first.url)))
      report(`${key} is selected with different @const or @url.`);
    if (others.some(other => !isSame(other.ifNull, first.ifNull))) report(`${key} is selected with different @ifNull.`);
    const below = selections.flatMap(({ field, type }) => enterField(field, type) ?? []);
    const inner = readFieldRules(options, below, inList || selections.some(({ type }) => isList(type)));
    for (const { field } of selections) {
      const type = asTypeOf(field, schema);
      if (type !== undefined && !parsePublishedType(type, schema))
        problems.report(`«${type}» of @as is not a type of the graph.`, field);
    }
    if (!inner && Object.values(first).every(one => one === undefined || one === false)) continue;
    children.push({ key, rules: { ...first, children: inner?.children ?? [], keys: inner?.keys } });
  }
  const spreads = [...byKey.values()].flat().some(({ field }) => hasDirective(field, 'spread'));
  const keys = spreads ? publishedKeys(walker, levels, problems) : undefined;
  if (children.length === 0 && !keys) return undefined;
  return { ...noChange, children, keys };
}

/** The keys of an object in the order of its selections, with those of `@spread` in their places. */
function publishedKeys(
  walker: SelectionWalker,
  levels: readonly SelectionLevel[],
  problems: FileProblems,
): PublishedKey[] {
  const { report } = problems;
  const published = new Map<string, PublishedKey>();
  for (const { field, key, type } of levels.flatMap(level => [...walker.fieldsOf(level)])) {
    const level = enterField(field, type);
    if (!hasDirective(field, 'spread')) {
      if (published.has(key) && published.get(key)?.from !== undefined) report(`${key} is spread and selected.`, field);
      published.set(key, published.get(key) ?? { key, from: undefined });
    } else if (!level || isList(type)) report(`@spread needs one object, and ${field.name.value} is none.`, field);
    else {
      for (const inner of publishedKeys(walker, [level], problems)) {
        const other = published.get(inner.key);
        if (other && other.from !== key) report(`${inner.key} of ${field.name.value} is selected twice.`, field);
        published.set(inner.key, other ?? { key: inner.key, from: key });
      }
    }
  }
  return [...published.values()];
}

const noChange = {
  ...{
    constant: undefined,
    ifNull: undefined,
    url: undefined,
    pluck: undefined,
    keyed: undefined,
    header: undefined,
    isPage: false,
  },
  ...{ not: false, omitNull: false, removedIn: undefined },
};

function removedInOf(field: FieldNode, schema: GraphQLSchema): string | undefined {
  return getDirectiveValues(requireDirective(schema, 'removedIn'), field)?.version as string | undefined;
}

function ifNullOf(field: FieldNode, schema: GraphQLSchema): FieldRules['ifNull'] {
  return getDirectiveValues(requireDirective(schema, 'ifNull'), field) as FieldRules['ifNull'];
}

/** The constant of a field; undefined if it has none. `problems` gets what is wrong with it. */
export function readConstant(
  field: FieldNode,
  type: GraphQLOutputType,
  schema: GraphQLSchema,
  { report }: FileProblems,
): Constant | undefined {
  const constant = constantOf(field, schema);
  if (!constant) return undefined;
  if (enterField(field, type)) report(`@const replaces a value and not the object ${field.name.value}.`, field);
  if (constant.type != null) {
    const published = parsePublishedType(constant.type, schema);
    if (!published) report(`«${constant.type}» of @const is not a type of the graph.`, field);
    if (constant.value === null && isNonNullType(published)) report(`null of @const is not a ${constant.type}.`, field);
  }
  return publishedType(constant, schema) === GraphQLFloat.name
    ? { ...constant, value: pointedFloat(constant.value) }
    : constant;
}

/** Name of the type that a constant states, without its wrappers; undefined if it states none. */
function publishedType({ type }: Constant, schema: GraphQLSchema): string | undefined {
  const published = type == null ? undefined : parsePublishedType(type, schema);
  return published && getNamedType(published).name;
}

function readNot(field: FieldNode, type: GraphQLOutputType, { report }: FileProblems): boolean {
  const isGiven = hasDirective(field, 'not');
  if (isGiven && getNullableType(type) !== GraphQLBoolean)
    report(`@not needs a Boolean, and ${field.name.value} is none.`, field);
  return isGiven;
}

function readUrl(
  field: FieldNode,
  type: GraphQLOutputType,
  schema: GraphQLSchema,
  { report }: FileProblems,
): UrlParts | undefined {
  const url = getDirectiveValues(requireDirective(schema, 'url'), field) as unknown as UrlParts | undefined;
  if (url && !isLeafType(getNullableType(type)))
    report(`@url needs a single value, and ${field.name.value} is none.`, field);
  if (url?.path != null && url.prefix !== '') report('@url has a prefix or a path, not both.', field);
  return url;
}

/** The key of the field that replaces the object of a field with `@pluck`; undefined if it has none. */
function readPluck(
  field: FieldNode,
  type: GraphQLOutputType,
  walker: SelectionWalker,
  { report }: FileProblems,
): string | undefined {
  if (!hasDirective(field, 'pluck')) return undefined;
  const level = enterField(field, type);
  const [inner, second] = level ? walker.fieldsOf(level) : [];
  if (!inner || second || isList(type) || field.selectionSet?.selections[0]?.kind !== Kind.FIELD)
    report(`@pluck needs one object with one field, and ${field.name.value} is none.`, field);
  return inner?.key;
}

/** The keys of key and value of a field with `@keyed`; undefined if it has none. */
export function readKeyed(
  field: FieldNode,
  type: GraphQLOutputType,
  schema: GraphQLSchema,
  walker: SelectionWalker,
  { report }: FileProblems,
): readonly [string, string] | undefined {
  const by = getDirectiveValues(requireDirective(schema, 'keyed'), field)?.by as string | undefined;
  if (by === undefined) return undefined;
  const level = isList(type) ? enterField(field, type) : undefined;
  const keys = level ? [...walker.fieldsOf(level)].map(({ key }) => key) : [];
  const other = keys.find(key => key !== by);
  if (keys.length === 2 && keys.includes(by) && other !== undefined) return [by, other];
  report(`@keyed needs a list of objects with ${by} and another key, and ${field.name.value} is none.`, field);
  return undefined;
}

/** The schema of a field's constant, URL or other published type; undefined for other fields. */
export function replacedSchema(
  field: FieldNode,
  type: GraphQLOutputType | undefined,
  schema: GraphQLSchema,
  schemaOf: (type: GraphQLOutputType) => JsonSchema,
): JsonSchema | undefined {
  const constant = constantOf(field, schema);
  const asType = asTypeOf(field, schema);
  const published = asType === undefined ? undefined : parsePublishedType(asType, schema);
  if (published) return schemaOf(published);
  if (hasDirective(field, 'url')) {
    const isNullable = constant ? constant.value === null : type !== undefined && !isNonNullType(type);
    return schemaOf(isNullable ? GraphQLString : new GraphQLNonNull(GraphQLString));
  }
  if (!constant) return undefined;
  const { value } = constant;
  const typeOfConstant = constant.type == null ? typeOfJson(value) : parsePublishedType(constant.type, schema);
  return typeOfConstant ? schemaOf(typeOfConstant) : schemaOfJson(value);
}

/** The schema of exactly the keys of an object; lists may have any items. */
function schemaOfJson(value: unknown): JsonSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', items: {} };
  if (typeof value !== 'object') return { type: Number.isInteger(value) ? 'integer' : typeof value };
  const properties = Object.entries(value as object).map(([key, inner]) => [key, schemaOfJson(inner)]);
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(value as object) };
}

function constantOf(field: FieldNode, schema: GraphQLSchema): Constant | undefined {
  return getDirectiveValues(requireDirective(schema, 'const'), field) as unknown as Constant | undefined;
}

function asTypeOf(field: FieldNode, schema: GraphQLSchema): string | undefined {
  return getDirectiveValues(requireDirective(schema, 'as'), field)?.type as string | undefined;
}

/** A published type in SDL; undefined if the schema lacks it. */
export function parsePublishedType(text: string, schema: GraphQLSchema): GraphQLOutputType | undefined {
  try {
    const type = typeFromAST(schema, parseType(text) as never);
    return isOutputType(type) ? type : undefined;
  } catch {
    return undefined;
  }
}

/** The type of a value that is neither null, a list nor an object. */
function typeOfJson(value: unknown): GraphQLOutputType | undefined {
  if (typeof value === 'boolean') return new GraphQLNonNull(GraphQLBoolean);
  if (typeof value === 'string') return new GraphQLNonNull(GraphQLString);
  if (typeof value === 'number') return new GraphQLNonNull(Number.isInteger(value) ? GraphQLInt : GraphQLFloat);
  return undefined;
}

export function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

export function hasDirective(field: FieldNode, name: string): boolean {
  return field.directives?.some(one => one.name.value === name) === true;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
