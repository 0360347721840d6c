import type { GraphQLSchema } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { healthResolvers } from '../health/health.ts';
import { hostingResolvers } from '../hosting/hosting.ts';

/** The product whose limits and view a root field belongs to. */
export type GraphProduct = 'health' | 'hosting';

const extension = 'product';

/**
 * Marks every root field with the product whose resolver class declares it, in place. `node` and `nodes`, which no class declares,
 * belong to the code hosting product, whose limits are the stricter ones for anonymous callers.
 *
 * @throws TypeError for a root field of a class that neither product lists
 */
export function withRootProducts(schema: GraphQLSchema): GraphQLSchema {
  const products = productsByName();
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const product = products.get(`${type}.${field.name}`) ?? (field.name.startsWith('node') ? 'hosting' : undefined);
      if (!product) throw new TypeError(`${type}.${field.name} belongs to no product.`);
      field.extensions = { ...field.extensions, [extension]: product };
    }
  }
  return schema;
}

function productsByName(): Map<string, GraphProduct> {
  const { queries, mutations, subscriptions } = getMetadataStorage();
  const health: readonly unknown[] = healthResolvers;
  const hosting: readonly unknown[] = hostingResolvers;
  const all = { Query: queries, Mutation: mutations, Subscription: subscriptions };
  return new Map(
    Object.entries(all).flatMap(([type, fields]) =>
      fields.flatMap(({ schemaName, target }) => {
        const product = health.includes(target) ? 'health' : hosting.includes(target) ? 'hosting' : undefined;
        return product ? [[`${type}.${schemaName}`, product] as const] : [];
      }),
    ),
  );
}

/** Names of the root fields of a product, of queries, mutations and subscriptions. */
export function rootFieldsOf(schema: GraphQLSchema, product: GraphProduct): Set<string> {
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = types.flatMap(type => Object.values(type?.getFields() ?? {}));
  return new Set(fields.filter(one => one.extensions[extension] === product).map(one => one.name));
}
