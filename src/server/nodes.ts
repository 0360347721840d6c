import {
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { decodeGlobalId, encodeGlobalId, encodeNamedId } from '../../schema/vocabulary/global-id.ts';
import { maxPageSize } from '../../schema/vocabulary/page-size.ts';
import { decideAccess } from '../auth/access-rules.ts';
import type { Context } from '../context/context.ts';
import { parseKey } from '../context/global-ids.ts';
import type { NodeKind } from '../context/node-kind.ts';

import { type Selection, selectionOf } from '../db/selection.ts';
import { badInput } from '../errors/errors.ts';

type Field = GraphQLFieldConfig<unknown, Context, never>;

/** An object that a global id names. */
interface NodeAddress {
  kind: NodeKind;
  key: number | string;
}

/**
 * Gives every kind the interface `Node`, `id`, and its own key as `databaseId` or `uuid`; adds the root fields `node` and `nodes`.
 * The types are changed in place.
 * `extensions.nodeKey` of the type says how operation files make a global id of a published key.
 *
 * @throws TypeError for a kind without an object type
 */
export function withNodes(schema: GraphQLSchema, kinds: readonly NodeKind[]): GraphQLSchema {
  const byType = new Map(kinds.map(kind => [kind.type, kind]));
  for (const type of byType.keys()) {
    if (!(schema.getType(type) instanceof GraphQLObjectType)) throw new TypeError(`There is no object type ${type}.`);
  }
  const id = { type: new GraphQLNonNull(GraphQLID), description: 'Global id. Pass it to `node(id:)`.' };
  const node = new GraphQLInterfaceType({ name: 'Node', description: 'Object with a global id.', fields: { id } });
  const query = schema.getQueryType();
  if (query) addFields(query, rootFields(node, byType));
  const scalars = scalarsOf(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type)) {
      // An interface with an `id` whose types are all nodes is one as well.
      const possible = schema.getPossibleTypes(type).map(({ name }) => byType.get(name));
      if (!type.getFields().id || !possible.every(one => one !== undefined)) continue;
      implement(type, node);
      if (possible.every(one => one.isNamed)) type.extensions = { ...type.extensions, nodeKey: namesOf(type.name) };
      continue;
    }
    const kind = byType.get(type.name);
    if (!kind || !isObjectType(type)) continue;
    const encode = (key: number | string): string => encodeGlobalId(kind.type, key);
    const keyOf = (kind.keyOf ?? keyOfRow) as (row: unknown) => number | string;
    const resolve = (row: unknown): string => encode(keyOf(row));
    addFields(type, { ...keyFields(kind, scalars, keyOf), id: { ...id, resolve } });
    implement(type, node);
    const names = kind.isNamed && namesOf(kind.type);
    const nodeKey = { scalar: kind.key, encode, isRowKey: kind.keyOf === undefined, ...names };
    type.extensions = { ...type.extensions, nodeKey };
  }
  // Finds the new interface and who implements it.
  return new GraphQLSchema(schema.toConfig());
}

/** How names become a global id of a type. */
const namesOf = (type: string) => ({ encodeNames: (names: readonly string[]) => encodeNamedId(type, names) });

/** Adds fields to a type in place, in the place of those of the same name. */
function addFields(type: GraphQLObjectType, fields: Readonly<Record<string, Field>>): void {
  const made = new GraphQLObjectType({ name: type.name, fields: fields as object as Record<string, never> });
  Object.assign(type.getFields(), made.getFields());
}

function implement(type: GraphQLObjectType | GraphQLInterfaceType, node: GraphQLInterfaceType): void {
  // Read-only for TypeScript alone: it is the list of the type.
  (type.getInterfaces() as GraphQLInterfaceType[]).unshift(node);
}

function keyOfRow(row: { databaseId?: number; id?: number | string }): number | string {
  const key = row.databaseId ?? row.id;
  if (key === undefined) throw new TypeError('The row has no key: add it to `always` of its select list.');
  return key;
}

