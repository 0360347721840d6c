import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLArgument,
  Kind,
  type SelectionNode,
  type ValueNode,
  valueFromAST,
} from 'graphql';

/** Variable values after coercion: defaults are filled in, absent variables are absent. */
export type CoercedVariables = Readonly<Record<string, unknown>>;

/** The value of an argument as the resolver receives it; undefined if it is absent or cannot be coerced. */
export function argumentValue(argument: GraphQLArgument, node: FieldNode, variables: CoercedVariables): unknown {
  // The last of duplicate arguments, as in the executor. Validation rejects duplicates, but the limit must not depend on it.
  const given = node.arguments?.findLast(({ name }) => name.value === argument.name)?.value;
  if (given === undefined) return argument.defaultValue;
  if (given.kind !== Kind.VARIABLE) return valueFromAST(given, argument.type, variables);
  // Own keys only: `variables.constructor` was not sent by the client.
  return Object.hasOwn(variables, given.name.value) ? variables[given.name.value] : argument.defaultValue;
}

/** Whether `@skip` and `@include` keep a selection. An unknown or null condition keeps it. */
export function isIncluded({ directives = [] }: SelectionNode, variables: CoercedVariables): boolean {
  return conditionOf(directives, 'skip', variables) !== true && conditionOf(directives, 'include', variables) !== false;
}

/** The argument `if` of the first directive of that name, which is the one the executor uses. */
function conditionOf(directives: readonly DirectiveNode[], name: string, variables: CoercedVariables): unknown {
  const value = directives
    .find(directive => directive.name.value === name)
    ?.arguments?.findLast(argument => argument.name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  if (value?.kind !== Kind.VARIABLE || !Object.hasOwn(variables, value.name.value)) return undefined;
  return variables[value.name.value];
}

/** Whether a variable decides about the selection. */
export function hasVariableCondition({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ arguments: given = [] }) => given.some(({ value }) => hasVariable(value)));
}

/** Whether a variable is in an argument of the field. */
export function hasVariableArgument({ arguments: given = [] }: FieldNode): boolean {
  return given.some(({ value }) => hasVariable(value));
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some(field => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
