import type { Request } from 'express';
import { JsonRefusedError, parseJson } from 'operation-rest';
import { requestError } from './graphql-errors.ts';

/** The parameters of a GraphQL request. */
export interface GraphqlRequest {
  method: string;
  /** Bytes of the body, if it is larger than others may be. */
  largeBodyBytes?: number | undefined;
  query: string | undefined;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
  extensions: Record<string, unknown> | undefined;
}

/**
 * The parameters in the JSON body of a POST or in the query of a GET.
 * @throws GraphQLError BAD_REQUEST for values of other types, and for a batch
 */
export async function readGraphqlRequest(request: Request): Promise<GraphqlRequest> {
  return request.method === 'GET' ? fromQuery(request) : fromBody(request.body, request.method);
}

const refuse = (message: string): never => {
  throw requestError('BAD_REQUEST', message, 400);
};

function fromBody(body: unknown, method: string): GraphqlRequest {
  if (Array.isArray(body)) return refuse('Operation batching disabled.');
  if (!isRecord(body) || Object.keys(body).length === 0) {
    return refuse('POST body missing, invalid Content-Type, or JSON object has no keys.');
  }
  const { query, operationName, variables, extensions } = body;
  if (query && typeof query !== 'string') return refuse('GraphQL queries must be strings.');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    return refuse('`operationName` in a POST body must be a string if provided.');
  }
  return {
    method,
    query: typeof query === 'string' ? query : undefined,
    operationName: operationName ?? undefined,
    variables: recordOf('variables', variables),
    extensions: recordOf('extensions', extensions),
  };
}

function recordOf(name: string, value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  return isRecord(value) ? value : refuse(`\`${name}\` in a POST body must be an object if provided.`);
}

async function fromQuery({ method, originalUrl, headers }: Request): Promise<GraphqlRequest> {
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    const message = 'GET requests may not have a content-type header other than application/json.';
    throw requestError('BAD_REQUEST', message, 415);
  }
  const mark = originalUrl.indexOf('?');
  const parameters = new URLSearchParams(mark < 0 ? '' : originalUrl.slice(mark));
  const once = (name: string): string | undefined => {
    const [value, second] = parameters.getAll(name);
    return second === undefined ? value : refuse(`The '${name}' search parameter may only be specified once.`);
  };
  const record = async (name: string): Promise<Record<string, unknown> | undefined> => {
    const text = once(name);
    if (text === undefined) return undefined;
    let value: unknown;
    try {
      value = await parseJson(text);
    } catch (error) {
      if (!(error instanceof JsonRefusedError)) throw error;
      if (error.reason.is === 'repeated-key')
        return refuse(`An object in the ${name} search parameter has a key twice.`);
      return refuse(`The ${name} search parameter contains invalid JSON.`);
    }
    return isRecord(value) ? value : refuse(`The ${name} search parameter should contain a JSON-encoded object.`);
  };
  return {
    method,
    query: once('query'),
    operationName: once('operationName'),
    variables: await record('variables'),
    extensions: await record('extensions'),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
