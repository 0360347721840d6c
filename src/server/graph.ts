import type { GraphQLSchema } from 'graphql';
import { withFacadeDirectives } from 'operation-rest';
import { buildSchemaSync } from 'type-graphql';
import { accessRules, ownerRules, publicScopes } from '../auth/access-rules.ts';
import type { Config } from '../config/config.ts';
import { healthNodes, healthResolvers } from '../health/health.ts';
import { hostingNodes, hostingResolvers } from '../hosting/hosting.ts';
import { connectionResolvers } from './connection-resolvers.ts';
import { withCornerDescriptions } from './corner-descriptions.ts';
import { guard } from './guard.ts';
import { withMutationInputs } from './mutation-inputs.ts';
import { withNodes } from './nodes.ts';
import { withPlainLists } from './plain-lists.ts';
import { withPublisherCodes } from './publisher-codes.ts';
import { withRootCosts } from './root-costs.ts';
import { withRootProducts } from './root-products.ts';
import { withTypeDescriptions } from './type-descriptions.ts';
import { withTypenameResolution } from './typename-resolution.ts';

type Transform = (schema: GraphQLSchema) => GraphQLSchema;

/** Required by type-graphql as soon as a subscription exists. Unused: every subscription has its own `subscribe`. */
const unusedPubSub = {
  publish(): never {
    throw new Error('Nothing is published in a process alone: see src/db/notifications.ts.');
  },
  subscribe(): never {
    throw new Error('Give the subscription a `subscribe` of its own.');
  },
};

/**
 * Builds the graph of both products from the resolver classes and applies the transforms. `/graphql` serves it, and operation files are
 * compiled against it.
 */
export function buildGraph(config: Pick<Config, 'ARTICLE_SOURCES'>): GraphQLSchema {
  const transforms: Transform[] = [
    withTypeDescriptions,
    withCornerDescriptions,
    withRootCosts,
    withTypenameResolution,
    withMutationInputs,
    schema => withNodes(schema, [...healthNodes, ...hostingNodes]),
    withRootProducts,
    schema => withPublisherCodes(schema, config.ARTICLE_SOURCES),
    schema => guard(schema, { rules: accessRules, publicScopes, ownerRules }),
    // An operation file is a valid document at `/graphql`: its data are those before the directives change them.
    withFacadeDirectives,
  ];
  const bare = withPlainLists(() =>
    buildSchemaSync({
      resolvers: searchable([...healthResolvers, ...hostingResolvers, ...connectionResolvers()]),
      validate: false,
      disableInferringDefaultValues: true,
      pubSub: unusedPubSub,
      // An introspection of the whole schema, a tenth of the time. `npm run check` validates the finished graph.
      skipCheck: true,
    }),
  );
  return transforms.reduce((schema, transform) => transform(schema), bare);
}

/** The list with a constant-time `includes`, which type-graphql calls for every field and every field resolver: 2 million times. */
function searchable<T>(list: T[]): [T, ...T[]] {
  const members = new Set(list);
  return Object.assign(list, { includes: (one: T) => members.has(one) }) as unknown as [T, ...T[]];
}
