import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import type { GraphqlServer } from './apollo-server.ts';
import { type GraphProduct, rootFieldsOf } from './root-products.ts';

/** Root fields of every view: they concern the caller, or objects of either product. */
const shared = new Set(['node', 'nodes', 'rateLimit']);
const sharedTypes = new Set(['Query', 'Mutation', 'Subscription', 'RateLimit']);

/** The graph with the root fields of one product, and the types that they lead to. */
function productGraph(graph: GraphQLSchema, product: GraphProduct): GraphQLSchema {
  const own = rootFieldsOf(graph, product);
  const withRoots = (isKept: (name: string) => boolean): GraphQLSchema =>
    mapSchema(graph, { [MapperKind.ROOT_FIELD]: (field, name) => (isKept(name) ? field : null) });
  // `node` leads to every type that has an id, so that what belongs to the product is found without it.
  const reachable = pruneSchema(withRoots(name => own.has(name) && !shared.has(name)));
  const cut = mapSchema(
    withRoots(name => own.has(name) || shared.has(name)),
    {
      [MapperKind.OBJECT_TYPE]: type => (reachable.getType(type.name) || sharedTypes.has(type.name) ? type : null),
    },
  );
  return pruneSchema(cut);
}

/** A view of the graph at an address of its own. */
export interface GraphView {
  graph(): GraphQLSchema;
  server(): GraphqlServer;
}

/** The whole graph, and its part for each product. */
export type GraphViews = Record<'all' | GraphProduct, GraphView>;

/**
 * Views of the graph. That of a product is made by its first request: filtering and pruning take some 240 ms when cold, and most
 * installations use the whole graph.
 */
export function graphViews(graph: GraphQLSchema, openServer: (graph: GraphQLSchema) => GraphqlServer): GraphViews {
  const lazy = (make: () => GraphQLSchema): GraphView => {
    let schema: GraphQLSchema | undefined;
    let server: GraphqlServer | undefined;
    const made = (): GraphQLSchema => {
      schema ??= make();
      return schema;
    };
    return {
      graph: made,
      server() {
        server ??= openServer(made());
        return server;
      },
    };
  };
  return {
    all: lazy(() => graph),
    health: lazy(() => productGraph(graph, 'health')),
    hosting: lazy(() => productGraph(graph, 'hosting')),
  };
}
