import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  buildSchema,
  GraphQLEnumType,
  type GraphQLFieldResolver,
  GraphQLScalarType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isObjectType,
} from 'graphql';

/** What stands behind the names of a graph: resolvers of fields, values of enums, functions of scalars, `resolveType`. */
// biome-ignore lint/suspicious/noExplicitAny: each entry is of the kind that its type in the graph has.
export type TestResolvers = Record<string, Record<string, any>>;

/** An executable graph: the SDL, with what its names do. Throws for a name that the SDL does not have. */
export function buildTestSchema(sdl: string, behaviour: TestResolvers = {}): GraphQLSchema {
  // Enums and scalars first, so that defaults are made by them.
  const graph = mapSchema(buildSchema(sdl), {
    [MapperKind.ENUM_TYPE]: type => {
      const { values, ...config } = type.toConfig();
      for (const [name, value] of Object.entries(behaviour[type.name] ?? {}))
        Object.assign(values[name] ?? unknown(type.name, name), { value });
      return new GraphQLEnumType({ ...config, values });
    },
    [MapperKind.SCALAR_TYPE]: type => new GraphQLScalarType({ ...type.toConfig(), ...behaviour[type.name] }),
  });
  for (const [name, parts] of Object.entries(behaviour)) {
    const type = graph.getType(name);
    if (isLeafType(type)) continue;
    if (isAbstractType(type)) Object.assign(type, parts);
    else if (isObjectType(type)) {
      const { isTypeOf, ...resolvers } = parts;
      if (isTypeOf) type.isTypeOf = isTypeOf;
      for (const [field, resolve] of Object.entries(resolvers)) {
        const definition = type.getFields()[field] ?? unknown(name, field);
        definition.resolve = resolve as GraphQLFieldResolver<unknown, unknown>;
      }
    } else unknown(name);
  }
  return graph;
}

/** A resolver that answers with the arguments it got, as JSON with sorted keys: their order is nobody's promise. */
export function echo(_: unknown, args: object): string {
  return JSON.stringify(args, (_key, value) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 1;
    return isMap ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

function unknown(...names: string[]): never {
  throw new Error(`The graph of this test has no ${names.join('.')}.`);
}