/** The schema's own instances: two scalars of one name in a schema are an error. */
function scalarsOf(schema: GraphQLSchema): Record<'SafeInt' | 'UUID', GraphQLScalarType> {
  return {
    SafeInt: (schema.getType('SafeInt') as GraphQLScalarType | undefined) ?? GraphQLSafeInt,
    UUID: (schema.getType('UUID') as GraphQLScalarType | undefined) ?? GraphQLUUID,
  };
}

function keyFields(
  { key, hasIntegerId }: NodeKind,
  { SafeInt, UUID }: ReturnType<typeof scalarsOf>,
  resolve: (row: unknown) => number | string,
): Record<string, Field> {
  if (key === 'SafeInt') {
    const description = 'Number, unique among objects of the type.';
    return { databaseId: { type: new GraphQLNonNull(hasIntegerId ? GraphQLInt : SafeInt), description } };
  }
  if (key === 'String') return {};
  return { uuid: { type: new GraphQLNonNull(UUID), description: 'UUID, unique among objects of the type.', resolve } };
}

function rootFields(node: GraphQLInterfaceType, kinds: ReadonlyMap<string, NodeKind>): Record<string, Field> {
  const id = new GraphQLNonNull(GraphQLID);
  return {
    node: {
      type: node,
      description: 'Object with this global id; null if there is none that you can see.',
      args: { id: { type: id, description: 'Global id of the object.' } },
      extensions: { access: 'public', databaseCost: { units: 1, given: {} } },
      async resolve(_root, { id: given }: { id: string }, context, info) {
        const [found] = await loadNodes(context, [requireAddress(given, kinds, info.schema)], selectionOf(info));
        if (found instanceof Error) throw found;
        return found;
      },
    },
    nodes: {
      type: new GraphQLNonNull(new GraphQLList(node)),
      description: 'Objects with these global ids, at most 100; null for each that you cannot see.',
      args: {
        ids: { type: new GraphQLNonNull(new GraphQLList(id)), description: 'Global ids of the objects, at most 100.' },
      },
      extensions: { access: 'public', databaseCost: { units: 1, given: { ids: 4 } } },
      resolve(_root, { ids }: { ids: string[] }, context, info) {
        if (ids.length > maxPageSize)
          throw badInput(`ids has ${ids.length} items; at most ${maxPageSize} are allowed.`, 'ids');
        return loadNodes(
          context,
          ids.map(one => requireAddress(one, kinds, info.schema)),
          selectionOf(info),
        );
      },
    },
  };
}

/** @throws GraphQLError BAD_USER_INPUT if the text is no id of a type of this schema, which may be the view of one product */
function requireAddress(id: string, kinds: ReadonlyMap<string, NodeKind>, schema: GraphQLSchema): NodeAddress {
  const decoded = decodeGlobalId(id);
  const kind = decoded && schema.getType(decoded.type) && kinds.get(decoded.type);
  const key = kind && parseKey(kind.key, decoded.key);
  if (!kind || key === undefined) throw badInput('The id is no global id.', 'id');
  return { kind, key };
}

/** One statement for each kind. An Error in the result fails the item alone. */
async function loadNodes(
  context: Context,
  addresses: readonly NodeAddress[],
  wanted: Selection,
): Promise<(object | null | Error)[]> {
  const found: (object | null | Error)[] = addresses.map(() => null);
  const kinds = new Set(addresses.map(one => one.kind));
  const load = async (kind: NodeKind): Promise<void> => {
    const positions = [...addresses.keys()].filter(at => addresses[at]?.kind === kind);
    const verdict = await decideAccess(kind.access, context);
    const keys = positions.map(at => addresses[at]?.key);
    const rows = verdict === true ? await kind.load(context, keys as never[], wanted) : positions.map(() => verdict);
    positions.forEach((at, index) => {
      const row = rows[index] ?? null;
      found[at] = row === null || row instanceof Error ? row : Object.assign(row, { __typename: kind.type });
    });
  };
  await Promise.all([...kinds].map(load));
  return found;
}
