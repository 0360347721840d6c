import { GraphQLEnumType, type GraphQLSchema } from 'graphql';

/** Sets the publisher codes of this installation, in place: `who` is `WHO` in GraphQL and `who` in the database. */
export function withPublisherCodes(schema: GraphQLSchema, codes: readonly string[]): GraphQLSchema {
  const type = schema.getType('PublisherCode');
  if (!(type instanceof GraphQLEnumType)) throw new TypeError('There is no enum PublisherCode.');
  const values = Object.fromEntries(codes.map(code => [code.toUpperCase(), { value: code }]));
  // Every field that refers to the type keeps referring to it.
  Object.assign(type, new GraphQLEnumType({ ...type.toConfig(), values }));
  return schema;
}
