import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import { createFacade, type Endpoint, type Facade, type FacadeOptions, type Product, pathScopes } from 'operation-rest';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';

/** A published contract, read from its operation files. */
export interface Contract {
  product: Product;
  endpoints: Endpoint[];
}

const products = [healthProduct({ corsOrigins: '*' }), hostingProduct({ docs: '/docs' })];
const graph = buildGraph(readConfig({}));

/** A facade over the whole graph; a test overrides hooks. */
export function createTestFacade(product: Product, options: Partial<FacadeOptions> = {}): Facade {
  return createFacade({
    product,
    graph,
    context: () => ({}),
    origin: () => 'http://origin.test',
    explain: () => undefined,
    onDefect: error => {
      throw error;
    },
    ...options,
  });
}

/** Both contracts, read by the engine, so that a new operation file is included. */
export const contracts: Contract[] = products.map(product => ({
  product,
  endpoints: createTestFacade(product).endpoints,
}));

/**
 * Public GET endpoints whose requests need only sample values. Other endpoints are called by the tests of their noun, which
 * also validate responses against the published document (`send` in test/harness/people.ts).
 */
export function publicReads(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter(({ operation }) => {
    const words = pathScopes(graph, operation.definition, operation.fragments).required;
    return operation.method === 'GET' && [...words].every(word => word === 'public');
  });
}

/** Serves a facade on a free port until the end of the file. */
export async function serve(facade: Facade): Promise<string> {
  const server = createServer((request, response) => {
    if (!facade.handle(request, response)) response.writeHead(500).end('not handled');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise<void>(resolve => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
