import {
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';

/** The field that returned the value. */
interface Field {
  name: string;
  nodes: readonly FieldNode[];
  parentType: GraphQLObjectType;
}

/** The object type of a value of an interface or union, by what its type resolver returned. @throws GraphQLError as graphql-js does */
export function requireRuntimeType(
  schema: GraphQLSchema,
  type: GraphQLAbstractType,
  name: unknown,
  value: unknown,
  { name: fieldName, nodes, parentType }: Field,
): GraphQLObjectType {
  const fail = (problem: string): never => {
    throw new GraphQLError(`Abstract type "${type.name}" ${problem}`, { nodes });
  };
  const expected = `must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    return fail(
      `${expected}. Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
    );
  }
  if (typeof name !== 'string') {
    const given = `with value ${inspect(value)}, received "${inspect(name)}"`;
    throw new GraphQLError(`Abstract type "${type.name}" ${expected} ${given}.`);
  }
  const found = schema.getType(name);
  if (!found) return fail(`was resolved to a type "${name}" that does not exist inside the schema.`);
  if (!isObjectType(found)) return fail(`was resolved to a non-object type "${name}".`);
  if (schema.isSubType(type, found)) return found;
  throw new GraphQLError(`Runtime Object type "${name}" is not a possible type for "${type.name}".`, { nodes });
}
