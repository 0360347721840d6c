import type { GraphQLFormattedError } from 'graphql';
import { formatBodyInTurns } from 'operation-rest';

/** A response to a GraphQL request before it is serialized. */
export interface GraphqlResponse {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  result: GraphqlResult;
  /** Upper bound of the characters of `result.data` as JSON. */
  maxCharacters: number;
  /** Name of the operation in metrics and traces. */
  operationName?: string;
}

export interface GraphqlResult {
  errors?: readonly GraphQLFormattedError[] | undefined;
  /** Its values may be a `JsonText`. */
  data?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown>;
}

/** A response without data. */
export function errorResponse(
  status: number,
  errors: readonly GraphQLFormattedError[],
  headers: Readonly<Record<string, string>> = {},
): GraphqlResponse {
  return { status, headers: { ...headers }, result: { errors }, maxCharacters: 0 };
}

/** The JSON of a result, with errors first: a client that reads a stream sees them before the data. */
export async function serialize({ result: { errors, data, extensions } }: GraphqlResponse): Promise<string | Buffer> {
  return formatBodyInTurns({ errors, data, extensions }, '\n');
}
