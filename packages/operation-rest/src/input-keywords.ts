import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { JsonSchema } from './product.ts';

/** What an input accepts beyond its type. */
export interface InputKeywords {
  /** Keywords of JSON Schema for values that are not null; `items` has those of the items of a list. */
  keywords: JsonSchema | undefined;
  /** Whether null is refused although the type is nullable. */
  refusesNull: boolean;
  /** Whether it must be given although the type is nullable. */
  isNeeded: boolean;
}

/** Of an input field or an argument: its extensions `jsonSchema`, as scalars have it, `refusesNull` and `isNeeded`. */
export function keywordsOf({ extensions }: Pick<GraphQLInputField | GraphQLArgument, 'extensions'>): InputKeywords {
  return {
    keywords: extensions.jsonSchema as JsonSchema | undefined,
    refusesNull: extensions.refusesNull === true,
    isNeeded: extensions.isNeeded === true,
  };
}

/** By the variables of a document: the keywords of all inputs that a variable is the value of. */
export function keywordsOfVariables(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<string, InputKeywords> {
  const found = new Map<string, InputKeywords>();
  const types = new TypeInfo(schema);
  const add = (name: string, input: GraphQLInputField | GraphQLArgument | null | undefined): void => {
    if (!input) return;
    const { keywords, refusesNull, isNeeded } = keywordsOf(input);
    const before = found.get(name);
    if (!keywords && !refusesNull && !isNeeded) return;
    found.set(name, {
      keywords: { ...before?.keywords, ...keywords },
      refusesNull: refusesNull || before?.refusesNull === true,
      isNeeded: isNeeded || before?.isNeeded === true,
    });
  };
  const visitor = {
    Argument({ value }: { value: { kind: Kind; name?: { value: string } } }) {
      if (value.kind === Kind.VARIABLE) add(value.name?.value ?? '', types.getArgument());
    },
    ObjectField({ name, value }: { name: { value: string }; value: { kind: Kind; name?: { value: string } } }) {
      const object = getNamedType(types.getParentInputType());
      if (value.kind === Kind.VARIABLE && isInputObjectType(object))
        add(value.name?.value ?? '', object.getFields()[name.value]);
    },
  };
  visit(document, visitWithTypeInfo(types, visitor as never));
  return found;
}

/** A schema with keywords added: those of items to its items. */
export function withKeywords(schema: JsonSchema, keywords: JsonSchema | undefined): JsonSchema {
  if (!keywords) return schema;
  const { items, ...own } = keywords;
  if (items === undefined) return { ...schema, ...own };
  return { ...schema, ...own, items: { ...(schema.items as JsonSchema | undefined), ...(items as JsonSchema) } };
}
