import type { GraphQLSchema } from 'graphql';

/** Scalars of libraries, whose own descriptions are long or speak of the library. */
// biome-ignore lint/plugin/word-tables: only iterated
const descriptions: Readonly<Record<string, string>> = {
  JSONObject: 'JSON object of any shape.',
  SafeInt: 'Whole number that a double represents exactly: from -(2^53 - 1) to 2^53 - 1.',
};

/** Describes scalars of libraries, in place. */
export function withScalarDescriptions(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, description] of Object.entries(descriptions)) {
    const type = schema.getType(name);
    if (type) type.description = description;
  }
  return schema;
}
