import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Value of an argument, as text of a document; undefined if it is left out. */
export type ValueOf = (argument: GraphQLArgument, field: Field, parent: string) => string | undefined;

type Field = GraphQLField<unknown, unknown>;

/** A root field with its arguments and the type below it: `node(id: "…") { ... on User { § } }`. */
export interface Start {
  name: string;
  /** § is the place of the selection. */
  text: string;
  type: GraphQLObjectType;
}

/** One selection below a root field. */
export interface SchemaPath {
  /** `user > repositories > Repository.owner`, for messages. */
  name: string;
  /** The field that the path ends with: `Repository.owner`, or the type for all of its scalars. */
  covers: string;
  text: string;
}

/** Fields on the way from a start to a type. */
const maxSteps = 2;

/**
 * Shortest path from a start to each object type that it leads to, and below it: the scalars of the type, and each of its object
 * fields with the scalars of the objects.
 */
export function pathsFrom(schema: GraphQLSchema, start: Start, valueFor: ValueOf): SchemaPath[] {
  const reached = new Map([[start.type.name, { name: start.name, text: start.text, steps: 0 }]]);
  const queue = [start.type];
  const paths: SchemaPath[] = [];
  for (let type = queue.shift(); type; type = queue.shift()) {
    const here = reached.get(type.name);
    if (!here) continue;
    const { name, text, steps } = here;
    paths.push({ name: `${name} > ${type.name}`, covers: type.name, text: text.replace('§', scalars(type, valueFor)) });
    for (const field of Object.values(type.getFields())) {
      for (const { object, around } of targetsOf(schema, type, field, valueFor)) {
        const covers = `${type.name}.${field.name}`;
        paths.push({
          name: `${name} > ${covers} > ${object.name}`,
          covers,
          text: text.replace('§', around.replace('§', scalars(object, valueFor))),
        });
        if (reached.has(object.name) || steps + 1 > maxSteps) continue;
        reached.set(object.name, {
          name: `${name} > ${field.name}`,
          text: text.replace('§', around),
          steps: steps + 1,
        });
        queue.push(object);
      }
    }
  }
  return paths;
}

/** Object types that a field leads to, with the text around their selections. A connection leads to its nodes. */
function targetsOf(
  schema: GraphQLSchema,
  parent: GraphQLObjectType,
  field: Field,
  valueFor: ValueOf,
): { object: GraphQLObjectType; around: string }[] {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return [];
  const called = `${field.name}${argumentsOf(field, parent.name, valueFor)}`;
  const edge = isObjectType(type) ? connectionEdge(type) : undefined;
  if (!edge) return concrete(schema, type).map(one => ({ ...one, around: `${called} { ${one.around} }` }));
  const node = getNamedType(edge.getFields().node?.type as Field['type']);
  const counts = isObjectType(type) ? scalars(type, valueFor) : '';
  return concrete(schema, node).map(one => ({
    ...one,
    around: `${called} { ${counts} edges { ${scalars(edge, valueFor)} node { ${one.around} } } }`,
  }));
}

function connectionEdge(type: GraphQLObjectType): GraphQLObjectType | undefined {
  const edges = type.getFields().edges;
  const edge = edges && getNamedType(edges.type);
  return edge && isObjectType(edge) ? edge : undefined;
}

function concrete(schema: GraphQLSchema, type: unknown): { object: GraphQLObjectType; around: string }[] {
  if (isObjectType(type)) return [{ object: type, around: '§' }];
  if (!isAbstractType(type)) return [];
  return schema.getPossibleTypes(type).map(object => ({ object, around: `... on ${object.name} { § }` }));
}

function scalars(type: GraphQLObjectType, valueFor: ValueOf): string {
  const fields = Object.values(type.getFields()).filter(field => isLeafType(getNamedType(field.type)));
  return ['__typename', ...fields.map(field => `${field.name}${argumentsOf(field, type.name, valueFor)}`)].join(' ');
}

function argumentsOf(field: Field, parent: string, valueFor: ValueOf): string {
  const given = field.args.flatMap(argument => {
    const value = valueFor(argument, field, parent);
    if (value === undefined && isNonNullType(argument.type) && argument.defaultValue === undefined)
      throw new Error(`${parent}.${field.name}(${argument.name}) needs a value.`);
    return value === undefined ? [] : [`${argument.name}: ${value}`];
  });
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

/** Several selections as one document of aliased root fields. */
export function documentOf(paths: readonly SchemaPath[]): string {
  return `{ ${paths.map(({ text }, index) => `a${index}: ${text}`).join('\n')} }`;
}
