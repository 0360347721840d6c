import type { GraphQLSchema } from 'graphql';
import type { Endpoint } from './endpoint.ts';
import { GraphSpelling } from './graph-spelling.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';
import type { Operation } from './operation.ts';
import { type FileProblems, OperationError, OperationProblems } from './operation-problems.ts';
import {
  type Execute,
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
import { pathParameterNames, RouteError, RouteTable } from './route-table.ts';
import { buildWireSchema } from './wire-schema.ts';

export type { Endpoint, Execute, GraphQLRequest, GraphQLResult };

/** The operations of a product, compiled against a graph, and their routes. Facades can share it: it keeps nothing of a request. */
export interface CompiledOperations {
  endpoints: Endpoint[];
  routes: RouteTable<RouteTarget>;
}

export interface FacadeOptions extends RestHooks {
  graph: GraphQLSchema;
  /**
   * Executes every operation in the place of the facade: by another server, or with the plug-ins of one. The graph is then only read,
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
  const { product, graph, execute } = options;
  const { endpoints, routes } = options.operations ?? compileOperations(product, graph, execute);
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
 * @throws OperationError with all that does not fit the graph, in all files
 */
export function compileOperations(product: Product, graph: GraphQLSchema, execute?: Execute): CompiledOperations {
  const wire = buildWireSchema(graph, product);
  try {
    return compile(product, graph, wire, execute, 'bare');
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // Once more with locations, which only messages need.
    return compile(product, graph, wire, execute, 'located');
  }
}

function compile(
  product: Product,
  graph: GraphQLSchema,
  wire: GraphQLSchema,
  execute: Execute | undefined,
  locations: 'located' | 'bare',
): CompiledOperations {
  const problems = new OperationProblems();
  const routes = new RouteTable<RouteTarget>();
  const spelling = new GraphSpelling(graph, wire, product);
  const operations = readOperations(product, graph, wire, locations, problems);
  const endpoints = operations.flatMap(operation => {
    const { file, method, definition } = operation;
    const endpoint = problems.attempt(file, found => {
      const plan = readResponsePlan(operation, found);
      if (plan.page?.style === 'COUNT' && !product.paging.envelope)
        found.report('@page(style: COUNT) needs `paging.envelope` of the product, such as countEnvelope.', definition);
      assertSameParameters(operation, found);
      const prepared = execute
        ? prepareForeignOperation(operation, plan, execute, spelling)
        : prepareOperation(operation, plan, wire, product);
      return { operation, plan, execute: prepared };
    });
    if (!endpoint) return [];
    problems.attempt(file, ({ report }) => {
      for (const { path, target } of routesFor(endpoint, product.resourceAliases)) {
        try {
          routes.add(file, method, path, target);
        } catch (error) {
          if (!(error instanceof RouteError)) throw error;
          report(error.message, definition);
        }
      }
    });
    return [endpoint];
  });
  problems.assertNone();
  return { endpoints, routes };
}

/** The other paths of an operation have no parameters beside those of its path. */
function assertSameParameters({ path, otherPaths, definition }: Operation, { report }: FileProblems): void {
  for (const other of otherPaths) {
    const unknown = pathParameterNames(other).find(name => !pathParameterNames(path).includes(name));
    if (unknown !== undefined) report(`${other} has the parameter {${unknown}}, which ${path} lacks.`, definition);
  }
}
