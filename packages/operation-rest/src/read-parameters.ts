import {
  type DocumentNode,
  type EnumValueNode,
  GraphQLEnumType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type BooleanArguments, booleanOf, booleanParameter, publishBoolean } from './boolean-parameters.ts';
import { findDirectiveValues } from './directives.ts';
import { parsePublishedType } from './field-rules.ts';
import { nameEncoder, publishKey, publishName } from './global-ids.ts';
import { type InputKeywords, keywordsOfVariables } from './input-keywords.ts';
import {
  publishCursorKey,
  publishFlag,
  publishKeyed,
  publishKnownValues,
  publishPageNumber,
  publishSortKeys,
} from './list-parameters.ts';
import {
  bodyMethods,
  type Method,
  type NamedId,
  type NegotiatedVariable,
  type Parameter,
  type WordVariable,
} from './operation.ts';
import type { FileProblems } from './operation-problems.ts';
import { pathParameterNames } from './route-table.ts';
import { publishedValueName } from './wire-schema.ts';
import { asSent, descriptionOf, plainParameter, readWords, wordParameters } from './word-parameters.ts';

/**
 * Makes the parameters of an endpoint from the variables of its operation.
 * @param document the operation with its fragments, in the wire's spelling like `schema`
 * @param problems gets the variables that cannot be sent over HTTP
 */
export function readParameters(
  definition: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
  { method, path }: { method: Method; path: string },
  problems: FileProblems,
): { parameters: Parameter[]; negotiated: NegotiatedVariable[]; namedIds: NamedId[]; wordVariables: WordVariable[] } {
  const { report } = problems;
  const nodes = definition.variableDefinitions ?? [];
  const hasNullable = nodes.some(one => one.type.kind !== Kind.NON_NULL_TYPE);
  const nonNull = hasNullable ? variablesInNonNullPositions(document, schema) : new Set<string>();
  const inputs = keywordsOfVariables(document, schema);
  const isAgreed = (node: VariableDefinitionNode): boolean =>
    node.directives?.some(one => one.name.value === 'negotiated') === true;
  const negotiated = nodes.filter(isAgreed).map(node => readNegotiatedVariable(node, schema, problems));
  const namesOf = (node: VariableDefinitionNode): Record<string, string> | undefined =>
    findDirectiveValues(node, schema, 'globalId')?.by as Record<string, string> | undefined;
  const namedIds: NamedId[] = [];
  const wordVariables = nodes.flatMap(node => readWords(node, schema, problems) ?? []);
  const parameters: Parameter[] = [];
  for (const node of nodes) {
    const names = namesOf(node);
    const word = wordVariables.find(one => one.variable.name === node.variable.name.value);
    if (word) {
      if (parameters.some(one => one.name === word.variable.of)) continue;
      for (const one of wordParameters(node, word, wordVariables, schema, problems)) parameters.push(one);
    } else if (names) {
      namedIds.push(readNamedId(node, Object.keys(names), schema, problems));
      // Several variables may be made of one parameter, which may be a variable as well.
      const isKnown = (name: string): boolean =>
        nodes.some(one => one.variable.name.value === name) || parameters.some(one => one.name === name);
      for (const [name, about] of Object.entries(names))
        if (!isKnown(name)) parameters.push({ ...plainParameter(name, GraphQLString, about), ...requiredText });
    } else if (!isAgreed(node)) {
      const beside = readBooleanBeside(node, schema, problems);
      if (beside) parameters.push(beside);
      const parameter = readParameter(node, document, schema, { nonNull, inputs }, problems);
      const header = readHeaderBeside(node, parameter, schema, problems);
      if (header) parameters.push(header, { ...parameter, header: undefined, headerName: undefined });
      else parameters.push(parameter);
    }
  }
  const nodeOf = (name: string): VariableDefinitionNode | undefined =>
    nodes.find(one => one.variable.name.value === name);
  const inPath = pathParameterNames(path);
  for (const name of inPath) {
    const parameter = parameters.find(one => one.name === name);
    if (!parameter) report(`The path parameter {${name}} is not a variable.`, definition);
    else if (!parameter.required)
      report(`$${name} is a path parameter and must be non-null without a default.`, nodeOf(name));
    else if (!isLeafType(getNullableType(parameter.type)))
      report(`$${name} is a path parameter and must be a scalar or an enum.`, nodeOf(name));
  }
  for (const { name, by } of namedIds) {
    const other = by.find(one => !inPath.includes(one));
    if (other !== undefined) report(`$${name} is made of ${other}, which is no parameter of the path.`, nodeOf(name));
  }
  const fromQuery = new Set(nodes.filter(node => findDirectiveValues(node, schema, 'fromQuery')).map(nameOf));
  for (const parameter of parameters) {
    const { name, header } = parameter;
    const places: Parameter['place'][] = [];
    if (inPath.includes(name)) places.push('path');
    if (header !== undefined) places.push('header');
    if (fromQuery.has(name)) places.push('query');
    parameter.place = places[0] ?? (bodyMethods.has(method) ? 'body' : 'query');
    if (places.length > 1) report(`$${name} would be read from ${places.join(' and ')}: one place only.`, nodeOf(name));
  }
  const used = new Set<string>();
  for (const { name, aliases, type, header, separator, excludes, place } of parameters) {
    const node = nodeOf(name);
    for (const one of [name, ...aliases]) {
      if (used.has(one)) report(`Two variables have the name ${one}.`, node);
      used.add(one);
    }
    if (separator !== undefined && (separator === '' || !isListOfTexts(type)))
      report(`$${name} cannot be split: it is not a list of strings or enum values, or its separator is empty.`, node);
    if (header !== undefined && !isLeafType(getNullableType(type)))
      report(`$${name} is not a single value and cannot be read from a header.`, node);
    if (place === 'query' && isInputObjectType(getNamedType(type)))
      report(
        `$${name} is an object, and a ${bodyMethods.has(method) ? 'query string has none' : `${method} has no body`}.`,
        node,
      );
    const unknown = excludes?.parameters.find(other => !parameters.some(one => one.name === other));
    if (unknown !== undefined) report(`${name} excludes ${unknown}, which is no parameter.`, node);
  }
  return { parameters, negotiated, namedIds, wordVariables: wordVariables.map(one => one.variable) };
}

