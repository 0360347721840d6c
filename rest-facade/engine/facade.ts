import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { Door } from './door.ts';
import type { DoorOptions } from './door-options.ts';
import type { Endpoint } from './endpoint.ts';
import { type Executor, prepare } from './execute.ts';
import { OperationError } from './operation.ts';
import { type Served, waysTo } from './places.ts';
import { planOf } from './plan.ts';
import { readOperations } from './read-operations.ts';
import { pathNames, RouteTable } from './routes.ts';
import { wireSchema } from './wire-schema.ts';

export type { Endpoint, Executor };

export interface FacadeOptions extends DoorOptions {
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
  const wire = wireSchema(graph, product);
  const routes = new RouteTable<Served>();
  const endpoints = readOperations(product, graph, wire).map(operation => {
    const { file, method, path, also } = operation;
    try {
      const plan = planOf(operation);
      const endpoint = { operation, plan, ...prepare(operation, plan, wire, executor) };
      for (const other of also) {
        const strange = pathNames(other).find(name => !pathNames(path).includes(name));
        if (strange !== undefined) throw new OperationError(file, `${other} names {${strange}}, and ${path} does not.`);
      }
      for (const way of waysTo(endpoint, product.places)) routes.add(file, method, way.path, way.served);
      return endpoint;
    } catch (error) {
      if (error instanceof OperationError) throw error;
      throw new OperationError(file, error instanceof Error ? error.message : String(error));
    }
  });
  const door = new Door(options, routes);
  return { endpoints, handle: (request, response) => door.handle(request, response) };
}
