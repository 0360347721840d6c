import {
  GraphQLEnumType,
  type GraphQLInputField,
  GraphQLScalarType,
  type GraphQLSchema,
  isInputObjectType,
} from 'graphql';
import { copySchema } from './copy-schema.ts';
import type { EnumSpelling, Product } from './product.ts';

/**
 * The graph in the wire's spelling: enum values in lower case, in both directions, and date-times in their published precision.
 * Converting the schema once at boot saves a walk over each response, and parameters are validated in the published spelling.
 */
export function buildWireSchema(
  graph: GraphQLSchema,
  {
    enumSpellings = {},
    enumNames = {},
    inputSpellings = {},
    inputVariants = {},
    fractionDigits = {},
    documentTypes = [],
  }: Pick<
    Product,
    'enumSpellings' | 'enumNames' | 'inputSpellings' | 'inputVariants' | 'fractionDigits' | 'documentTypes'
  >,
): GraphQLSchema {
  const wire = copySchema(
    graph,
    type => {
      if (type instanceof GraphQLEnumType) {
        const published = inPublishedSpelling(type, enumSpellings[type.name]);
        const publishedName = enumNames[type.name];
        if (publishedName !== undefined) published.extensions = { ...published.extensions, publishedName };
        return published;
      }
      const digits = fractionDigits[type.name];
      if (digits === undefined) return type;
      const config = type.toConfig();
      return new GraphQLScalarType({ ...config, serialize: value => withFraction(config.serialize(value), digits) });
    },
    documentTypes,
  );
  for (const [typeName, names] of Object.entries(inputSpellings)) {
    const type = wire.getType(typeName);
    if (!isInputObjectType(type)) continue;
    // The copies of this schema.
    for (const field of Object.values(type.getFields()))
      if (names[field.name] !== undefined) field.extensions = { ...field.extensions, publishedName: names[field.name] };
  }
  for (const [typeName, variants] of Object.entries(inputVariants)) {
    const type = wire.getType(typeName);
    if (!isInputObjectType(type)) continue;
    for (const [name, by] of Object.entries(variants)) {
      const field = type.getFields()[name];
      if (field) field.extensions = { ...field.extensions, variantBy: by };
    }
  }
  return wire;
}

/** A value of an enum of the graph as the wire spells it. */
export const publishedValueName = ({ extensions }: GraphQLEnumType, name: string): string =>
  (extensions.spelling as Readonly<Record<string, string>> | undefined)?.[name] ?? name.toLowerCase();

/** Name of a field of an input object in bodies and in the OpenAPI document. */
export const publishedFieldName = ({ name, extensions }: GraphQLInputField): string | null =>
  extensions.publishedName === undefined ? name : (extensions.publishedName as string | null);

function inPublishedSpelling(type: GraphQLEnumType, spelling: EnumSpelling | undefined): GraphQLEnumType {
  const { values, ...config } = type.toConfig();
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const spelled = spelling?.[name];
    return spelled === null ? [] : [[spelled ?? name.toLowerCase(), value] as const];
  });
  const published = new Map(entries);
  if (published.size < entries.length) {
    throw new TypeError(
      `Two values of the enum ${type.name} differ in nothing but case; REST publishes them in lower case.`,
    );
  }
  const extensions = spelling ? { ...config.extensions, spelling } : config.extensions;
  return new GraphQLEnumType({ ...config, extensions, values: Object.fromEntries(published) });
}

/** 2026-02-14T09:30:00.125Z → 2026-02-14T09:30:00Z, or 2026-02-14T09:30:00.125000Z with six digits. */
export function withFraction(instant: unknown, digits: number): string {
  // A scalar may leave a Date to JSON.stringify.
  const text = instant instanceof Date ? instant.toISOString() : String(instant);
  const [seconds = '', fraction = ''] = text.replace(/Z$/, '').split('.');
  return digits === 0 ? `${seconds}Z` : `${seconds}.${fraction.slice(0, digits).padEnd(digits, '0')}Z`;
}
