import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { type GraphQLFieldConfig, GraphQLInt, GraphQLNonNull, type GraphQLSchema } from 'graphql';
import { publicInteger } from '../../schema/vocabulary/public-integer.ts';
import { restOnlyArguments, restOnlyField } from '../../schema/vocabulary/rest-only.ts';

/**
 * The graph that `/graphql` serves: the full graph, which operation files are written against, without what is `@RestOnly`, and
 * without types that nothing leads to any more. Resolvers and their guards are the same functions.
 */
export function publicGraph(graph: GraphQLSchema): GraphQLSchema {
  const filtered = mapSchema(graph, {
    [MapperKind.COMPOSITE_FIELD]: field => (isRestOnly(field) ? null : publicField(field)),
    [MapperKind.INPUT_OBJECT_FIELD]: field => (isRestOnly(field) ? null : undefined),
  });
  return pruneSchema(filtered);
}

function isRestOnly({ extensions }: { extensions?: Readonly<Record<string, unknown>> | null | undefined }): boolean {
  return extensions?.[restOnlyField] === true;
}

function publicField(field: GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> | undefined {
  if (field.extensions?.[publicInteger] === true) return { ...field, type: new GraphQLNonNull(GraphQLInt) };
  const named = field.extensions?.[restOnlyArguments] as readonly string[] | undefined;
  // A page number beside cursors.
  const hasPage = field.args?.page !== undefined && field.args.after !== undefined;
  if (!named && !hasPage) return undefined;
  const removed = new Set([...(named ?? []), ...(hasPage ? ['page'] : [])]);
  const args = Object.entries(field.args ?? {}).filter(([name]) => !removed.has(name));
  return { ...field, args: Object.fromEntries(args) };
}
