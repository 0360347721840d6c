import {
  coerceInputValue,
  GraphQLEnumType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { findDirectiveValues } from './directives.ts';
import type { Parameter, WordVariable } from './operation.ts';
import type { FileProblems } from './operation-problems.ts';

/** The arguments of `@words`. */
interface WordsDirective {
  of?: string | null;
  named?: string | null;
  values: unknown;
  default?: string | null;
  fields?: Readonly<Record<string, string>> | null;
}

/**
 * The variable of `@words`.
 * @param type of the variable
 * @param refuse called with the reason if a value is not of that type
 */
function readWordVariable(
  { name, type, defaultValue }: Pick<Parameter, 'name' | 'type' | 'defaultValue'>,
  { of, values, fields }: WordsDirective,
  refuse: (reason: string) => never,
): WordVariable {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return refuse(`The values of @words at $${name} are no object.`);
  const spelled = Object.entries(values).map(([word, value]) => {
    const inWire = spellValue(value, type);
    coerceInputValue(inWire, type, (_path, _value, { message }) =>
      refuse(`The word ${word} of $${name} has no value of the type ${type}: ${message}`),
    );
    return [word, inWire] as const;
  });
  const input = getNullableType(type);
  const replaced = Object.keys(fields ?? {});
  for (const field of replaced)
    if (!isInputObjectType(input) || !input.getFields()[field]) refuse(`${type} of $${name} has no field ${field}.`);
  return { name, type, required: false, defaultValue, of: of ?? name, values: new Map(spelled), fields: replaced };
}

/** Enum values in the wire's spelling, as `spellForWire` spells those of the document. */
function spellValue(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (value === null) return null;
  if (isListType(nullable)) {
    return (Array.isArray(value) ? value : [value]).map(item => spellValue(item, nullable.ofType));
  }
  if (isEnumType(nullable)) return nullable.getValue(String(value)) ? value : String(value).toLowerCase();
  if (!isInputObjectType(nullable) || typeof value !== 'object') return value;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, fields[key] ? spellValue(inner, fields[key].type) : inner]),
  );
}

/**
 * The type of a parameter with words: those of all variables that are made of it.
 * @param refuse called with the reason if they have no name, or the default is none of them
 */
function typeOfWords(
  parameter: string,
  variables: readonly WordVariable[],
  directives: readonly WordsDirective[],
  refuse: (reason: string) => never,
): { type: GraphQLEnumType; defaultValue: string | undefined } {
  const words = [...new Set(variables.flatMap(({ values }) => [...values.keys()]))];
  const named = directives.find(one => one.named != null)?.named;
  const defaultValue = directives.find(one => one.default != null)?.default ?? undefined;
  if (named == null) return refuse(`The words of ${parameter} have no name: @words(named:).`);
  if (defaultValue !== undefined && !words.includes(defaultValue))
    refuse(`The default ${defaultValue} of ${parameter} is none of its words.`);
  const values = Object.fromEntries(words.map(word => [word, {}]));
  return { type: new GraphQLEnumType({ name: named, values }), defaultValue };
}

/** The type of a parameter that replaces a field of a variable's value. */
function typeOfField({ type }: WordVariable, field: string): GraphQLInputType {
  const input = getNullableType(type);
  const found = isInputObjectType(input) ? input.getFields()[field] : undefined;
  if (!found) throw new TypeError(`${type} has no field ${field}.`);
  return getNullableType(found.type);
}

/** Sets the variables that are values of words. @param words by the names of their parameters */
export function addWordVariables(
  variables: Record<string, unknown>,
  wordVariables: readonly WordVariable[],
  words: ReadonlyMap<string, unknown>,
): void {
  for (const { name, of, values, fields, defaultValue } of wordVariables) {
    const word = words.get(of);
    const value = typeof word === 'string' && values.has(word) ? values.get(word) : defaultValue;
    if (value === undefined) continue;
    const replaced = fields.filter(field => words.has(field)).map(field => [field, words.get(field)]);
    variables[name] = replaced.length === 0 ? value : { ...(value as object), ...Object.fromEntries(replaced) };
  }
}

/** A variable with `@words`, and the arguments of the directive. */
export interface ReadWords {
  variable: WordVariable;
  directive: WordsDirective;
}

/** The variable of a node with `@words`; undefined for others. */
export function readWords(
  node: VariableDefinitionNode,
  schema: GraphQLSchema,
  { refuse }: FileProblems,
): ReadWords | undefined {
  const directive = findDirectiveValues(node, schema, 'words') as WordsDirective | undefined;
  if (!directive) return undefined;
  const type = typeFromAST(schema, node.type as never) as GraphQLInputType;
  const defaultValue = node.defaultValue && valueFromASTUntyped(node.defaultValue);
  const named = { name: node.variable.name.value, type, defaultValue };
  return { variable: readWordVariable(named, directive, reason => refuse(reason, node)), directive };
}

/** The parameter of the words of which the variable is the first, and those that replace fields of its value. */
export function wordParameters(
  node: VariableDefinitionNode,
  { variable, directive }: ReadWords,
  all: readonly ReadWords[],
  schema: GraphQLSchema,
  { refuse }: FileProblems,
): Parameter[] {
  const { of } = variable;
  const same = all.filter(one => one.variable.of === of);
  const [variables, directives] = [same.map(one => one.variable), same.map(one => one.directive)];
  const words = typeOfWords(of, variables, directives, reason => refuse(reason, node));
  const excludes = findDirectiveValues(node, schema, 'excludes') as Parameter['excludes'];
  const isNonNull = variables.every(({ type }) => isNonNullType(type));
  const isOptional = words.defaultValue !== undefined || variables.every(one => one.defaultValue !== undefined);
  return [
    {
      ...plainParameter(of, isNonNull ? new GraphQLNonNull(words.type) : words.type, descriptionOf(node)),
      ...{ required: isNonNull && !isOptional, nullable: !isNonNull, defaultValue: words.defaultValue, excludes },
    },
    ...Object.entries(directive.fields ?? {}).map(([field, about]) =>
      plainParameter(field, typeOfField(variable, field), about),
    ),
  ];
}

/** What no directive has set. */
export const asSent = {
  ...{ encodeKey: undefined, cursorAfter: undefined, keyOfCursor: undefined, sortKeys: undefined },
  ...{
    knownValues: undefined,
    flag: undefined,
    enumValues: undefined,
    keyed: undefined,
    fallbackOf: undefined,
    documentedType: undefined,
    keywords: undefined,
    refusesNull: false,
    isNeeded: false,
  },
} as const;

/** A parameter that is no variable itself and has nothing but a type. */
export function plainParameter(name: string, type: GraphQLInputType, description: string | undefined): Parameter {
  return {
    ...{ name, type, variableType: undefined, required: false, nullable: true, ...asSent },
    ...{
      place: 'query',
      aliases: [],
      separator: undefined,
      header: undefined,
      headerName: undefined,
      orDefault: false,
      checkedLast: undefined,
    },
    ...{ range: undefined, description, excludes: undefined, defaultValue: undefined },
  };
}

/** The text in front of a variable. */
export const descriptionOf = (node: VariableDefinitionNode): string | undefined =>
  (node as { description?: { value: string } }).description?.value;