function readNamedId(
  node: VariableDefinitionNode,
  by: readonly string[],
  schema: GraphQLSchema,
  { refuse }: FileProblems,
): NamedId {
  const name = node.variable.name.value;
  const type = typeFromAST(schema, node.type as never) as GraphQLInputType;
  const { of } = findDirectiveValues(node, schema, 'globalId') as { of: string };
  const encodeNames = nameEncoder(name, type, of, schema, reason => refuse(reason, node));
  return { name, type, required: true, defaultValue: undefined, by, encodeNames };
}

/** Of a parameter of the path that is a part of a global ID. */
const requiredText = { type: new GraphQLNonNull(GraphQLString), required: true, nullable: false } as const;

/** The parameter of `@boolean(name:)`; undefined for a variable without one. */
function readBooleanBeside(
  node: VariableDefinitionNode,
  schema: GraphQLSchema,
  { refuse }: FileProblems,
): Parameter | undefined {
  const { name, ...given } = (findDirectiveValues(node, schema, 'boolean') ?? {}) as Partial<BooleanArguments>;
  if (name == null || !given.as) return undefined;
  const type = typeFromAST(schema, node.type as never) as GraphQLInputType;
  const made = { ...given, as: given.as, name };
  return {
    ...plainParameter(name, type, undefined),
    ...booleanParameter(node.variable.name.value, type, made, reason => refuse(reason, node)),
  };
}

/** The parameter of `@fromHeader(orParameter: true)`, which fills the variable in front of its own parameter; undefined for others. */
function readHeaderBeside(
  node: VariableDefinitionNode,
  { name, header, headerName, type, variableType, description, nullable, required }: Parameter,
  schema: GraphQLSchema,
  { refuse }: FileProblems,
): Parameter | undefined {
  if (header === undefined || headerName === undefined) return undefined;
  const { orParameter } = findDirectiveValues(node, schema, 'fromHeader') as { orParameter: boolean };
  if (!orParameter) return undefined;
  if (required || !nullable) refuse(`$${name} has @fromHeader(orParameter: true), and must be nullable.`, node);
  return { ...plainParameter(headerName, type, description), variableType, fallbackOf: name, header, headerName };
}

const nameOf = (node: VariableDefinitionNode): string => node.variable.name.value;

function readNegotiatedVariable(
  node: VariableDefinitionNode,
  schema: GraphQLSchema,
  { report }: FileProblems,
): NegotiatedVariable {
  const name = node.variable.name.value;
  const type = typeFromAST(schema, node.type as never) as GraphQLInputType;
  const { on } = findDirectiveValues(node, schema, 'negotiated') as { on: NegotiatedVariable['on'] };
  // A request without Accept asks for no form, so that the variable needs a value.
  if (on === 'MEDIA_TYPE' && isNonNullType(type) && node.defaultValue === undefined)
    report(`$${name} is negotiated by Accept and needs a default.`, node);
  const named = getNamedType(type);
  return {
    name,
    on,
    type,
    required: isNonNullType(type) && node.defaultValue === undefined,
    choices: isEnumType(named) ? new Set(named.getValues().map(one => one.name)) : undefined,
    defaultValue: node.defaultValue && valueFromASTUntyped(node.defaultValue),
  };
}

function isListOfTexts(type: Parameter['type']): boolean {
  const list = getNullableType(type);
  if (!isListType(list)) return false;
  const item = getNullableType(list.ofType);
  return item === GraphQLString || isEnumType(item);
}

