import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { InputProblem } from '../errors/errors.ts';

/**
 * The extensions of an error with the paths of its problems from the arguments of the field: `oldPassword` is `input.oldPassword`
 * if the field has no such argument and an argument `input`. A write function does not know which of them it was called with. What
 * problems have for REST alone is left out.
 */
export function withArgumentPaths(
  extensions: GraphQLFormattedError['extensions'],
  error: unknown,
): GraphQLFormattedError['extensions'] {
  const problems = extensions?.problems;
  const node = error instanceof GraphQLError ? error.nodes?.[0] : undefined;
  if (!Array.isArray(problems) || node?.kind !== Kind.FIELD) return extensions;
  const has = (name: unknown): boolean => node.arguments?.some(one => one.name.value === name) === true;
  const located = (problems as InputProblem[]).map(({ named: _named, resource: _resource, ...problem }) => {
    const [name] = problem.path;
    return name === undefined || has(name) || !has('input')
      ? problem
      : { ...problem, path: ['input', ...problem.path] };
  });
  return { ...extensions, problems: located };
}
