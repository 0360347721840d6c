import type { GraphQLResponse, HTTPGraphQLHead } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';

/** A response to a GraphQL request before it is serialized: its head and its result. */
export interface GraphqlAnswer {
  http: HTTPGraphQLHead;
  result: GraphqlResult;
  /** Upper bound of the characters of `result.data` as JSON; 0 by default. */
  maxCharacters?: number;
}

export interface GraphqlResult {
  errors?: readonly GraphQLFormattedError[];
  /** Its values may be a `JsonText`. */
  data?: Record<string, unknown> | null;
  extensions?: Record<string, unknown>;
}

export function answerOf(status: number, result: GraphqlResult): GraphqlAnswer {
  return { http: { status, headers: new HeaderMap() }, result };
}

/** The answer in the type of Apollo Server. */
export function toApollo({ http, result }: GraphqlAnswer): GraphQLResponse {
  return { http, body: { kind: 'single', singleResult: result } };
}
