import { GraphQLEnumType, GraphQLScalarType, type GraphQLSchema } from 'graphql';
import { copySchema } from './copy-schema.ts';
import type { Product } from './product.ts';

/**
 * The graph in the wire's spelling: enum values in lower case, in both directions, and date-times in their published precision.
 * Converting the schema once at boot saves a walk over each response, and parameters are validated in the published spelling.
 */
export function buildWireSchema(
  graph: GraphQLSchema,
  { enumSpellings = {}, wholeSecondScalars = [] }: Pick<Product, 'enumSpellings' | 'wholeSecondScalars'>,
): GraphQLSchema {
  return copySchema(graph, {
    leaf: type => {
      if (type instanceof GraphQLEnumType) return inPublishedSpelling(type, enumSpellings[type.name]);
      if (!wholeSecondScalars.includes(type.name)) return type;
      const config = type.toConfig();
      return new GraphQLScalarType({ ...config, serialize: value => withoutFraction(config.serialize(value)) });
    },
  });
}

function inPublishedSpelling(
  type: GraphQLEnumType,
  spelling: Readonly<Record<string, string>> | undefined,
): GraphQLEnumType {
  const { values, ...config } = type.toConfig();
  const published = new Map(
    Object.entries(values).map(([name, value]) => [spelling?.[name] ?? name.toLowerCase(), value]),
  );
  if (published.size < Object.keys(values).length) {
    throw new TypeError(
      `Two values of the enum ${type.name} differ in nothing but case; REST publishes them in lower case.`,
    );
  }
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(published) });
}

/** 2026-02-14T09:30:00.125Z → 2026-02-14T09:30:00Z */
function withoutFraction(instant: unknown): string {
  // A scalar may leave a Date to JSON.stringify.
  const text = instant instanceof Date ? instant.toISOString() : String(instant);
  return text.replace(/\.\d+Z$/, 'Z');
}
