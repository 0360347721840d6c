import {
  type DocumentNode,
  type EnumValueNode,
  type GraphQLEnumType,
  GraphQLFloat,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { NegotiatedVariable, Operation } from './operation.ts';
import { pointedFloat } from './pointed-float.ts';
import type { Product } from './product.ts';
import { enterField, type SelectionLevel, SelectionWalker } from './selection-walker.ts';
import { withFraction } from './wire-schema.ts';

/** Converts a value that is neither null nor a list. */
type Convert = (value: unknown) => unknown;

type Variable = Pick<NegotiatedVariable, 'name' | 'type'>;

/**
 * Translates operations between the wire's spelling and the graph's, where the graph is executed by somebody else, who has never
 * seen the wire schema. Otherwise the wire schema itself is executed, which costs no walk over a result.
 */
export class GraphSpelling {
  readonly #graph: GraphQLSchema;
  readonly #wire: GraphQLSchema;
  readonly #fractionDigits: NonNullable<Product['fractionDigits']>;
  readonly #writesFloats: Convert;

  constructor(
    graph: GraphQLSchema,
    wire: GraphQLSchema,
    { fractionDigits = {}, render }: Pick<Product, 'fractionDigits' | 'render'>,
  ) {
    this.#writesFloats = render ? value => value : pointedFloat;
    this.#graph = graph;
    this.#wire = wire;
    this.#fractionDigits = fractionDigits;
  }

  /** The document with the graph's names of enum values. */
  document(document: DocumentNode): DocumentNode {
    const types = new TypeInfo(this.#wire);
    const spell = {
      EnumValue: (node: EnumValueNode) => {
        const type = getNamedType(types.getInputType());
        return isEnumType(type) ? { ...node, value: this.#graphName(type, node.value) } : undefined;
      },
    };
    return visit(document, visitWithTypeInfo(types, spell));
  }

  /** A function of coerced variables; it returns new ones. */
  variables(variables: readonly Variable[]): (values: Readonly<Record<string, unknown>>) => Record<string, unknown> {
    const types = new Map(variables.map(({ name, type }) => [name, type]));
    return values =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => {
          const type = types.get(name);
          return [name, type ? this.#input(type, value) : value];
        }),
      );
  }

  /** A function of the data of an operation; it returns a copy in the wire's spelling. */
  result({ definition, fragments }: Pick<Operation, 'definition' | 'fragments'>): (data: unknown) => unknown {
    const root = this.#wire.getRootType(definition.operation);
    if (!root) throw new TypeError(`The graph has no ${definition.operation}.`);
    const walker = new SelectionWalker({ schema: this.#wire, fragments });
    const convert = this.#object(walker, [{ set: definition.selectionSet, parent: root }]);
    return data => convertEach(data, convert);
  }

  #graphName(type: GraphQLEnumType, published: string): string {
    const original = this.#graph.getType(type.name);
    const value = type.getValue(published);
    return isEnumType(original) && value ? String(original.serialize(value.value)) : published;
  }

  #input(type: GraphQLInputType, value: unknown): unknown {
    const nullable = getNullableType(type);
    if (value === null || value === undefined) return value;
    if (isListType(nullable)) {
      return Array.isArray(value)
        ? value.map(item => this.#input(nullable.ofType, item))
        : this.#input(nullable.ofType, value);
    }
    if (isEnumType(nullable)) return this.#graphName(nullable, String(value));
    if (!isInputObjectType(nullable) || typeof value !== 'object') return value;
    const fields = nullable.getFields();
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, fields[key] ? this.#input(fields[key].type, inner) : inner]),
    );
  }

  /** Selections of one object can be spread over several levels, each with fields of the same key. */
  #object(walker: SelectionWalker, levels: readonly SelectionLevel[]): Convert {
    const below = new Map<string, SelectionLevel[]>();
    const converts = new Map<string, Convert>();
    for (const { field, key, type } of levels.flatMap(level => [...walker.fieldsOf(level)])) {
      const level = enterField(field, type);
      if (level) below.set(key, [...(below.get(key) ?? []), level]);
      else converts.set(key, this.#leaf(getNamedType(type)));
    }
    for (const [key, inner] of below) converts.set(key, this.#object(walker, inner));
    return value =>
      Object.fromEntries(
        Object.entries(value as object).map(([key, inner]) => [
          key,
          convertEach(inner, converts.get(key) ?? (one => one)),
        ]),
      );
  }

  #leaf(type: GraphQLNamedType): Convert {
    const digits = this.#fractionDigits[type.name];
    if (digits !== undefined) return value => withFraction(value, digits);
    if (type.name === GraphQLFloat.name) return this.#writesFloats;
    if (!isEnumType(type)) return value => value;
    const published = new Map(type.getValues().map(({ name }) => [this.#graphName(type, name), name]));
    return value => published.get(String(value)) ?? value;
  }
}

function convertEach(value: unknown, convert: Convert): unknown {
  if (value === null || value === undefined) return value;
  return Array.isArray(value) ? value.map(item => convertEach(item, convert)) : convert(value);
}
