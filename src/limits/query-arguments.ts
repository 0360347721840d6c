import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLArgument,
  Kind,
  type SelectionNode,
  valueFromAST,
} from 'graphql';

/** Values of the operation's variables after coercion: defaults filled in, absent ones absent. */
export type CoercedVariables = Readonly<Record<string, unknown>>;

/** The value of an argument as the resolver receives it; undefined for one that is absent or cannot be coerced. */
export function argumentValue(argument: GraphQLArgument, node: FieldNode, variables: CoercedVariables): unknown {
  // The last of several, as the executor does; validation refuses them, but a measure that depends on it is no limit.
  const given = node.arguments?.findLast(({ name }) => name.value === argument.name)?.value;
  if (given === undefined) return argument.defaultValue;
  if (given.kind !== Kind.VARIABLE) return valueFromAST(given, argument.type, variables);
  // Own keys only: `variables.constructor` is not a value that anyone sent.
  return Object.hasOwn(variables, given.name.value) ? variables[given.name.value] : argument.defaultValue;
}

/** Whether `@skip` and `@include` let a selection stand; one whose condition is not known or null stands. */
export function isIncluded({ directives = [] }: SelectionNode, variables: CoercedVariables): boolean {
  return conditionOf(directives, 'skip', variables) !== true && conditionOf(directives, 'include', variables) !== false;
}

/** The value of `if` of the first such directive, which is the one that the executor obeys. */
function conditionOf(directives: readonly DirectiveNode[], name: string, variables: CoercedVariables): unknown {
  const value = directives
    .find(directive => directive.name.value === name)
    ?.arguments?.findLast(argument => argument.name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  if (value?.kind !== Kind.VARIABLE || !Object.hasOwn(variables, value.name.value)) return undefined;
  return variables[value.name.value];
}
