import type { GraphQLSchema } from 'graphql';
import { type CompiledOperations, compileOperations } from 'operation-rest';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import type { Config } from '../config/config.ts';
import { pagesProduct } from '../pages/pages-product.ts';
import { buildGraph } from './graph.ts';
import { type ListedOperations, readListedOperations } from './listed-operations.ts';
import { publicGraph } from './public-graph.ts';

/** What a gateway derives from source files alone: the graphs and the operations. Gateways can share it. */
export interface CompiledGateway {
  /** The full graph, which operations are written against. */
  graph: GraphQLSchema;
  /** The part that `/graphql` serves. */
  publicGraph: GraphQLSchema;
  health: CompiledOperations;
  hosting: CompiledOperations;
  pages: CompiledOperations;
  listed: ListedOperations;
}

const compiled = new Map<string, CompiledGateway>();

/**
 * Compiles once per process and list of article sources, the only setting that the result depends on: it takes about a second of
 * CPU time, most of a start, and tests start a hundred gateways in one process.
 *
 * @throws GuardError, OperationError, ListedOperationError if the source files do not fit together
 */
export function compileGateway({ ARTICLE_SOURCES }: Pick<Config, 'ARTICLE_SOURCES'>): CompiledGateway {
  const key = ARTICLE_SOURCES.join();
  const found = compiled.get(key);
  if (found) return found;
  const graph = buildGraph({ ARTICLE_SOURCES });
  // The settings of a product are about requests and answers, not about its operations.
  const health = compileOperations(healthProduct({ corsOrigins: '*' }), graph);
  const hosting = compileOperations(hostingProduct({}), graph);
  const pages = compileOperations(pagesProduct({ formatForApi: () => ({ status: 500, body: undefined }) }), graph);
  const served = publicGraph(graph);
  const made = { graph, publicGraph: served, health, hosting, pages, listed: readListedOperations(served) };
  compiled.set(key, made);
  return made;
}
