import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  OperationTypeNode,
  parse,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { OperationPlan, subscribe } from 'operation-rest';
import type { ErrorCode } from '../errors/codes.ts';
import { measureVariables } from '../limits/query-inputs.ts';
import { defaultQueryLimits, parserOptions, queryLimitErrors } from '../limits/query-limits.ts';
import { measureQuery } from '../limits/query-measure.ts';
import { validateDocument } from '../limits/validate-document.ts';

/**
 * Parses, validates and measures a subscription. The limits of documents sent by POST apply. Returns the errors to send if it
 * must not start.
 */
export function parseSubscription(
  graph: GraphQLSchema,
  payload: SubscribePayload,
  refusal: GraphQLError | undefined,
): ExecutionArgs | GraphQLError[] {
  if (refusal) return [refusal];
  const document = parseDocument(String(payload.query));
  if (document instanceof GraphQLError) return [codedError('GRAPHQL_PARSE_FAILED', document.message, document)];
  const operationName = payload.operationName ?? undefined;
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) {
    return [codedError('BAD_REQUEST', 'Only subscriptions are served here. Send queries and mutations by POST.')];
  }
  const invalid = validateDocument(graph, document);
  if (invalid.length > 0) {
    return invalid.map(error =>
      codedError((error.extensions.code as ErrorCode | undefined) ?? 'GRAPHQL_VALIDATION_FAILED', error.message, error),
    );
  }
  const variableValues = payload.variables ?? {};
  const tooMuch = queryLimitErrors(measureVariables(variableValues), defaultQueryLimits);
  if (tooMuch.length > 0) return tooMuch;
  const { errors, coerced } = getVariableValues(graph, operation.variableDefinitions ?? [], variableValues, {
    maxErrors: 1,
  });
  if (errors) return errors.map(error => codedError('BAD_USER_INPUT', error.message, error));
  const measured = queryLimitErrors(measureQuery(graph, document, operationName, coerced), defaultQueryLimits);
  if (measured.length > 0) return measured;
  return { schema: graph, document, operationName, variableValues };
}

/** Opens the events of a subscription that `parseSubscription` has returned. */
export async function openSubscription({
  schema,
  document,
  operationName,
  variableValues,
  contextValue: context,
}: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const plan = new OperationPlan(schema, document, getOperationAST(document, operationName) ?? undefined);
  const { coerced, errors } = plan.coerce(variableValues ?? {});
  return coerced ? subscribe(plan, { context, variables: coerced }) : { errors };
}

function parseDocument(source: string): DocumentNode | GraphQLError {
  try {
    return parse(source, parserOptions(defaultQueryLimits));
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** An error with a code for the client. */
export function codedError(
  code: ErrorCode,
  message: string,
  { nodes }: { nodes?: GraphQLError['nodes'] } = {},
): GraphQLError {
  return new GraphQLError(message, { ...(nodes ? { nodes } : {}), extensions: { code } });
}
