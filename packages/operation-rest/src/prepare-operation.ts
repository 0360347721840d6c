import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  print,
} from 'graphql';
import { executableDocument } from './executable-document.ts';
import type { GraphSpelling } from './graph-spelling.ts';
import { compileQuery } from './graphql-jit.ts';
import { isCompilable } from './jit-compatibility.ts';
import type { Operation } from './operation.ts';
import type { ResponsePlan } from './response-plan.ts';

export type ExecuteOperation = (
  variables: Record<string, unknown>,
  context: unknown,
) => ExecutionResult | Promise<ExecutionResult>;
/** graphql-jit or graphql-js. Both give the same data; `interpreted` is the reference. */
export type Executor = 'compiled' | 'interpreted';

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

/** Executes operations in the place of graphql-js, for example by another server. The result is not changed. */
export type Execute = (request: GraphQLRequest) => GraphQLResult | Promise<GraphQLResult>;

/** The alias of `__typename` in a queried outcome. GraphQL reserves names with two underscores; one could be a published key. */
export const outcomeKey = '_outcome_';

/** An operation, ready to execute. */
export interface PreparedOperation {
  execute: ExecuteOperation;
  /** The executor in use. Interpreted is correct but slower, so that lists should be compiled. */
  executor(): Executor;
}

/**
 * Prepares an operation for execution against the wire schema. graphql-js executes what graphql-jit cannot compile or compiles
 * incorrectly. The operation is compiled by its first request: compiling all of them at boot took a fifth of the time to read a
 * contract, and a process may never serve most of them.
 */
export function prepareOperation(
  operation: Operation,
  plan: ResponsePlan,
  wire: GraphQLSchema,
  preferred: Executor,
): PreparedOperation {
  let run: ExecuteOperation | undefined;
  let executor: Executor = 'interpreted';
  const ready = (): ExecuteOperation => {
    if (run) return run;
    const document = executableDocument(operation, plan.outcome === 'queried' ? outcomeKey : undefined);
    const args = { schema: wire, document, operationName: operation.name };
    run = (variables, context) => execute({ ...args, variableValues: variables, contextValue: context });
    const { parameters, negotiated, namedIds, wordVariables } = operation;
    const variables = [...parameters, ...negotiated, ...namedIds, ...wordVariables];
    const mayCompile = preferred === 'compiled' && isCompilable(document, variables, wire);
    const query = mayCompile ? compileQuery(wire, document, operation.name) : undefined;
    if (!query) return run;
    executor = 'compiled';
    run = (variables, context) => query(undefined, context, variables);
    return run;
  };
  return {
    execute: (variables, context) => ready()(variables, context),
    executor() {
      ready();
      return executor;
    },
  };
}

/** Prepares an operation whose requests `execute` answers. Its executor is `interpreted`: nothing is compiled here. */
export function prepareForeignOperation(
  operation: Operation,
  plan: ResponsePlan,
  execute: Execute,
  spelling: GraphSpelling,
): PreparedOperation {
  const document = spelling.document(
    executableDocument(operation, plan.outcome === 'queried' ? outcomeKey : undefined),
  );
  const query = print(document);
  const parameters = operation.parameters.flatMap(({ name, variableType: type }) => (type ? [{ name, type }] : []));
  const { negotiated, namedIds, wordVariables } = operation;
  const readVariables = spelling.variables([...parameters, ...negotiated, ...namedIds, ...wordVariables]);
  const copyResult = spelling.result(operation);
  return {
    executor: () => 'interpreted',
    async execute(variables, context) {
      const { data, errors } = await execute({
        document,
        query,
        operationName: operation.name,
        variables: readVariables(variables),
        context,
      });
      // An error is read by its message, path and extensions alone, which those of other servers have as well.
      if (errors && errors.length > 0) return { errors: errors as readonly GraphQLError[] };
      return { data: copyResult(data ?? {}) as Record<string, unknown> };
    },
  };
}
