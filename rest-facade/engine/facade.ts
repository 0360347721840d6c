import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Endpoint } from './endpoint.ts';
import { OperationError } from './operation.ts';
import { type Executor, prepareOperation } from './prepare-operation.ts';
import { readOperations } from './read-operations.ts';
import { type RouteTarget, routesFor } from './resource-aliases.ts';
import { readResponsePlan } from './response-plan.ts';
import { RestHandler } from './rest-handler.ts';
import type { RestHooks } from './rest-hooks.ts';
import { pathParameterNames, RouteTable } from './route-table.ts';
import { buildWireSchema } from './wire-schema.ts';

export type { Endpoint, Executor };

export interface FacadeOptions extends RestHooks {
  graph: GraphQLSchema;
  /** `compiled` unless a test holds the two against each other. */
  executor?: Executor;
}

/** A published contract, ready to answer. */
export interface Facade {
  endpoints: Endpoint[];
  /** Answers a request under one of the product's base paths and returns true; touches nothing else and returns false. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Reads, checks and prepares every operation of a product. Throws an OperationError that names the file that does not fit. */
export function createFacade(options: FacadeOptions): Facade {
  const { product, graph, executor = 'compiled' } = options;
  const wire = buildWireSchema(graph, product);
  const routes = new RouteTable<RouteTarget>();
  const endpoints = readOperations(product, graph, wire).map(operation => {
    const { file, method, path, also } = operation;
    try {
      const plan = readResponsePlan(operation);
      const endpoint = { operation, plan, ...prepareOperation(operation, plan, wire, executor) };
      for (const other of also) {
        const strange = pathParameterNames(other).find(name => !pathParameterNames(path).includes(name));
        if (strange !== undefined) throw new OperationError(file, `${other} names {${strange}}, and ${path} does not.`);
      }
      for (const way of routesFor(endpoint, product.places)) routes.add(file, method, way.path, way.served);
      return endpoint;
    } catch (error) {
      if (error instanceof OperationError) throw error;
      throw new OperationError(file, error instanceof Error ? error.message : String(error));
    }
  });
  const door = new RestHandler(options, routes);
  return { endpoints, handle: (request, response) => door.handle(request, response) };
}
