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

/** By type name: field resolvers, enum values, scalar functions, `resolveType`. */
// biome-ignore lint/suspicious/noExplicitAny: the kind of an entry depends on its type in the schema.
export type TestResolvers = Record<string, Record<string, any>>;

/** An executable schema of SDL and resolvers. Throws for a resolver without a name in the SDL. */
export function buildTestSchema(sdl: string, behaviour: TestResolvers = {}): GraphQLSchema {
  // Enums and scalars first, because defaults are coerced by them.
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

/** Returns its arguments as JSON with sorted keys, because their order is not defined. */
export function echo(_: unknown, args: object): string {
  return JSON.stringify(args, (_key, value) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 1;
    return isMap ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}

function unknown(...names: string[]): never {
  throw new Error(`The graph of this test has no ${names.join('.')}.`);
}
