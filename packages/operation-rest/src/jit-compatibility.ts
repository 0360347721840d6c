import {
  type DocumentNode,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Parameter } from './operation.ts';

/**
 * Whether graphql-jit 0.8.9 executes a document as graphql-js does. If not, the operation is interpreted, which costs 0.1 ms for a
 * page of 30 rows. Known differences, each with a test:
 * - an absent variable inside an object literal becomes null;
 * - a recursive input type is unrolled until memory is exhausted;
 * - defaults of input fields are lost if the field is non-null, and otherwise converted to JSON;
 * - values of literals and defaults that are not JSON, such as a URL object, are converted to JSON;
 * - `@include` and `@skip` of one spread of a fragment apply to its other spreads too;
 * - an async `resolveType` or `isTypeOf` is not awaited;
 * - field state is stored under names joined from several, which can collide: `last` in `comment_user` and `last_comment` in
 *   `user` share the `info` of their resolvers, `User.sName` and `Users.Name` share a resolver.
 */
export function isCompilable(
  document: DocumentNode,
  parameters: readonly Pick<Parameter, 'name' | 'type' | 'required' | 'defaultValue'>[],
  schema: GraphQLSchema,
): boolean {
  const optional = new Set(
    parameters.filter(one => !one.required && one.defaultValue === undefined).map(one => one.name),
  );
  if (!parameters.every(({ type }) => isCompilableInput(type)) || hasCollidingNames(document)) return false;
  const types = new TypeInfo(schema);
  const resolvers = new Map<string, string>();
  let compilable = true;
  const rejectIf = (found: boolean): void => {
    if (found) compilable = false;
  };
  const literal = (node: ValueNode): void => rejectIf(!isCompilableLiteral(node, types.getInputType() ?? undefined));
  const look = {
    ObjectField: ({ value }: { value: ValueNode }) =>
      rejectIf(value.kind === Kind.VARIABLE && optional.has(value.name.value)),
    Directive: () => rejectIf(true),
    IntValue: literal,
    FloatValue: literal,
    StringValue: literal,
    BooleanValue: literal,
    EnumValue: literal,
    ObjectValue: literal,
    Field: ({ name }: FieldNode) => {
      const parent = types.getParentType();
      for (const one of isAbstractType(parent) ? schema.getPossibleTypes(parent) : [parent]) {
        rejectIf(!isUniqueName(resolvers, `${one}${name.value}`, `${one}.${name.value}`));
      }
      const type = getNamedType(types.getType());
      rejectIf(type !== undefined && hasAsyncTypeResolver(type, schema));
      for (const { defaultValue } of types.getFieldDef()?.args ?? []) rejectIf(!isJsonValue(defaultValue));
    },
    // Defaults of variables are applied before execution.
    VariableDefinition: () => false as const,
  };
  visit(document, visitWithTypeInfo(types, look));
  return compilable;
}

/** Whether two paths of the response have the same name once their keys are joined from the inside out. */
function hasCollidingNames({ definitions }: DocumentNode): boolean {
  const names = new Map<string, string>();
  const collect = ({ selections }: SelectionSetNode, keys: readonly string[]): boolean =>
    selections.some(one => {
      if (one.kind === Kind.FIELD) {
        const path = [one.alias?.value ?? one.name.value, ...keys];
        if (!isUniqueName(names, path.join('_'), path.join('.'))) return true;
        return one.selectionSet !== undefined && collect(one.selectionSet, path);
      }
      const inner =
        one.kind === Kind.INLINE_FRAGMENT
          ? one
          : definitions.find(it => it.kind === Kind.FRAGMENT_DEFINITION && it.name.value === one.name.value);
      return inner !== undefined && 'selectionSet' in inner && collect(inner.selectionSet as SelectionSetNode, keys);
    });
  return definitions.some(one => one.kind === Kind.OPERATION_DEFINITION && collect(one.selectionSet, []));
}

/** Whether `name` has had no other meaning so far. */
function isUniqueName(names: Map<string, string>, name: string, meaning: string): boolean {
  const before = names.get(name) ?? meaning;
  names.set(name, before);
  return before === meaning;
}

/** Whether a variable of this type is compiled correctly. */
function isCompilableInput(type: GraphQLInputType, above: readonly GraphQLInputType[] = []): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return true;
  if (above.includes(named)) return false;
  return Object.values(named.getFields()).every(
    field =>
      (field.defaultValue === undefined || (!isNonNullType(field.type) && isJsonValue(field.defaultValue))) &&
      isCompilableInput(field.type, [...above, named]),
  );
}

function isCompilableLiteral(node: ValueNode, type: GraphQLInputType | undefined): boolean {
  const named = type && getNamedType(type);
  if (isEnumType(named)) return node.kind !== Kind.ENUM || isJsonValue(named.getValue(node.value)?.value);
  if (isInputObjectType(named)) return Object.values(named.getFields()).every(field => isJsonValue(field.defaultValue));
  return !isScalarType(named) || isJsonValue(named.parseLiteral(node));
}

/** Whether the value survives a round trip through JSON. */
function isJsonValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJsonValue);
  if (typeof value !== 'object' || value === null) {
    return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
  }
  const prototype = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isJsonValue);
}

function hasAsyncTypeResolver(type: GraphQLNamedType, schema: GraphQLSchema): boolean {
  if (isObjectType(type)) return isAsyncFunction(type.isTypeOf);
  if (!isAbstractType(type)) return false;
  return isAsyncFunction(type.resolveType) || schema.getPossibleTypes(type).some(one => isAsyncFunction(one.isTypeOf));
}

function isAsyncFunction(resolve: unknown): boolean {
  return typeof resolve === 'function' && resolve.constructor.name === 'AsyncFunction';
}
