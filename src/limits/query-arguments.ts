import { type FieldNode, type GraphQLArgument, Kind, valueFromAST } from 'graphql';

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