function readParameter(
  node: VariableDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
  { nonNull, inputs }: { nonNull: ReadonlySet<string>; inputs: ReadonlyMap<string, InputKeywords> },
  { refuse }: FileProblems,
): Parameter {
  const name = node.variable.name.value;
  const type = typeFromAST(schema, node.type as never) as Parameter['type'] | undefined;
  // Cannot happen after validation; narrows the type.
  if (!type) throw new TypeError(`$${name} has an unknown type.`);
  const directiveValues = (called: string): Record<string, unknown> | undefined =>
    findDirectiveValues(node, schema, called);
  const globalId = directiveValues('globalId') as { of: string; named: boolean } | undefined;
  const boolean = directiveValues('boolean') as BooleanArguments | undefined;
  const headerName = directiveValues('fromHeader')?.name as string | undefined;
  const sortKeys = directiveValues('sortKeys');
  const asType = directiveValues('as')?.type as string | undefined;
  const flagTexts = directiveValues('flag');
  const refuseNode = (reason: string): never => refuse(reason, node);
  const publishId = globalId?.named ? publishName : publishKey;
  const published = boolean && boolean.name == null ? publishBoolean(name, type, boolean, refuseNode) : undefined;
  const literal = node.defaultValue && valueFromASTUntyped(node.defaultValue);
  const documented = asType === undefined ? undefined : documentedType(name, type, asType, schema, refuseNode);
  const keyedBy = directiveValues('keyed')?.by as string | undefined;
  return {
    name,
    ...{ type, variableType: type },
    ...asSent,
    ...(globalId ? publishId(name, type, globalId.of, schema, refuseNode) : {}),
    ...published,
    documentedType: documented,
    ...(keyedBy === undefined ? {} : publishKeyed(name, type, keyedBy, documented, refuseNode)),
    ...(directiveValues('cursorKey') && publishCursorKey(name, document, schema, refuseNode)),
    ...(directiveValues('pageNumber') && publishPageNumber(name, document, schema, refuseNode)),
    ...(directiveValues('knownValues') && publishKnownValues(name, type, refuseNode)),
    ...(sortKeys && publishSortKeys(name, type, (sortKeys.named ?? {}) as Record<string, string>, refuseNode)),
    ...(flagTexts && publishFlag(name, type, flagTexts.texts as string[], refuseNode)),
    // The caller knows the method and the path.
    place: 'query',
    required: isNonNullType(type) && node.defaultValue === undefined,
    nullable: !isNonNullType(type) && !nonNull.has(name),
    keywords: inputs.get(name)?.keywords,
    refusesNull: inputs.get(name)?.refusesNull === true,
    isNeeded: inputs.get(name)?.isNeeded === true,
    aliases: (directiveValues('aliases')?.names ?? []) as string[],
    separator: directiveValues('split')?.by as string | undefined,
    header: headerName?.toLowerCase(),
    headerName,
    orDefault: directiveValues('orDefault') !== undefined,
    checkedLast: directiveValues('checkedLast') && firstValue(name, type, refuseNode),
    range: directiveValues('range') as Parameter['range'],
    description: descriptionOf(node),
    excludes: directiveValues('excludes') as Parameter['excludes'],
    defaultValue: directiveValues('pageNumber')
      ? 1
      : published?.enumValues
        ? booleanOf(literal, published.enumValues)
        : literal,
  };
}

/** The first value of the enum of a variable with `@checkedLast`. */
function firstValue(variable: string, type: GraphQLInputType, refuse: (reason: string) => never): string {
  const own = getNullableType(type);
  const [first] = isEnumType(own) ? own.getValues() : [];
  return first?.name ?? refuse(`$${variable} has @checkedLast, but its type ${type} is no enum.`);
}

/** The type of a variable with `@as`: one of the schema, or the variable's enum under a name that the schema lacks. */
function documentedType(
  variable: string,
  type: GraphQLInputType,
  text: string,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): GraphQLInputType {
  const published = parsePublishedType(text, schema);
  if (isInputType(published)) return published;
  const own = getNullableType(type);
  if (!published && isEnumType(own) && isGraphQLName(text)) {
    const extensions = { ...own.extensions, publishedName: text };
    return new GraphQLEnumType({ ...own.toConfig(), extensions });
  }
  return refuse(`«${text}» of @as at $${variable} is no type of an input and no name.`);
}

const isGraphQLName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);

/** Variables in non-null positions. GraphQL allows a nullable variable there if it has a default. */
function variablesInNonNullPositions(document: DocumentNode, schema: GraphQLSchema): Set<string> {
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = {
    Variable({ name }: { name: { value: string } }) {
      if (isNonNullType(types.getInputType())) names.add(name.value);
    },
    // A definition is not a position.
    VariableDefinition: () => false as const,
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return names;
}

/** Spells enum literals as the wire schema does. */
export function spellForWire(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const types = new TypeInfo(schema);
  const spell = {
    EnumValue(node: EnumValueNode) {
      const type = getNamedType(types.getInputType());
      return isEnumType(type) && !type.getValue(node.value)
        ? { ...node, value: publishedValueName(type, node.value) }
        : undefined;
    },
  };
  return visit(document, visitWithTypeInfo(types, spell));
}
