import type { GraphQLSchema } from 'graphql';

/** Types that no class of this code describes: the roots, and scalars of libraries, whose own descriptions are long or speak of the library. */
// biome-ignore lint/plugin/word-tables: only iterated
const descriptions: Readonly<Record<string, string>> = {
  Query: 'Reads, which run concurrently. What you may not see is null or absent.',
  Mutation: 'Changes, one after the other, each in a transaction of its own.',
  Subscription: 'Events as they happen, over WebSocket (`graphql-transport-ws`). A subscription has one field.',
  JSONObject: 'JSON object of any shape.',
  SafeInt: 'Whole number that a double represents exactly: from -(2^53 - 1) to 2^53 - 1.',
};

/** Describes them, in place. */
export function withTypeDescriptions(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, description] of Object.entries(descriptions)) {
    const type = schema.getType(name);
    if (type) type.description = description;
  }
  return schema;
}
