import type { ApolloServer } from '@apollo/server';
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import type { GraphqlContext } from './graphql-context.ts';
import { type GraphProduct, rootFieldsOf } from './root-products.ts';

/** Root fields of every view: they concern the caller, or objects of either product. */
const shared = new Set(['node', 'nodes', 'rateLimit']);
const sharedTypes = new Set(['Query', 'Mutation', 'Subscription', 'RateLimit']);

/** The public graph with the root fields of one product, and the types that they lead to. */
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
  /** The started server of the view. */
  apollo(): Promise<ApolloServer<GraphqlContext>>;
  stop(): Promise<void>;
}

type CreateServer = (graph: GraphQLSchema) => ApolloServer<GraphqlContext>;

/** The whole graph, and its part for each product. */
export interface GraphViews extends Record<'all' | GraphProduct, GraphView> {
  stop(): Promise<unknown>;
}

/**
 * Views of the graph. That of a product is made by its first request: filtering and pruning take some 240 ms when cold, and most
 * installations use the whole graph.
 */
export function graphViews(graph: GraphQLSchema, createServer: CreateServer): GraphViews {
  const views = {
    all: lazy(() => graph, createServer),
    health: lazy(() => productGraph(graph, 'health'), createServer),
    hosting: lazy(() => productGraph(graph, 'hosting'), createServer),
  };
  return { ...views, stop: () => Promise.all(Object.values(views).map(view => view.stop())) };
}

function lazy(make: () => GraphQLSchema, createServer: CreateServer): GraphView {
  let schema: GraphQLSchema | undefined;
  let server: Promise<ApolloServer<GraphqlContext>> | undefined;
  const graph = (): GraphQLSchema => {
    schema ??= make();
    return schema;
  };
  return {
    graph,
    apollo() {
      server ??= start(createServer(graph()));
      return server;
    },
    stop: async () => (await server)?.stop(),
  };
}

async function start(server: ApolloServer<GraphqlContext>): Promise<ApolloServer<GraphqlContext>> {
  await server.start();
  return server;
}
