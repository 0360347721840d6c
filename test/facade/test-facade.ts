import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { execute, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import {
  buildOpenApi,
  createFacade,
  type Endpoint,
  type Execute,
  type Facade,
  type FacadeOptions,
  type GraphQLResult,
  type JsonSchema,
  type Product,
} from 'operation-rest';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { listenThrough } from './adapters.ts';

/** The public origin of every test facade; constant and not the port, so that two facades answer the same. */
export const origin = 'https://api.example.org';

export interface TestFacadeOptions {
  graph: GraphQLSchema;
  /** File below the product's folder → its text. */
  operations: Record<string, string>;
  /** Whose conventions apply; default: `health-like` below /api/v1. */
  product?: 'health-like' | 'hosting-like';
  /** Overridden conventions. */
  overrides?: Partial<Product>;
  /** As in RestHooks. */
  context?(request: IncomingMessage, ...rest: [operation: unknown, otherOperations: unknown, events: unknown]): unknown;
  explain?(error: unknown): GraphQLError | undefined;
  /** Further hooks of the server. */
  server?: Pick<
    FacadeOptions,
    | 'authorize'
    | 'onResponse'
    | 'findResource'
    | 'isPersonal'
    | 'callerHeaders'
    | 'requestId'
    | 'clock'
    | 'notModifiedCache'
    | 'acquireTempFileSlot'
  >;
  /**
   * `all`: every request is sent to two facades, and their responses must be equal. A single one if a resolver keeps state.
   * `foreign` executes the graph by graphql-js behind `execute`, as another GraphQL server would.
   */
  executor?: 'own' | 'foreign' | 'all';
}

export interface TestResponse {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON and assert its content.
  json: any;
}

export interface TestFacade {
  /** URL of the first server. */
  url: string;
  product: Product;
  endpoints: Endpoint[];
  server: Server;
  /** Sends a request; redirects are not followed. `path` starts with a slash. */
  request(path: string, init?: RequestInit): Promise<TestResponse>;
  /** Sends a request with a JSON body. */
  send(method: string, path: string, body: unknown): Promise<TestResponse>;
  /** Removes and returns the defects that the first server has reported. Remaining ones fail the file. */
  takeDefects(): unknown[];
  /** The OpenAPI document. */
  document(): JsonSchema;
}

interface Running {
  facade: Facade;
  server: Server;
  url: string;
  defects: unknown[];
}

const running: { facades: Running[]; folders: string[] } = { facades: [], folders: [] };

afterAll(async () => {
  for (const folder of running.folders) rmSync(folder, { recursive: true, force: true });
  for (const { server } of running.facades) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
  expect(running.facades.flatMap(({ defects }) => defects)).toEqual([]);
});

/** A product with the conventions and error JSON of a real one and other operations. */
export function createTestProduct({ operations, product, overrides }: Omit<TestFacadeOptions, 'graph'>): Product {
  const folder = mkdtempSync(join(tmpdir(), 'portico-facade-'));
  running.folders.push(folder);
  for (const [file, text] of Object.entries(operations)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const real =
    product === 'hosting-like'
      ? hostingProduct({ docs: 'https://docs.example.org' })
      : healthProduct({ corsOrigins: '*' });
  return { ...real, name: 'test', folder, ...overrides };
}

/** Creates a facade without a server. Throws the boot error. */
export function bootTestFacade(
  wish: TestFacadeOptions,
  executor: 'own' | 'foreign' = 'own',
  defects: unknown[] = [],
): { product: Product; facade: Facade } {
  const product = createTestProduct(wish);
  try {
    const facade = createFacade({
      ...wish.server,
      product,
      graph: wish.graph,
      context: wish.context ?? (() => ({})),
      origin: () => origin,
      explain: wish.explain ?? (() => undefined),
      onDefect: error => defects.push(error),
      ...(executor === 'foreign' ? { execute: executeGraph(wish.graph) } : {}),
    });
    return { product, facade };
  } finally {
    // Now and not after all tests, which are not run if none of the file is chosen.
    rmSync(product.folder, { recursive: true, force: true });
  }
}

/** A GraphQL server that knows the graph only, and gets what could be sent to it as text. */
function executeGraph(schema: GraphQLSchema): Execute {
  return ({ query, operationName, variables, context }) =>
    execute({
      schema,
      document: parse(query),
      operationName,
      variableValues: variables,
      contextValue: context,
    }) as GraphQLResult;
}

/** The boot error of a facade. */
export function bootError(wish: TestFacadeOptions): string {
  try {
    bootTestFacade(wish);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('This facade boots.');
}

/** Starts a facade on free ports; it is closed after the file. */
export async function startTestFacade(wish: TestFacadeOptions): Promise<TestFacade> {
  const { executor = 'all' } = wish;
  const ways = executor === 'all' ? (['own', 'foreign'] as const) : [executor];
  const made = await Promise.all(ways.map(way => listen(wish, way)));
  const [first, ...twins] = made;
  if (!first) throw new Error('No facade was made.');
  const request = async (path: string, init: RequestInit = {}): Promise<TestResponse> => {
    const answer = await ask(`${first.url}${path}`, init);
    for (const twin of twins) {
      const other = await ask(`${twin.url}${path}`, init);
      expect(comparable(other)).toEqual(comparable(answer));
      expect(twin.defects.length).toBe(first.defects.length);
    }
    return answer;
  };
  return {
    url: first.url,
    product: first.product,
    endpoints: first.facade.endpoints,
    server: first.server,
    request,
    send: (method, path, body) =>
      request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    takeDefects() {
      for (const twin of twins) twin.defects.splice(0);
      return first.defects.splice(0);
    },
    document: () => buildOpenApi(first.product, first.facade.endpoints),
  };
}

async function listen(wish: TestFacadeOptions, executor: 'own' | 'foreign'): Promise<Running & { product: Product }> {
  const defects: unknown[] = [];
  const { product, facade } = bootTestFacade(wish, executor, defects);
  const { server, url } = await listenThrough(facade);
  const one = { facade, server, url, defects, product };
  running.facades.push(one);
  return one;
}

async function ask(url: string, init: RequestInit): Promise<TestResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

function comparable({ status, headers, text }: TestResponse): unknown {
  return { status, headers: [...headers].filter(([name]) => name !== 'date'), text };
}
