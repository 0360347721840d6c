import type { ApolloServer } from '@apollo/server';
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import type { GraphqlContext } from './graphql-context.ts';
import { type GraphProduct, rootFieldsOf } from './root-products.ts';

/** Root fields of every view: they concern the caller, or objects of either product. */
const shared = new Set(['node', 'nodes', 'rateLimit']);
const sharedTypes = new Set(['Query', 'Mutation', 'Subscription', 'RateLimit']);

/** The public graph with the root fields of one product, and the types that they lead to. */
export function productGraph(graph: GraphQLSchema, product: GraphProduct): GraphQLSchema {
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

/** The graph of both products. */
export const wholeGraph = (graph: GraphQLSchema, createServer: CreateServer): GraphView =>
  lazy(() => graph, createServer);

/**
 * The view of one product, made by its first request: filtering and pruning take some 240 ms when cold, and most installations use the whole
 * graph.
 */
export const graphView = (graph: GraphQLSchema, product: GraphProduct, createServer: CreateServer): GraphView =>
  lazy(() => productGraph(graph, product), createServer);

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
