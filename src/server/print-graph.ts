import {
  type DefinitionNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isNullableType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql';
import { declaredCost } from '../limits/field-units.ts';
import { assumedListSize, declaredSize, itemFields, slicingArgument } from '../limits/query-list-size.ts';

type Field = GraphQLField<unknown, unknown>;

/** Definitions by the cost specification: https://ibm.github.io/graphql-specs/cost-spec.html */
const directives = `"""
Database work of one resolution of a field, in units: 100 units are one point of the rate limit. On an argument: units that it
adds when it restricts the result. A field without it costs 1 if it returns a page, else nothing.
"""
directive @cost(
  """Number of units."""
  weight: String!
) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR

"""Size of the list that a field returns, for the limit of objects in a response. A list without it counts as ${assumedListSize}."""
directive @listSize(
  """Number of items without a slicing argument."""
  assumedSize: Int

  """Arguments that set the number of items."""
  slicingArguments: [String!]

  """Fields of the returned object that have this number of items."""
  sizedFields: [String!]

  """Whether one slicing argument is required."""
  requireOneSlicingArgument: Boolean = true
) on FIELD_DEFINITION
`;

/** The schema in SDL, sorted, with the cost of fields and the sizes of lists. Printed as `schema/schema.graphql`. */
export function printGraph(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema);
  const text = `${directives}\n${printSchema(sorted)}\n`;
  // printSchema prints no applied directives; print() would change the layout of the rest.
  const inserted = parse(text).definitions.flatMap(definition => insertionsOf(sorted, definition));
  let printed = '';
  let from = 0;
  for (const { at, directive } of inserted.toSorted((one, other) => one.at - other.at)) {
    printed += `${text.slice(from, at)} ${directive}`;
    from = at;
  }
  return printed + text.slice(from);
}

interface Insertion {
  /** Offset in the printed text. */
  at: number;
  directive: string;
}

function insertionsOf(schema: GraphQLSchema, definition: DefinitionNode): Insertion[] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const type = schema.getType(definition.name.value) as GraphQLObjectType | GraphQLInterfaceType;
  return (definition.fields ?? []).flatMap(node => {
    const field = type.getFields()[node.name.value];
    if (!field) return [];
    const { units, given = {} } = declaredCost(field) ?? {};
    const found: Insertion[] = (node.arguments ?? []).flatMap(({ name, loc }) => {
      const more = given[name.value];
      return more === undefined ? [] : [{ at: loc?.end ?? 0, directive: cost(more) }];
    });
    const own = [units === undefined ? undefined : cost(units), listSize(field)];
    for (const directive of own) if (directive) found.push({ at: node.loc?.end ?? 0, directive });
    return found;
  });
}

const cost = (units: number): string => `@cost(weight: "${units}")`;

/** The directive of a field with slicing arguments or a declared size; undefined for any other. */
function listSize(field: Field): string | undefined {
  const slicing = field.args.filter(({ name }) => name === slicingArgument || name === 'last');
  const declared = declaredSize(field);
  if (slicing.length === 0) return declared === undefined ? undefined : `@listSize(assumedSize: ${declared})`;
  const hasDefault = slicing.some(({ defaultValue, type }) => defaultValue !== undefined && !isNullableType(type));
  const parts = [
    ...(hasDefault ? [] : [`assumedSize: ${declared ?? assumedListSize}`]),
    `slicingArguments: ${list(slicing.map(({ name }) => name))}`,
    ...sizedFields(field),
    'requireOneSlicingArgument: false',
  ];
  return `@listSize(${parts.join(', ')})`;
}

function sizedFields({ type }: Field): string[] {
  const page = getNamedType(type);
  if (isList(type) || !(isObjectType(page) || isInterfaceType(page))) return [];
  const sized = Object.values(page.getFields()).filter(({ name, type }) => itemFields.has(name) && isList(type));
  return sized.length === 0 ? [] : [`sizedFields: ${list(sized.map(({ name }) => name))}`];
}

function isList(type: Field['type']): boolean {
  return isListType(getNullableType(type));
}

const list = (names: string[]): string => `[${names.map(name => `"${name}"`).join(', ')}]`;
