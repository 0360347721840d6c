import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, type GraphQLSchema } from 'graphql';

/** Sets the publisher codes of this installation in the schema: `who` is `WHO` in GraphQL and `who` in the database. */
export function withPublisherCodes(schema: GraphQLSchema, codes: readonly string[]): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.ENUM_TYPE]: type =>
      type.name === 'PublisherCode'
        ? new GraphQLEnumType({
            ...type.toConfig(),
            values: Object.fromEntries(codes.map(code => [code.toUpperCase(), { value: code }])),
          })
        : type,
  });
}
