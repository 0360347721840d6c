import type { GraphQLSchema } from 'graphql';
import { type CompiledOperations, compileOperations } from 'operation-rest';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { brandName } from '../auth/brand-header.ts';
import type { Config } from '../config/config.ts';
import { pagesProduct } from '../pages/pages-product.ts';
import { buildGraph } from './graph.ts';
import { type ListedOperations, readListedOperations } from './listed-operations.ts';

/** What a gateway derives from source files alone: the graph and the operations. Gateways can share it. */
export interface CompiledGateway {
  /** What `/graphql` serves and operations are written against. */
  graph: GraphQLSchema;
  health: CompiledOperations;
  hosting: CompiledOperations;
  pages: CompiledOperations;
  listed: ListedOperations;
}

const compiled = new Map<string, CompiledGateway>();

/**
 * Compiles once per process, list of article sources and brand, the only settings that the result depends on: it takes about a
 * second of CPU time, most of a start, and tests start a hundred gateways in one process.
 *
 * @throws GuardError, OperationError, ListedOperationError if the source files do not fit together
 */
export function compileGateway({
  ARTICLE_SOURCES,
  HOSTING_BRAND,
}: Pick<Config, 'ARTICLE_SOURCES' | 'HOSTING_BRAND'>): CompiledGateway {
  const key = [HOSTING_BRAND, ...ARTICLE_SOURCES].join();
  const found = compiled.get(key);
  if (found) return found;
  const graph = buildGraph({ ARTICLE_SOURCES });
  // The other settings of a product are about requests and answers, not about its operations.
  const health = compileOperations(healthProduct({ corsOrigins: '*' }), graph);
  const brand = { word: HOSTING_BRAND, name: brandName(HOSTING_BRAND) };
  const hosting = compileOperations(hostingProduct({ brand }), graph);
  const pages = compileOperations(pagesProduct({ formatForApi: () => ({ status: 500, body: undefined }) }), graph);
  const made = { graph, health, hosting, pages, listed: readListedOperations(graph) };
  compiled.set(key, made);
  return made;
}
