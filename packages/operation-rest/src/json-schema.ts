import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { hasDirective, replacedSchema } from './field-rules.ts';
import { type InputKeywords, keywordsOf, withKeywords } from './input-keywords.ts';
import type { JsonSchema } from './product.ts';
import { publishedFieldName } from './wire-schema.ts';

// biome-ignore lint/plugin/word-tables: read by names of scalars of the schema
const builtIn: Record<string, JsonSchema> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  // The scalar's own schema has limits at ±2^53, and Swagger UI would show the minimum as the example of every id.
  SafeInt: { type: 'integer', format: 'int64' },
};

/**
 * Builds JSON Schemas from types and selections. Fragments, enums and input types become components of the same name, collected in
 * `components`. Nullability is the graph's; selected keys are required unless `@omitNull` or `@removedIn`.
 */
export class JsonSchemaBuilder {
  readonly components: Record<string, JsonSchema> = {};
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Registers the fragments of an operation. A fragment name is unique in a product. */
  addFragments(fragments: readonly FragmentDefinitionNode[]): void {
    for (const fragment of fragments) this.#fragments.set(fragment.name.value, fragment);
  }

  /** @param accepts what the input accepts beyond its type */
  input(type: GraphQLInputType, accepts?: InputKeywords): JsonSchema {
    const schema = withKeywords(this.#inputOf(type), accepts?.keywords);
    return isNonNullType(type) || accepts?.refusesNull ? schema : nullable(schema);
  }

  #inputOf(type: GraphQLInputType): JsonSchema {
    if (isNonNullType(type)) return this.#inputOf(type.ofType);
    if (isListType(type)) return { type: 'array', items: this.input(type.ofType) };
    if (isScalarType(type) && type.extensions.inputJsonSchema) return type.extensions.inputJsonSchema as JsonSchema;
    if (!isInputObjectType(type)) return this.#leaf(type);
    if (!this.components[type.name]) {
      const component: JsonSchema = { type: 'object', ...descriptionOf(type.description) };
      this.components[type.name] = component;
      const fields = Object.values(type.getFields()).filter(field => publishedFieldName(field) !== null);
      component.properties = Object.fromEntries(
        fields.map(field => [
          publishedFieldName(field),
          { ...this.input(field.type, keywordsOf(field)), ...descriptionOf(field.description) },
        ]),
      );
      const required = fields.filter(field => isNonNullType(field.type) && field.defaultValue === undefined);
      if (required.length > 0) component.required = required.map(publishedFieldName);
    }
    return reference(type.name);
  }

  output(type: GraphQLOutputType, selections: SelectionSetNode | undefined): JsonSchema {
    return this.#output(type, selections ? [selections] : []);
  }

  #output(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): JsonSchema {
    if (isNonNullType(type)) return this.#outputOf(type.ofType, sets);
    return nullable(this.#outputOf(type, sets));
  }

  #outputOf(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): JsonSchema {
    if (isNonNullType(type)) return this.#outputOf(type.ofType, sets);
    if (isListType(type)) return { type: 'array', items: this.#output(type.ofType, sets) };
    return sets.length > 0 ? this.#anyObject(type, sets) : this.#leaf(type);
  }

  /** The object of a selection on a type; its fragments are components. */
  object(type: GraphQLNamedType, selections: SelectionSetNode): JsonSchema {
    return this.#anyObject(type, [selections]);
  }

