import { type GraphQLField, GraphQLInt, GraphQLNonNull, type GraphQLSchema } from 'graphql';
import { copySchema, withFacadeDirectives } from 'operation-rest';
import { publicInteger } from '../../schema/vocabulary/public-integer.ts';
import { restCorner } from '../../schema/vocabulary/rest-corner.ts';
import { restOnlyField } from '../../schema/vocabulary/rest-only.ts';

/**
 * The graph that `/graphql` serves: the full graph, which operation files are written against, without what is `@RestOnly`, and
 * without types that nothing leads to any more. Resolvers and their guards are the same functions. It declares the directives of
 * operation files, so that such a file is a valid document: its data are those before the directives change them.
 */
export function publicGraph(graph: GraphQLSchema): GraphQLSchema {
  return withFacadeDirectives(
    copySchema(graph, {
      field: field => (isRestOnly(field) ? null : withCorner(publicField(field))),
      keepsInputField: field => !isRestOnly(field),
      isPruned: true,
    }),
  );
}

function isRestOnly({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean {
  return extensions[restOnlyField] === true;
}

/** The description of a field of the corner says that it is one, and why. */
function withCorner(field: GraphQLField<unknown, unknown>): GraphQLField<unknown, unknown> {
  const why = field.extensions[restCorner];
  return typeof why === 'string' ? { ...field, description: `${field.description} For REST: ${why}` } : field;
}

function publicField(field: GraphQLField<unknown, unknown>): GraphQLField<unknown, unknown> {
  if (field.extensions[publicInteger] === true) return { ...field, type: new GraphQLNonNull(GraphQLInt) };
  const has = (name: string): boolean => field.args.some(one => one.name === name);
  // A page number beside cursors.
  return has('page') && has('after') ? { ...field, args: field.args.filter(({ name }) => name !== 'page') } : field;
}
