import type { GraphQLSchema } from 'graphql';
import type { Endpoint } from './endpoint.ts';
import { GraphSpelling } from './graph-spelling.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';
import { compileJsonPage } from './json-page.ts';
import { OperationError } from './operation.ts';
import {
  type Execute,
  type Executor,
  type GraphQLRequest,
  type GraphQLResult,
  prepareForeignOperation,
  prepareOperation,
} from './prepare-operation.ts';
import type { Product } from './product.ts';
import { readOperations } from './read-operations.ts';
import { type RouteTarget, routesFor } from './resource-aliases.ts';
import { readResponsePlan } from './response-plan.ts';
import { RestHandler } from './rest-handler.ts';
import type { RestHooks } from './rest-hooks.ts';
import { pathParameterNames, RouteTable } from './route-table.ts';
import { buildWireSchema } from './wire-schema.ts';

export type { Endpoint, Execute, Executor, GraphQLRequest, GraphQLResult };

/** The operations of a product, compiled against a graph, and their routes. Facades can share it: it keeps nothing of a request. */
export interface CompiledOperations {
  endpoints: Endpoint[];
  routes: RouteTable<RouteTarget>;
}

export interface FacadeOptions extends RestHooks {
  graph: GraphQLSchema;
  /** `compiled` by default, where the optional package graphql-jit is installed. */
  executor?: Executor;
  /**
   * Executes every operation in the place of graphql-js: by another server, or with the plug-ins of one. The graph is then only read,
   * so that it may come from an introspection.
   */
  execute?: Execute;
  /** Result of `compileOperations` for the same product and graph. Without it they are compiled here. */
  operations?: CompiledOperations;
}

/** A published contract, ready to serve. */
export interface Facade {
  endpoints: Endpoint[];
  /** Handles a request below one of the product's base paths and returns true; otherwise touches nothing and returns false. */
  handle(request: HttpRequest, response: HttpResponse): boolean;
  /** Whether a path is one of an endpoint, whatever its method. `path` has no query string. */
  serves(path: string): boolean;
}

/** @throws OperationError as `compileOperations` */
export function createFacade(options: FacadeOptions): Facade {
  const { product, graph, executor, execute } = options;
  const { endpoints, routes } = options.operations ?? compileOperations(product, graph, execute ?? executor);
  const handler = new RestHandler(options, routes);
  return {
    endpoints,
    handle: (request, response) => handler.handle(request, response),
    serves: path => handler.serves(path),
  };
}

/**
 * Reads, checks and prepares every operation of a product.
 *
 * @throws OperationError with the name of the first file that does not fit the graph
 */
export function compileOperations(
  product: Product,
  graph: GraphQLSchema,
  executor: Executor | Execute = 'compiled',
): CompiledOperations {
  const wire = buildWireSchema(graph, product);
  const routes = new RouteTable<RouteTarget>();
  const spelling = new GraphSpelling(graph, wire, product);
  const endpoints = readOperations(product, graph, wire).map(operation => {
    const { file, method, path, otherPaths } = operation;
    try {
      const plan = readResponsePlan(operation);
      if (plan.page?.style === 'COUNT' && !product.paging.envelope)
        throw new OperationError(
          file,
          '@page(style: COUNT) needs `paging.envelope` of the product, such as countEnvelope.',
        );
      const executeJsonPage = executor === 'compiled' ? compileJsonPage(operation, plan, wire, product) : undefined;
      const prepared =
        typeof executor === 'function'
          ? prepareForeignOperation(operation, plan, executor, spelling)
          : prepareOperation(operation, plan, wire, executor);
      const endpoint = { operation, plan, executeJsonPage, ...prepared };
      for (const other of otherPaths) {
        const unknown = pathParameterNames(other).find(name => !pathParameterNames(path).includes(name));
        if (unknown !== undefined)
          throw new OperationError(file, `${other} has the parameter {${unknown}}, which ${path} lacks.`);
      }
      for (const route of routesFor(endpoint, product.resourceAliases))
        routes.add(file, method, route.path, route.target);
      return endpoint;
    } catch (error) {
      if (error instanceof OperationError) throw error;
      throw new OperationError(file, error instanceof Error ? error.message : String(error));
    }
  });
  return { endpoints, routes };
}
