import {
  execute,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  visit,
} from 'graphql';
import { compileQuery, isCompiledQuery } from './graphql-jit.ts';
import { isCompilable } from './jit-compatibility.ts';
import type { Product } from './product.ts';
import { executableDocument, fragmentsOf, readFragments } from './read-operations.ts';
import { buildWireSchema } from './wire-schema.ts';

/** A key of what is made: the fragment that says its shape, and how its value is found from what `Make` is given. */
export interface SerializedFragment {
  fragment: string;
  resolve(source: never, args: never, context: never, info: GraphQLResolveInfo): unknown;
}

/** Makes the JSON of the shapes. Keys whose value is null are left out. Rejects with the first error of a resolver. */
export type SerializeFragments = (source: unknown, context: unknown) => Promise<Record<string, unknown>>;

/**
 * Prepares shapes of a contract to be made outside of any request, with the same fragments that its endpoints are written
 * with: what is sent by itself is then the same JSON as what is asked for.
 */
export function createFragmentSerializer(
  product: Pick<Product, 'name' | 'folder' | 'errorSchemas' | 'capitalEnums' | 'wholeSeconds'>,
  graph: GraphQLSchema,
  shapes: Record<string, SerializedFragment>,
): SerializeFragments {
  const all = readFragments(product, graph);
  const wire = buildWireSchema(graph, product);
  const fields = Object.entries(shapes).map(([key, { fragment, resolve }]) => {
    const type = wire.getType(all.get(fragment)?.typeCondition.name.value ?? '');
    if (!isObjectType(type)) throw new TypeError(`${product.name} has no fragment ${fragment} on a type of objects.`);
    return [key, { type, resolve: resolve as GraphQLFieldResolver<unknown, unknown> }] as const;
  });
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Shapes', fields: Object.fromEntries(fields) }),
  });
  const selections = Object.entries(shapes).map(([key, { fragment }]) => `${key} { ...${fragment} }`);
  const [definition] = parse(`{ ${selections.join(' ')} }`).definitions as [OperationDefinitionNode];
  const fragments = fragmentsOf(definition, all);
  const omitted = new Set<string>();
  visit(
    { kind: Kind.DOCUMENT, definitions: fragments },
    {
      Field({ name, alias, directives }) {
        if (directives?.some(one => one.name.value === 'omitNull')) omitted.add((alias ?? name).value);
      },
    },
  );
  const document = executableDocument({ definition, fragments }, undefined);
  const compiled = isCompilable(document, [], schema) ? compileQuery(schema, document) : undefined;
  return async (source, context) => {
    const result = await (compiled && isCompiledQuery(compiled)
      ? compiled.query(source, context, {})
      : execute({ schema, document, rootValue: source, contextValue: context }));
    const [error] = result.errors ?? [];
    if (error) throw error.originalError ?? error;
    const made = result.data as Record<string, unknown>;
    for (const [key, value] of Object.entries(made)) {
      if (value === null) delete made[key];
      else omitNullKeys(value, omitted);
    }
    return made;
  };
}

function omitNullKeys(value: unknown, keys: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [key, inner] of Object.entries(object)) {
    if (inner === null && keys.has(key)) delete object[key];
    else omitNullKeys(inner, keys);
  }
}
