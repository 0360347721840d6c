import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  GraphQLEnumType,
  type GraphQLField,
  GraphQLScalarType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Product } from './product.ts';

/**
 * The graph in the wire's spelling: enum values in lower case, in both directions, and date-times in their published precision.
 * Converting the schema once at boot saves a walk over each response, and parameters are validated in the published spelling.
 */
export function buildWireSchema(
  graph: GraphQLSchema,
  { enumSpellings = {}, wholeSecondScalars = [] }: Pick<Product, 'enumSpellings' | 'wholeSecondScalars'>,
): GraphQLSchema {
  const wire = mapSchema(graph, {
    [MapperKind.SCALAR_TYPE]: type => {
      if (!wholeSecondScalars.includes(type.name)) return type;
      const config = type.toConfig();
      return new GraphQLScalarType({ ...config, serialize: value => withoutFraction(config.serialize(value)) });
    },
    [MapperKind.ENUM_TYPE]: type => {
      const { values, ...config } = type.toConfig();
      const spelling = enumSpellings[type.name];
      const published = new Map(
        Object.entries(values).map(([name, value]) => [spelling?.[name] ?? name.toLowerCase(), value]),
      );
      if (published.size < Object.keys(values).length) {
        throw new TypeError(
          `Two values of the enum ${type.name} differ in nothing but case; REST publishes them in lower case.`,
        );
      }
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(published) });
    },
  });
  restoreDefaults(graph, wire);
  return wire;
}

/** 2026-02-14T09:30:00.125Z → 2026-02-14T09:30:00Z */
function withoutFraction(instant: unknown): string {
  // A scalar may leave a Date to JSON.stringify.
  const text = instant instanceof Date ? instant.toISOString() : String(instant);
  return text.replace(/\.\d+Z$/, 'Z');
}

/**
 * Restores defaults, which are internal values and do not change. `mapSchema` serializes them by the old enum and parses them by
 * the new one, which does not know the name, and leaves the name as the default.
 */
function restoreDefaults(graph: GraphQLSchema, wire: GraphQLSchema): void {
  for (const type of Object.values(wire.getTypeMap())) {
    const before = graph.getType(type.name);
    if (isInputObjectType(type) && isInputObjectType(before)) copyDefaults(before.getFields(), type.getFields());
    if (!(isObjectType(type) || isInterfaceType(type)) || !(isObjectType(before) || isInterfaceType(before))) continue;
    for (const field of Object.values(type.getFields())) {
      const same = before.getFields()[field.name];
      if (same) copyDefaults(argumentsOf(same), argumentsOf(field));
    }
  }
}

type Defaulted = Record<string, { defaultValue?: unknown }>;

function argumentsOf({ args }: GraphQLField<unknown, unknown>): Defaulted {
  return Object.fromEntries(args.map(one => [one.name, one]));
}

function copyDefaults(from: Defaulted, to: Defaulted): void {
  for (const [name, one] of Object.entries(to)) one.defaultValue = from[name]?.defaultValue;
}
