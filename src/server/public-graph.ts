import { type GraphQLField, GraphQLInt, GraphQLNonNull, type GraphQLSchema } from 'graphql';
import { copySchema } from 'operation-rest';
import { publicInteger } from '../../schema/vocabulary/public-integer.ts';
import { restOnlyArguments, restOnlyField } from '../../schema/vocabulary/rest-only.ts';

/**
 * The graph that `/graphql` serves: the full graph, which operation files are written against, without what is `@RestOnly`, and
 * without types that nothing leads to any more. Resolvers and their guards are the same functions.
 */
export function publicGraph(graph: GraphQLSchema): GraphQLSchema {
  return copySchema(graph, {
    field: field => (isRestOnly(field) ? null : publicField(field)),
    keepsInputField: field => !isRestOnly(field),
    isPruned: true,
  });
}

function isRestOnly({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean {
  return extensions[restOnlyField] === true;
}

function publicField(field: GraphQLField<unknown, unknown>): GraphQLField<unknown, unknown> {
  if (field.extensions[publicInteger] === true) return { ...field, type: new GraphQLNonNull(GraphQLInt) };
  const named = field.extensions[restOnlyArguments] as readonly string[] | undefined;
  const has = (name: string): boolean => field.args.some(one => one.name === name);
  // A page number beside cursors.
  const hasPage = has('page') && has('after');
  if (!named && !hasPage) return field;
  const removed = new Set([...(named ?? []), ...(hasPage ? ['page'] : [])]);
  return { ...field, args: field.args.filter(({ name }) => !removed.has(name)) };
}
