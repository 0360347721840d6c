import { type DocumentNode, type GraphQLError, type GraphQLSchema, print } from 'graphql';
import { executableDocument } from './executable-document.ts';
import { execute, OperationPlan } from './execution/operation-plan.ts';
import type { ReadList } from './execution/printed-lists.ts';
import type { GraphSpelling } from './graph-spelling.ts';
import type { Operation } from './operation.ts';
import type { Product } from './product.ts';
import type { ResponsePlan } from './response-plan.ts';

/** The result of an operation. Its data belongs to the caller. */
export interface OperationResult {
  data?: Record<string, unknown> | null | undefined;
  errors?: readonly GraphQLError[] | undefined;
}

/** Executes an operation. @param readList reads lists as JSON, where nothing but their source says what an item is */
export type ExecuteOperation = (
  variables: Readonly<Record<string, unknown>>,
  context: unknown,
  readList: ReadList | undefined,
) => Promise<OperationResult>;

/** An operation in the graph's own spelling, without the directives of the facade, as any GraphQL server executes it. */
export interface GraphQLRequest {
  document: DocumentNode;
  /** The same document as text, for a server that is asked over HTTP. */
  query: string;
  operationName: string;
  variables: Record<string, unknown>;
  /** What the hook `context` has returned. */
  context: unknown;
}

/** The result of a GraphQL request, as the response of a GraphQL server has it. */
export interface GraphQLResult {
  data?: Record<string, unknown> | null;
  errors?: readonly { message: string; path?: readonly (string | number)[]; extensions?: Record<string, unknown> }[];
}

/** Executes operations in the place of the facade, for example by another server. The result is not changed. */
export type Execute = (request: GraphQLRequest) => GraphQLResult | Promise<GraphQLResult>;

/** The alias of `__typename` in a queried outcome. GraphQL reserves names with two underscores; one could be a published key. */
export const outcomeKey = '_outcome_';

/** Whether the items of an operation are sent as they are executed: then their source may print them. */
function isPrinted({ headers, changeBody, page, body }: ResponsePlan): boolean {
  return headers.length === 0 && changeBody === undefined && page?.style === 'COUNT' && body?.length === 2;
}

/**
 * Prepares an operation for execution against the wire schema. It is planned by its first request: a process may never serve most
 * operations.
 */
export function prepareOperation(
  operation: Operation,
  responsePlan: ResponsePlan,
  wire: GraphQLSchema,
  { fractionDigits = {}, render }: Pick<Product, 'fractionDigits' | 'render'>,
): ExecuteOperation {
  let plan: OperationPlan | undefined;
  const mayPrint = isPrinted(responsePlan);
  return async (variables, context, readList) => {
    if (!plan) {
      const document = executableDocument(operation, responsePlan.outcome === 'queried' ? outcomeKey : undefined);
      plan = new OperationPlan(wire, document, undefined, { fractionDigits, pointedFloats: render === undefined });
    }
    const { coerced, errors } = plan.coerce(variables);
    if (!coerced) return { errors };
    return execute(plan, { context, variables: coerced, readList: mayPrint ? readList : undefined });
  };
}

/** Prepares an operation whose requests another server answers. */
export function prepareForeignOperation(
  operation: Operation,
  plan: ResponsePlan,
  executeForeign: Execute,
  spelling: GraphSpelling,
): ExecuteOperation {
  const document = spelling.document(
    executableDocument(operation, plan.outcome === 'queried' ? outcomeKey : undefined),
  );
  const query = print(document);
  const parameters = operation.parameters.flatMap(({ name, variableType: type }) => (type ? [{ name, type }] : []));
  const { negotiated, namedIds, wordVariables } = operation;
  const readVariables = spelling.variables([...parameters, ...negotiated, ...namedIds, ...wordVariables]);
  const copyResult = spelling.result(operation);
  return async (variables, context) => {
    const { data, errors } = await executeForeign({
      document,
      query,
      operationName: operation.name,
      variables: readVariables(variables),
      context,
    });
    // An error is read by its message, path and extensions alone, which those of other servers have as well.
    if (errors && errors.length > 0) return { errors: errors as readonly GraphQLError[] };
    return { data: copyResult(data ?? {}) as Record<string, unknown> };
  };
}
