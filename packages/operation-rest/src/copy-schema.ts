import {
  type GraphQLArgument,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
} from 'graphql';

type LeafType = GraphQLScalarType | GraphQLEnumType;

/**
 * A copy of the schema with other scalar and enum types: `leaf` gets the original and may return it. `added` are further types. Resolvers, descriptions, extensions and defaults, which are internal values, are those of the
 * original; that the result is a valid schema is for the caller to know.
 *
 * Rejected: `mapSchema` and `pruneSchema` of @graphql-tools/utils, which rebuild every type once for each kind of change and
 * convert defaults from one schema to the next. Four copies were a third of the time to compile a gateway.
 */
export function copySchema(
  schema: GraphQLSchema,
  leaf: (type: LeafType) => LeafType,
  added: readonly GraphQLScalarType[] = [],
): GraphQLSchema {
  const copies = new Map<GraphQLNamedType, GraphQLNamedType>();

  /** Creates the type empty and fills it later, because types refer to each other. */
  const unfinished: (() => void)[] = [];
  const copyOf = <T extends GraphQLNamedType>(type: T): T => {
    const known = copies.get(type);
    if (known) return known as T;
    const copy = emptyCopy(type);
    copies.set(type, copy);
    unfinished.push(() => fill(type, copy));
    return copy as T;
  };
  const emptyCopy = (type: GraphQLNamedType): GraphQLNamedType => {
    if (type instanceof GraphQLScalarType || type instanceof GraphQLEnumType) return leaf(type);
    const { name, description } = type;
    const extensions = type.extensions as Record<string, unknown>;
    const shared = { name, description, extensions };
    if (type instanceof GraphQLInputObjectType)
      return new GraphQLInputObjectType({ ...shared, fields: {}, isOneOf: type.isOneOf, astNode: type.astNode });
    if (type instanceof GraphQLUnionType) {
      const types = (): GraphQLObjectType[] => type.getTypes().map(copyOf);
      return new GraphQLUnionType({ ...shared, types, resolveType: type.resolveType, astNode: type.astNode });
    }
    const composite = { ...shared, fields: {}, interfaces: () => type.getInterfaces().map(copyOf) };
    if (type instanceof GraphQLInterfaceType)
      return new GraphQLInterfaceType({ ...composite, resolveType: type.resolveType, astNode: type.astNode });
    return new GraphQLObjectType({ ...composite, isTypeOf: type.isTypeOf, astNode: type.astNode });
  };
  const refer = <T extends GraphQLType>(type: T): T => {
    if (isNonNullType(type)) return new GraphQLNonNull(refer(type.ofType)) as unknown as T;
    if (isListType(type)) return new GraphQLList(refer(type.ofType)) as unknown as T;
    return copyOf(type as GraphQLNamedType) as T;
  };
  const argument = (one: GraphQLArgument): GraphQLArgument => ({ ...one, type: refer(one.type) });
  const fill = (type: GraphQLNamedType, copy: GraphQLNamedType): void => {
    if (type instanceof GraphQLUnionType) {
      type.getTypes().forEach(copyOf);
    } else if (type instanceof GraphQLInputObjectType) {
      const fields = (copy as GraphQLInputObjectType).getFields();
      for (const one of Object.values(type.getFields())) fields[one.name] = { ...one, type: refer(one.type) };
    } else if (type instanceof GraphQLObjectType || type instanceof GraphQLInterfaceType) {
      const fields = (copy as GraphQLObjectType).getFields();
      for (const one of Object.values(type.getFields()))
        fields[one.name] = { ...one, type: refer(one.type), args: one.args.map(argument) };
      type.getInterfaces().forEach(copyOf);
      // Objects that only an interface leads to.
      if (isInterfaceType(type)) schema.getPossibleTypes(type).forEach(copyOf);
    }
  };

  const [query, mutation, subscription] = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ].map(root => root && copyOf(root));
  const directives = schema.getDirectives();
  for (const { type } of directives.flatMap(one => one.args)) copies.set(getNamedType(type), getNamedType(type));
  const all = Object.values(schema.getTypeMap()).filter(type => !isIntrospectionType(type));
  for (const type of all) copyOf(type);
  for (let next = unfinished.pop(); next; next = unfinished.pop()) next();
  return new GraphQLSchema({
    description: schema.description,
    extensions: schema.extensions,
    query,
    mutation,
    subscription,
    directives,
    // In the order of the original.
    types: [...all.flatMap(type => copies.get(type) ?? []), ...added],
    assumeValid: true,
  });
}
