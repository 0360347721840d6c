import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { accessRules } from '../auth/access-rules.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../context/context.ts';
import { healthResolvers } from '../health/health.ts';
import { hostingResolvers } from '../hosting/hosting.ts';
import { guard } from './guard.ts';
import { pageResolvers } from './page-resolvers.ts';
import { withPublisherCodes } from './publisher-codes.ts';
import { withRootCosts } from './root-costs.ts';
import { withTypenameUnions } from './typename-unions.ts';

type Transform = (schema: GraphQLSchema) => GraphQLSchema;

/** Words whose fields anybody may use: nothing stands before them. */
const publicScopes = new Set(['public', 'open']);

/** Every subscription brings a source of its own; type-graphql asks for this one as soon as there is any. */
const unusedPubSub = {
  publish(): never {
    throw new Error('Nothing is published in a process alone: see src/db/notifications.ts.');
  },
  subscribe(): never {
    throw new Error('Give the subscription a `subscribe` of its own.');
  },
};

/** The one graph of both products: built from the resolver classes, then a list of transforms, each a schema to a schema. */
export function buildGraph(config: Pick<Config, 'ARTICLE_SOURCES'>): GraphQLSchema {
  const transforms: Transform[] = [
    withRootCosts,
    withTypenameUnions,
    schema => withPublisherCodes(schema, config.ARTICLE_SOURCES),
    schema => guard<Context>(schema, accessRules, publicScopes),
  ];
  const bare = buildSchemaSync({
    resolvers: [...healthResolvers, ...hostingResolvers, ...pageResolvers()],
    validate: false,
    disableInferringDefaultValues: true,
    pubSub: unusedPubSub,
  });
  return transforms.reduce((schema, transform) => transform(schema), bare);
}

/** The graph as text, in an order of its own: what is committed as `schema/schema.graphql`. */
export function printGraph(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