  #anyObject(type: GraphQLNamedType, sets: readonly SelectionSetNode[]): JsonSchema {
    if (!isAbstractType(type)) return this.#plainObject(type, sets);
    const [only, ...more] = sets.flatMap(({ selections }) => selections);
    const fragment = only?.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(only.name.value) : undefined;
    if (fragment?.typeCondition.name.value === type.name && more.length === 0) return this.#component(fragment);
    // One object for all types, with the nullability and the descriptions of the interface.
    if (isInterfaceType(type) && !sets.some(set => this.#tellsTypesApart(type.name, set))) {
      return this.#plainObject(type, sets);
    }
    return anyOf(this.#schema.getPossibleTypes(type).map(one => this.#plainObject(one, sets)));
  }

  /** @param sets selections of the same object in several places */
  #plainObject(type: GraphQLNamedType, sets: readonly SelectionSetNode[]): JsonSchema {
    const parts = new Map<string, FragmentDefinitionNode>();
    const own = new Map<string, FieldNode[]>();
    // Objects whose keys are published in the place of their own (`@spread`).
    const spread = new Map<FieldNode | FragmentDefinitionNode, GraphQLOutputType>();
    const collect = ({ selections }: SelectionSetNode, outer?: GraphQLOutputType): void => {
      const parent = outer ? getNamedType(outer) : type;
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          const inner = hasDirective(selection, 'spread') ? fieldOf(parent, selection)?.type : undefined;
          if (inner && selection.selectionSet) collect(selection.selectionSet, inner);
          else {
            const key = keyOf(selection);
            own.set(key, [...(own.get(key) ?? []), selection]);
            if (outer) spread.set(selection, outer);
          }
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = this.#fragments.get(selection.name.value);
          if (!fragment || !this.#applies(fragment.typeCondition.name.value, parent)) continue;
          // The component would allow the other types' keys, or require those of an object that may be null.
          if (this.#hasTypedParts(fragment) || (outer && !isNonNullType(outer))) collect(fragment.selectionSet, outer);
          else {
            parts.set(fragment.name.value, fragment);
            if (outer) spread.set(fragment, outer);
          }
        } else if (!selection.typeCondition || this.#applies(selection.typeCondition.name.value, parent)) {
          collect(selection.selectionSet, outer);
        }
      }
    };
    for (const set of sets) collect(set);
    this.#mergeObjects(parts, own, fragment => collect(fragment.selectionSet, spread.get(fragment)));
    const schemas = [...parts.values()].map(fragment => this.#component(fragment));
    if (own.size > 0 || schemas.length === 0) schemas.push(this.#fields(type, own, spread));
    return schemas.length === 1 ? (schemas[0] ?? {}) : { allOf: schemas };
  }

  /**
   * A fragment that selects an object of which another part selects something is no component here: two parts of an `allOf` would
   * deny each other's keys of that object.
   */
  #mergeObjects(
    parts: Map<string, FragmentDefinitionNode>,
    own: Map<string, FieldNode[]>,
    collect: (fragment: FragmentDefinitionNode) => void,
  ): void {
    const keysOf = ({ name }: FragmentDefinitionNode): Set<string> => this.#objectKeys(parts.get(name.value));
    for (const [key, occurrences] of own) {
      const isElsewhere = [...parts.values()].some(fragment => keysOf(fragment).has(key));
      if (isElsewhere && occurrences.every(sendsHeadersOnly)) own.delete(key);
    }
    const shared = (): FragmentDefinitionNode | undefined => {
      const fragments = [...parts.values()];
      return fragments.find((one, index) =>
        [...keysOf(one)].some(
          key => own.has(key) || fragments.some((other, at) => at !== index && keysOf(other).has(key)),
        ),
      );
    };
    for (let next = shared(); next; next = shared()) {
      parts.delete(next.name.value);
      collect(next);
    }
  }

  /** The keys with objects, through all fragments. */
  #objectKeys(selected: FragmentDefinitionNode | InlineFragmentNode | undefined): Set<string> {
    const keys = (selected?.selectionSet.selections ?? []).flatMap(selection => {
      if (selection.kind === Kind.FIELD) return selection.selectionSet ? [keyOf(selection)] : [];
      const isNamed = selection.kind === Kind.FRAGMENT_SPREAD;
      return [...this.#objectKeys(isNamed ? this.#fragments.get(selection.name.value) : selection)];
    });
    return new Set(keys);
  }

  /** Whether a selection has a field of `type`. */
  selects(type: GraphQLNamedType, { selections }: SelectionSetNode): boolean {
    return selections.some(selection => {
      if (selection.kind === Kind.FIELD) return true;
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      if (!inner || (inner.typeCondition && !this.#applies(inner.typeCondition.name.value, type))) return false;
      return this.selects(type, inner.selectionSet);
    });
  }

  /** Whether a fragment on an abstract type selects other keys for each type. */
  #hasTypedParts({ typeCondition, selectionSet }: FragmentDefinitionNode): boolean {
    const condition = typeCondition.name.value;
    return isAbstractType(this.#schema.getType(condition)) && this.#tellsTypesApart(condition, selectionSet);
  }

  /** Whether a selection on `condition` has parts for some of its types. */
  #tellsTypesApart(condition: string, { selections }: SelectionSetNode): boolean {
    return selections.some(selection => {
      if (selection.kind === Kind.FIELD) return selection.name.value === '__typename' && !isConstant(selection);
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      if (!inner) return false;
      const named = inner.typeCondition?.name.value ?? condition;
      const outer = this.#schema.getType(condition);
      if (outer && !this.#applies(named, outer)) return true;
      return this.#tellsTypesApart(condition, inner.selectionSet);
    });
  }

  #applies(condition: string, type: GraphQLNamedType): boolean {
    const wanted = this.#schema.getType(condition);
    if (wanted === undefined || wanted.name === type.name) return true;
    if (!isAbstractType(wanted) || !(isObjectType(type) || isInterfaceType(type))) return false;
    return this.#schema.isSubType(wanted, type);
  }

  #component(fragment: FragmentDefinitionNode): JsonSchema {
    const name = fragment.name.value;
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    if (!this.components[name] && type) {
      this.components[name] = {};
      this.components[name] = { ...this.object(type, fragment.selectionSet), ...descriptionOf(type.description) };
    }
    return reference(name);
  }

  /** @param spread fields of other objects than `type`, with the types of those */
  #fields(
    type: GraphQLNamedType,
    fields: Map<string, FieldNode[]>,
    spread: ReadonlyMap<unknown, GraphQLOutputType> = new Map(),
  ): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const [key, occurrences] of fields) {
      const [field] = occurrences;
      if (!field || hasDirective(field, 'header') || hasDirective(field, 'page')) continue;
      const outer = spread.get(field);
      const definition = fieldOf(outer ? getNamedType(outer) : type, field);
      const sets = occurrences.flatMap(one => one.selectionSet ?? []);
      const omitsNull = hasDirective(field, 'omitNull');
      const isOptional = omitsNull || hasDirective(field, 'removedIn');
      if (!isOptional && (!outer || isNonNullType(outer))) required.push(key);
      const omitted = omitsNull || hasDirective(field, 'ifNull');
      const replaced = replacedSchema(field, definition?.type, this.#schema, one =>
        omitted ? this.#outputOf(one, []) : this.#output(one, []),
      );
      const isPlucked = !replaced && definition && hasDirective(field, 'pluck');
      const plucked = isPlucked ? this.#plucked(definition.type, field, omitted) : undefined;
      if (replaced) {
        properties[key] = { ...replaced, ...descriptionOf(definition?.description) };
      } else if (plucked) {
        properties[key] = plucked;
      } else if (!definition) {
        // __typename is the one field that no type declares.
        properties[key] = { type: 'string', const: type.name };
      } else {
        const schema = omitted ? this.#outputOf(definition.type, sets) : this.#output(definition.type, sets);
        properties[key] = {
          ...(hasDirective(field, 'keyed') ? keyedSchema(field, schema) : schema),
          ...descriptionOf(definition.description),
        };
      }
    }
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }

  /** The schema of the only field of an object, which `@pluck` publishes in its place. */
  #plucked(type: GraphQLOutputType, { selectionSet }: FieldNode, omitted: boolean): JsonSchema | undefined {
    const [inner] = selectionSet?.selections ?? [];
    if (inner?.kind !== Kind.FIELD) return undefined;
    const { properties } = this.#fields(getNamedType(type), new Map([[keyOf(inner), [inner]]]));
    const schema = (properties as Record<string, JsonSchema>)[keyOf(inner)];
    return !schema || omitted || isNonNullType(type) ? schema : nullable(schema);
  }

  #leaf(type: GraphQLNamedType): JsonSchema {
    if (isEnumType(type)) {
      const name = String(type.extensions.publishedName ?? type.name);
      const values = type.getValues().map(value => value.name);
      const known = this.components[name]?.enum as readonly string[] | undefined;
      if (known && known.join() !== values.join())
        throw new TypeError(`Two enums with other values are named ${name}.`);
      this.components[name] ??= { type: 'string', enum: values, ...descriptionOf(type.description) };
      return reference(name);
    }
    // The published type of a constant.
    if (!isScalarType(type)) return { type: 'object' };
    return (
      builtIn[type.name] ??
      (type.extensions.jsonSchema as JsonSchema | undefined) ?? { ...descriptionOf(type.description) }
    );
  }
}

/** The schema of the object of a list with `@keyed`. */
export function keyedSchema(field: FieldNode, { type, items }: JsonSchema): JsonSchema {
  const argument = field.directives?.find(one => one.name.value === 'keyed')?.arguments?.[0]?.value;
  const by = argument?.kind === Kind.STRING ? argument.value : undefined;
  const values = Object.entries((items as JsonSchema | undefined)?.properties ?? {}).find(([key]) => key !== by);
  const keyed = Array.isArray(type) ? ['object', 'null'] : 'object';
  return { type: keyed, additionalProperties: (values?.[1] as JsonSchema | undefined) ?? true };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `anyOf` without duplicates; a schema of any value alone, because it allows what the others do. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const open = schemas.find(isOpen);
  if (open) return open;
  const different = [...new Map(schemas.map(one => [JSON.stringify(one), one])).values()];
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different };
}

export function nullable(schema: JsonSchema): JsonSchema {
  const closed = schema.enum !== undefined || schema.const !== undefined;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (isOpen(schema) || (Array.isArray(types) && types.includes('null'))) return schema;
  if (Array.isArray(types) && !closed) return { ...schema, type: [...types, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Whether any value is valid. */
const isOpen = (schema: JsonSchema): boolean => Object.keys(schema).every(key => key === 'description');

function descriptionOf(description: string | null | undefined): JsonSchema {
  return description ? { description } : {};
}

/** The definition of a field; undefined for `__typename`, and of a union. */
function fieldOf(type: GraphQLNamedType, { name }: FieldNode): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined;
}

const keyOf = ({ alias, name }: FieldNode): string => alias?.value ?? name.value;

/** Whether nothing of an object is in the body. */
function sendsHeadersOnly({ selectionSet }: FieldNode): boolean {
  return selectionSet?.selections.every(one => one.kind === Kind.FIELD && hasDirective(one, 'header')) === true;
}

/** Whether the field publishes a constant, the same for every type. */
function isConstant(field: FieldNode): boolean {
  return hasDirective(field, 'const');
}
